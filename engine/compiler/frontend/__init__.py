"""The front end: from the syntax tree of a Python function to LLVM IR."""
