"""Presets: settings to start from, in the order of their groups."""

from .load import load_presets
from .preset import Preset

_ALL = load_presets("teaching", "papers", "engines_and_codes")
PRESETS: tuple[Preset, ...] = tuple(one for one in _ALL if one.choice.space == "so3")
"""Presets of one body."""
OF_TWO_BODIES: tuple[Preset, ...] = tuple(one for one in _ALL if one.choice.space == "se3")
