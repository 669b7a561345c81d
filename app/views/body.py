"""The body turning in space, several motions in one scene; what it looks like, also a mesh of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import panel as pn

from engine.body import Body, InsideOut
from engine.wording import capital

from ..component import on_page
from ..model.results import Results
from ..model.view import AUTO
from ..model.view import SHAPES as LOOKS
from ..player import upload
from .appearance import OWN, Appearance
from .poinsot import Poinsot3D

READERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="meshes")
"""What waits for the processes that read meshes, for all visitors."""
SHAPES = [[AUTO, "As the problem has it"], *([shape, capital(shape)] for shape in LOOKS)]


class Body3D(Poinsot3D):
    """The 3D view of the body itself, with its axes, Ω, π and traces; the other methods as ghosts.

    `on_body` is called with the body that a visitor's mesh encloses, of mass 1 and in the units of the file, so that
    its inertia becomes the problem's.
    """

    kind = "body"
    label = "The body in space"

    def __init__(
        self,
        on_body: Callable[[Body], Any] | None = None,
        appearance: Appearance | None = None,
        on_turn: Callable[[Any, bool], Any] | None = None,
    ) -> None:
        super().__init__(appearance, on_turn)
        self._on_body = on_body
        self._results: Results | None = None
        self._asked = 0
        self._inside_out: tuple[str, bytes] | None = None
        self.panel = self._player(on_file=self._file, on_offer=self._turn, bodies=SHAPES, body=AUTO)
        self.panel.param.watch(self._chosen, "body")

    def show(self, results: Results) -> None:
        """Give the player the new scene, and the meshes if they are others."""
        self._results = results
        super().show(results)

    def take(self, own: upload.Own) -> None:
        """Use this body from now on: its inertia, and its surface."""
        self._guise.own = own
        self.panel.param.update(bodies=[*SHAPES, [OWN, own.body.name]], said=told(own))
        if self.panel.body == OWN:
            self._use(own.body)
        else:
            self.panel.body = OWN

    def _chosen(self, event: Any) -> None:
        self._guise.shape = event.new
        if event.new == OWN and self._guise.own is not None:
            self._use(self._guise.own.body)
        elif self._results is not None:
            self.show(self._results)

    def _use(self, body: Body) -> None:
        if self._on_body is not None:
            try:
                self._on_body(body)
            except ValueError as error:
                self.panel.said = str(error)

    def _file(self, name: str, data: bytes, turn: bool = False) -> None:
        """A visitor has sent a file: it is read beside the page, and the newest counts."""
        self._asked += 1
        self._inside_out, self.panel.offer = None, ""
        pn.state.execute(partial(self._read, name, data, self._asked, turn))

    def _turn(self) -> None:
        """A visitor wants a file that is inside out to be turned."""
        if self._inside_out is not None:
            self._file(*self._inside_out, turn=True)

    async def _read(self, name: str, data: bytes, asked: int, turn: bool) -> None:
        await on_page(partial(self._say, f"Reading {name} …"))
        try:
            own = await asyncio.get_running_loop().run_in_executor(READERS, upload.read, name, data, turn)
        except ValueError as error:
            act = partial(self._refuse, name, data, error)
        else:
            act = partial(self.take, own)
        await on_page(lambda: act() if asked == self._asked else None)

    def _say(self, words: str) -> None:
        self.panel.said = words

    def _refuse(self, name: str, data: bytes, error: ValueError) -> None:
        if isinstance(error, InsideOut):
            self._inside_out, self.panel.offer = (name, data), TURN
        self.panel.said = str(error)


TURN = "Turn it, and take it"


def told(own: upload.Own) -> str:
    """What was found in a file, and how much of it is drawn."""
    moments = ", ".join(f"{x:.4g}" for x in own.body.principal()[0])
    drawn = f", drawn with {own.drawn}" if own.drawn < own.faces else ""
    return f"{own.faces} faces{drawn}. Principal moments of inertia for mass 1: {moments}."
