"""Live demos: single files, folders of demos, and the static site."""
