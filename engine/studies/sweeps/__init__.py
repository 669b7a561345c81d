"""Sweeps: one request to very many runs.

What is varied stands in `axes.py`, what is measured in `measures.py`; `block.py` answers a part of the request,
which `workers.py` has done by threads, processes or a cluster; `store.py` keeps what is answered, and `refined.py`
looks closer only where something changes. `engine.studies.sweep` is the way in.
"""
