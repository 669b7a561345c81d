"""The papers under the name that scripts know: they stand in `engine.papers`."""

from ..papers import *  # noqa: F403
