"""The simple view of the lab: the same parts, but fewer."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from ..state.view import View
from ..views.dialogs.simple import SimpleView
from .opening_page import OpeningPage


class SimplePage(OpeningPage):
    """The simple view: one body, who moves it, and a slider; the link to the lab has the same
    setting.
    """

    page_key = "lab"
    width = "2200px"

    @cached_property
    def opening(self) -> SimpleView:
        """What is beside the picture."""
        return SimpleView(self.chooser, self.stage)

    @property
    def view(self) -> View:
        """How the page shows the results, and how the lab will."""
        return replace(super().view, picture=self._view.picture, along=self._view.along)
