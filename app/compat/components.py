"""Components with a script of their own: the hooks of Panel's `JSComponent` that Polhode
overrides.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import panel as pn
from bokeh.document import Document
from bokeh.embed.bundle import extension_dirs
from bokeh.events import Event
from bokeh.model import Model
from panel.custom import JSComponent
from panel.io.state import set_curdoc

from ..asset_files import ASSETS, SCRIPTS, bundle_script, read_styles, style_file

# Bokeh's server serves the files of an extension, so that browsers cache them and sessions need not
# send them.
extension_dirs["polhode"] = ASSETS

CELL = "polhode-cell"
"""Tag of the root of a notebook's cell."""
TAKE = 'export default await globalThis[Symbol.for("polhode.modules")]("{}", "{}");'
"""The script of a component in a cell; the scripts of one cell share modules, and those of several
share none.
"""

PARAMETERS_OF_ALL = frozenset(JSComponent.param)
"""The names of the parameters of every component."""

_components: WeakValueDictionary[str, ScriptComponent] = WeakValueDictionary()


def component_of(model: Model) -> ScriptComponent | None:
    """Return the component whose parameters a model holds for the browser, if it is one of the
    project's.
    """
    return _components.get(model.id)


class ScriptComponent(JSComponent):
    """A component with a script, which calls `_receive` by `model.send_msg` and receives what
    `_send` sends.

    Attributes
    ----------
    script : a file of `SCRIPTS`.
    shared_styles : files of `assets/styles` that the browser fetches once for all components.
    own_styles : files of `assets/styles` that each component carries.
    """

    script: ClassVar[str] = ""
    shared_styles: ClassVar[tuple[str, ...]] = ()
    own_styles: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "script" in vars(cls):
            cls._bundle = SCRIPTS / cls.script
            own = [read_styles(*cls.own_styles)] if cls.own_styles else []
            cls._stylesheets = [*map(style_file, cls.shared_styles), *own]

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        for parameter in self.param.objects("existing").values():
            if issubclass(
                parameter.owner, ScriptComponent
            ):  # param searches each new value for references otherwise
                parameter.allow_refs = False

    def _receive(self, data: Any) -> None:
        """Handle a message from the script. Anything may come: this method validates it."""

    def _send(self, data: dict[str, Any]) -> None:
        """Send a message to the script."""
        self._send_msg(data)

    def _handle_msg(self, data: Any) -> None:
        self._receive(data)

    @classmethod
    def _render_esm(cls, compiled: Any = True, server: bool = False) -> str:
        """Return the address of the script, or its text where no server is, as in a notebook.

        Panel would send the script alone, without what it imports.
        """
        if server or not isinstance(cls._bundle, Path):
            return str(super()._render_esm(compiled, server=server))
        return bundle_script(cls._bundle)

    def _process_bokeh_event(self, doc: Document, event: Event) -> None:
        """Handle an event without counting it for Panel's busy indicator, which the page does not
        show.
        """
        with set_curdoc(doc):
            self._process_event(event)

    # While a page loads, Panel loses what changes, because the browser has the page's parts
    # already. Events wait until it is loaded.

    def _process_event(self, event: Event) -> None:
        pn.state.onload(partial(super()._process_event, event))

    def _process_events(self, events: dict[str, Any]) -> None:
        pn.state.onload(partial(super()._process_events, events))

    def _get_model(
        self, doc: Document, root: Model | None = None, *args: Any, **kwargs: Any
    ) -> Model:
        """Register the model, which messages from the browser name."""
        model = super()._get_model(doc, root, *args, **kwargs)
        _components[model.data.id] = self
        if root is not None and CELL in root.tags:
            self.take_script(model, root)
        return model

    def take_script(self, model: Model, root: Model) -> None:
        """Have a model in a notebook's cell take its script from the libraries."""
        model.update(esm=TAKE.format(root.id, self.script), bundle=f"{root.id} {self.script}")

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        """Drop Panel's loading indicator, 270 bytes in each component, which no component shows."""
        properties: dict[str, Any] = super()._process_param_change(params)
        if "stylesheets" in properties:
            properties["stylesheets"] = [
                x for x in properties["stylesheets"] if ".pn-loading" not in str(x)
            ]
        return properties

    def _update_properties(self, *events: Any, doc: Any) -> dict[str, Any]:
        """Return the changed properties alone: Panel asks its theme for all styles again with each
        change.
        """
        if all(event.name != "stylesheets" for event in events):
            return self._process_param_change({event.name: event.new for event in events})
        return super()._update_properties(*events, doc=doc)

    def _param_change(self, *events: Any) -> None:
        """Within a hold, set the parameters of the subclass directly.

        Panel looks for child models, compares values repeatedly, and searches all held events with
        each change. What the browser sets at this moment is left to Panel, which returns none of
        it.
        """
        changes = {event.name: event.new for event in events}
        documents = [model.document for model, _ in self._models.values()]
        if not PARAMETERS_OF_ALL.isdisjoint(changes) or not all(map(self._can_set, documents)):
            super()._param_change(*events)
            return
        for ref, (model, _) in self._models.items():
            before = self._changing.get(ref, [])
            self._changing[ref] = list(changes)  # these are no changes by the browser
            try:
                model.data.update(**changes)
            finally:
                self._changing[ref] = before

    def _can_set(self, document: Document | None) -> bool:
        """Whether a document holds its changes and is the one whose event is handled."""
        held = (
            document is not None and document is pn.state.curdoc and document.callbacks.hold_value
        )
        return bool(held and not self._in_process__events.get(document))
