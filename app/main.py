"""`panel serve app`: composes the page that the address asks for, and nothing else."""

import panel as pn

from app.pages import opened
from app.shell import Plain

pn.extension(design=Plain, notifications=False)

page, title = opened((pn.state.location.search if pn.state.location else "") or "")
page.servable(title=title)
