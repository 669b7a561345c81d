"""Presets: settings to start from, in the order of their groups."""

from .engines_and_codes import PARTICLE_CODES, PHYSICS_ENGINES
from .preset import Preset, in_groups
from .published import BUSS, KRYSL_ENDRES, LEE_LEOK_MCCLAMROCH, OTHERS
from .teaching import TEACHING

PRESETS: tuple[Preset, ...] = in_groups(*TEACHING, *KRYSL_ENDRES, *BUSS, *OTHERS, *PHYSICS_ENGINES, *PARTICLE_CODES)
"""Of one body."""
OF_TWO_BODIES: tuple[Preset, ...] = in_groups(*LEE_LEOK_MCCLAMROCH)

__all__ = ["OF_TWO_BODIES", "PRESETS", "Preset"]
