"""The 3D player's Python side: meshes, scenes of runs, and the component; its JavaScript stands in assets/."""

from pathlib import Path

ASSETS = Path(__file__).resolve().parents[2] / "assets"
"""What the browser is given besides Panel's own files: beside `app`, in the sources as where it is installed."""
