"""In plain Python nothing is compiled, so nothing can be compared and nothing is refused."""

from engine.kernels import compiles

collect_ignore_glob = [] if compiles() else ["test_*.py"]
