"""Kernels: the loops that advance bodies, and the code that runs them."""
