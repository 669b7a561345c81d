"""`panel serve app`: composes the page, and nothing else."""

import panel as pn

from app.page import Explorer, from_link

pn.extension(notifications=False)

choice, notices = from_link((pn.state.location.search if pn.state.location else "") or "")
Explorer(choice, notices).page().servable()
