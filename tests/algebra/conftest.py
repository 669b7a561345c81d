"""In plain Python nothing is compiled, so these tests have nothing to compare."""

from engine.kernels import compiles

collect_ignore = [] if compiles() else ["test_compiled.py"]
