"""The compiler: from Python functions to machine code and WebAssembly. Only this package imports
LLVM.
"""
