"""In plain Python nothing is compiled, so nothing can be compared and nothing is refused."""

from engine.kernels.build import compiles

collect_ignore_glob = [] if compiles() else ["test_*.py"]
