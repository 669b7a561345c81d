"""The recorder of a phone's gyroscope and accelerometer."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from ...browser.component import Component

LONGEST = 1_000_000
"""Characters of a recording: 20 s at 400 Hz have half of it."""


class Recorder(Component):
    """Buttons that record, save and send, and curves of the rates.

    on_recording : takes a table of CSV that the person sends.
    on_address : takes the page's address on a device with a mouse, for a code that a phone reads.
    """

    script = "controls/recorder.js"
    shared_styles = ("html-block",)
    own_styles = ("recorder",)

    def __init__(
        self, on_recording: Callable[[str], Any], on_address: Callable[[str], Any]
    ) -> None:
        super().__init__(sizing_mode="stretch_width", margin=8)
        self._on_recording = on_recording
        self._on_address = on_address

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return that a newer recording makes an earlier one obsolete."""
        return "recording" if "recording" in data else None

    def _receive(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        recording, address = data.get("recording"), data.get("address")
        if isinstance(recording, str) and len(recording) <= LONGEST:
            self._on_recording(recording)
        if isinstance(address, str) and len(address) <= 1000:
            self._on_address(address)

    def mark_flight(self, part: tuple[float, float]) -> None:
        """Shade the flight, from time to time in s."""
        self._send({"part": list(part)})
