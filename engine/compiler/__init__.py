"""From a method and a field to machine code, and the loop that runs it: the one room with LLVM and Numba in it."""
