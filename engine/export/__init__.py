"""Exports: files of runs, programs, WebAssembly modules and citations."""
