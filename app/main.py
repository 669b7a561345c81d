"""`panel serve app`: composes the page that the address asks for, and nothing else."""

import panel as pn

from app import gate, log
from app.pages import opened, search
from app.shell import Plain

log.keep_short()
gate.stand()
pn.extension(design=Plain, theme="default", notifications=False)

page, title = opened(search(pn.state.session_args))
page.servable(title=title, location=False)
