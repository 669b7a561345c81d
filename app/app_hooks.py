"""Hooks of `panel serve app`: validate requests and messages from the first one on."""

from typing import Any

from app.server import message_guard


def on_server_loaded(server_context: Any) -> None:
    """Start the validation; Bokeh calls this function by its name."""
    message_guard.install()
