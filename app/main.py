"""`panel serve app`: makes the page that the address names."""

import panel as pn

from app.browser.addresses import write_search
from app.compat.templates import Plain
from app.pages.routes import open_page
from app.server import log, message_guard

log.keep_short()
message_guard.install()
pn.extension(design=Plain, theme="default", notifications=False)

page, title = open_page(write_search(pn.state.session_args))
page.servable(title=title, location=False)
