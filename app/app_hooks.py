"""What `panel serve app` runs before the first request: from then on requests and messages are checked."""

from typing import Any

from app import gate


def on_server_loaded(server_context: Any) -> None:
    """Called by Bokeh, by this name."""
    gate.stand()
