"""Presets: settings to start from, in the order of their groups."""

from .load import load_presets
from .preset import Preset

ALL_PRESETS = load_presets("teaching", "papers", "engines_and_codes", "gyroscopes")
"""The presets of all labs."""


def list_presets(space: str) -> tuple[Preset, ...]:
    """The presets of the lab of this space."""
    return tuple(preset for preset in ALL_PRESETS if preset.choice.space == space)


PRESETS = list_presets("so3")
"""The presets of one body."""
