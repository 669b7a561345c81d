"""Page templates without Panel's own styles, and settings that make pages answer sooner."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import panel as pn
from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.document import Document
from bokeh.settings import settings
from jinja2 import Template
from panel.io.document import init_doc
from panel.io.resources import LOCAL_DIST, _env
from panel.reactive import Syncable
from panel.theme.base import Design, Theme

if hasattr(Syncable, "_debounce"):
    # Milliseconds that Panel waits for a widget's next change before it reports one. Its default of
    # 50 is half of what a change may take until it is painted. Changes that arrive while the server
    # works are read together afterwards.
    Syncable._debounce = 2
# With each change Panel looks for properties that models do not have, and Bokeh searches for
# similar names for ms.
settings.perform_error_diagnostics = False
# Bokeh looks through all models of a new page for mistakes, and warns of what is intended, such as
# empty rows.
settings.perform_document_validation = False

_find_default = PropertyDescriptor._get_default
_defaults: dict[tuple[type, str], Any] = {}


def _get_default(descriptor: PropertyDescriptor[Any], obj: HasProps) -> object:
    """Return a property's default, which Bokeh validates for each model anew: half of the time to
    send a page.
    """
    if descriptor.name in (obj.themed_values() or ()):
        return _find_default(descriptor, obj)
    key = type(obj), descriptor.name
    if key in _defaults:
        return _defaults[key]
    default = _find_default(descriptor, obj)
    if (
        default is None or type(default) in (bool, int, float, str)
    ) and not descriptor.has_unstable_default(obj):
        _defaults[key] = default
    return default


PropertyDescriptor._get_default = _get_default


class Bare(Theme):
    """A theme without colours: the page's own apply."""

    _name: ClassVar = "default"


class Plain(Design):
    """A design without files to fetch: the looks of all components are in assets/styles."""

    _themes: ClassVar = {"default": Bare}


def use_own_looks() -> AbstractContextManager[None]:
    """Return a context in which what is made has the looks of the page instead of the user's
    design.
    """
    return pn.config.set(design=Plain)


@cache
def read_template(path: Path) -> Template:
    """Return a template that extends Panel's base template."""
    return _env.from_string(path.read_text(encoding="utf-8"))


class PageTemplate(pn.Template):
    """A template that is fast to fill."""

    def __repr__(self) -> str:
        """Return the name: Panel asks for it with each part that is added, and by default it lists
        all parts.
        """
        return "PageTemplate"

    def _init_doc(self, doc: Document | None = None, *args: Any, **kwargs: Any) -> Document:
        """Add all parts to the document in one batch; else it collects all models again for each
        part.
        """
        document = init_doc(doc or pn.state.curdoc)
        with document.models.freeze():
            return super()._init_doc(document, *args, **kwargs)


def serve_styles_locally(document: Document) -> None:
    """Have the page fetch Panel's style sheets from this server.

    Panel sees to that when it sends the page; but a session is made again when another process
    takes the connection, or when a visitor comes back later.
    """
    document.template_variables["dist_url"] = LOCAL_DIST
