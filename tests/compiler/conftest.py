"""Where nothing is compiled, there is nothing to compare plain Python with, and nothing is refused."""

from engine.kernels.build import compiles

collect_ignore_glob = [] if compiles() else ["test_*.py"]
