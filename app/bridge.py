"""What scripts and tests can ask the page for, and keyboard shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import param

from .bundle import ASSETS
from .component import Component
from .model.results import Results


class Bridge(Component):
    """An invisible component that keeps the read-only `window.polhode` and listens to keys.

    It opens lecture mode, and what else only some visits need, whose scripts are fetched then.

    `window.polhode` is {version, choice, revision, changed, painted, runs, player}: `revision` rises by one when the
    runs of a change have been painted; `changed` and `painted` are the times of the person's last input before and
    of that paint, as performance.now() tells them; `runs` are {method, status, R, t} with the end state, R row by
    row, and of two bodies R1, R2, x1 and x2 besides, where R is R2ᵀR1; `player` is {time, attitude, playing, solid,
    bodies} with the attitude that is drawn, row by row, and in `bodies` attitude and place of each body.
    """

    state = param.Dict(default={}, doc="Version, choice and runs; set by `tell`.")
    expected = param.Boolean(default=False, doc="Whether what is seen is still what was before.")
    address = param.String(default="", doc="The page's own, as it should be; nothing, if it has none.")
    undo = param.Integer(default=0, doc="How often Ctrl+Z was pressed outside a text field.")
    redo = param.Integer(default=0, doc="How often Ctrl+Shift+Z, or Ctrl+Y, was pressed there.")
    help = param.Integer(default=0, doc="How often ? was pressed there.")

    _bundle = ASSETS / "bridge.js"

    def __init__(self, printed: Callable[[str], str] = lambda at: "", **params: Any) -> None:
        """Be there; `printed` writes the page for paper, for a page at this address."""
        super().__init__(**({"width": 0, "height": 0, "margin": 0} | params))
        self._printed = printed
        self._told = 0

    def takes(self, name: str, value: Any) -> bool:
        """Keys that were pressed."""
        return name in ("undo", "redo", "help") and type(value) is int

    def _handle_msg(self, data: Any) -> None:
        """A page on paper is wanted, whose address is told."""
        if isinstance(data, dict) and isinstance(data.get("print"), str):
            self._send_msg({"paper": self._printed(data["print"])})

    def expect(self, address: str = "") -> None:
        """Something else is about to be shown, and `address`, if there is one, is the page's already."""
        self.expected = True
        self.tell_address(address)

    def arrived(self) -> None:
        """What was expected is shown, or nothing is expected any more."""
        self.expected = False

    def tell_address(self, address: str) -> None:
        """This is the page's address from now on, unless it is none."""
        if address:
            self.address = address

    def tell(self, results: Results, version: str, address: str = "", said: Sequence[str] = ()) -> None:
        """These results are what the views show from now on, and `address`, if there is one, is the page's.

        `said` is the problem, the setting and what follows: read to those who do not see the page, when nothing has
        followed for a while, and written above what lecture mode shows.
        """
        choice = results.choice
        chosen = choice.as_data() | {"dt": choice.dt, "duration": choice.duration}
        self.arrived()
        self.say(chosen, version, address, [end(line) for line in results.lines], said)

    def say(
        self,
        choice: Mapping[str, Any],
        version: str,
        address: str = "",
        runs: Sequence[Mapping[str, Any]] = (),
        said: Sequence[str] = (),
    ) -> None:
        """The page shows what comes of this choice from now on."""
        self._told += 1
        self.tell_address(address)
        self.state = {
            "told": self._told,
            "version": version,
            "choice": dict(choice),
            "runs": [dict(run) for run in runs],
            "said": list(said),
        }


ENDS = {"so3": ("R",), "se3": ("R", "R1", "R2", "x1", "x2")}
"""What is told of the end of a run, by the space of its problem."""


def end(line: Any) -> dict[str, Any]:
    """How one method ended: R row by row, and at what time; both None if it has no run."""
    if line.run is None:
        return {"method": line.label, "status": "not run", "R": None, "t": None}
    run = line.run
    state = {name: getattr(run, name)[-1].ravel().tolist() for name in ENDS[run.problem.space]}
    return {"method": line.label, "status": run.status, "t": float(run.t[-1])} | state
