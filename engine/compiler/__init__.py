"""From a method and a field to machine code, and the loop that runs it: the one room with Numba in it."""
