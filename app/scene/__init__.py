"""The Python side of the 3D player: meshes, scenes of runs, and the component; its scripts are in
assets/js/scene.
"""
