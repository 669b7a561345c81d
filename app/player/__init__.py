"""The 3D player's Python side: meshes, scenes of runs, and the component; its JavaScript stands in assets/."""
