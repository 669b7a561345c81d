"""Where nothing is compiled, there is nothing to compare plain Python with."""

from engine.kernels.build import compiles

collect_ignore = [] if compiles() else ["test_compiled.py"]
