"""The opening view: a picture, the energies, and a slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import panel as pn

from ..state.choice import validate
from ..state.excerpt import START
from ..state.simple import draw_spin
from ..state.view import DEFAULT_VIEW, View
from ..views.dialogs.opening import Opening
from .explorer import SURPRISES, Show
from .frame import whole_page
from .runs_page import LONG, RunsPage


class OpeningPage(RunsPage):
    """The opening view: one picture, the energies, and a slider."""

    page_key = START
    width = "1120px"
    _view = DEFAULT_VIEW

    @cached_property
    def opening(self) -> Opening:
        """What is around the picture."""
        return Opening(self.chooser, self.stage, on_throw=self._throw)

    @property
    def parts(self) -> Sequence[Show]:
        """Functions that show results, in the order in which they receive new ones."""
        return [
            self.stage.show,
            self.ledger.show,
            self.opening.show,
            self._allow_drags,
            self._publish,
        ]

    @property
    def view(self) -> View:
        """How the page shows the results, for links."""
        return replace(self._view, **self.stage.read_view())

    def look(self, view: View, *, anew: bool = True) -> None:
        """Show the results in this way; `anew` restarts the motion."""
        self._view = view
        self.stage.look(view, anew=anew)

    def _throw(self, spin: str) -> None:
        """Have the body begin again with this spin, or with a random one about its middle axis."""
        now = self.explorer.history.now
        try:
            read = now.build_problem().declarations["Omega0"].read_text
            choice = validate(now.with_changes(Omega0=read(spin) if spin else draw_spin(SURPRISES)))
        except ValueError:
            return
        self.explorer.choose(choice, self._view)

    def page(self) -> pn.Template:
        """Return the page to be served."""
        explorer = self.explorer
        parts = explorer.notice, *self.opening.list_parts(), explorer.api, self.local
        styles = LONG | {"max-width": self.width, "margin": "0 auto"}
        return whole_page(
            self.page_key, pn.Column(*parts, sizing_mode="stretch_both", styles=styles)
        )
