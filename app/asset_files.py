"""Scripts, styles and page templates that browsers load besides Panel's own files."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from engine.algorithms import use_short_names
from engine.text.formatting import (
    capitalise,
    format_powers,
    format_seconds,
    format_signs,
    format_step,
    show,
)

ASSETS = Path(__file__).resolve().parents[1] / "assets"
"""Beside `app`, in the sources and where the package is installed."""
SCRIPTS = ASSETS / "js"
SHARED = SCRIPTS / "core"
"""Scripts that many others import: browsers fetch each once."""

_STYLES = ASSETS / "styles"
_PAGES = ASSETS / "html"


def style_file(name: str) -> Path:
    """A style of many components, which the browser fetches once for all of them and keeps."""
    return _STYLES / f"{name}.css"


@cache
def read_styles(*names: str) -> str:
    """Styles of a few components, which these carry along, without comments and indents: nothing is
    fetched for them.
    """
    texts = ((_STYLES / f"{name}.css").read_text(encoding="utf-8") for name in names)
    plain = re.sub(r"/\*.*?(?:\*/\n?|\Z)", "", "".join(texts), flags=re.DOTALL)
    return re.sub(r"\n\s+", "\n", plain)


_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w/-]+\.js)";$', re.MULTILINE)
_LAZY_IMPORT = re.compile(r'import\("(\.{1,2}/[\w/-]+\.js)"\)')
_EXPORT = re.compile(
    r"^export (?=(?:async )?(?:function|class|const|let)\b\*? ?(\w+))", re.MULTILINE
)
_DEFAULT = re.compile(r"^export default .*;\n", re.MULTILINE)


@cache
def find_imports(script: Path) -> tuple[Path, ...]:
    """The scripts that a script imports, directly or through others; each follows those that it
    imports itself.
    """
    found: dict[Path, None] = {}
    for _, address in _IMPORT.findall(script.read_text(encoding="utf-8")):
        path = (script.parent / address).resolve()
        found |= dict.fromkeys((*find_imports(path), path))
    return tuple(found)


def list_shared_imports(scripts: Iterable[Path]) -> list[str]:
    """What scripts import from `SHARED`, as addresses below that of `ASSETS`."""
    found = {path for script in scripts for path in find_imports(script)}
    return sorted(path.relative_to(ASSETS).as_posix() for path in found if path.parent == SHARED)


@cache
def bundle_script(
    script: Path,
    lazy: bool = True,
    shared: Path | None = None,
    *,
    named: bool = False,
    first: Path | None = None,
) -> str:
    """A script and all that it imports as one text.

    Each module runs once, and only what it exports is visible to the others. Without `lazy`, the
    text leaves out the scripts that `import()` fetches while the page runs. Scripts in the folder
    `shared` are not joined but imported. A `named` script and its imports are constants for the
    scripts that follow on a page; these leave out that script, which is their `first` one.
    """
    modules = dict.fromkeys((*find_imports(first), first), "") if first else {}

    def name_module(path: Path) -> str:
        return f"${path.stem.replace('-', '_')}"

    def add(path: Path) -> str:
        """The text of a script, after the modules that it imports have been added to `modules`."""

        def replace_import(found: re.Match[str]) -> str:
            module = (path.parent / found[2]).resolve()
            name = name_module(module)
            if module not in modules and module.parent == shared:
                address = os.path.relpath(module, script.parent).replace(os.sep, "/")
                modules[module] = (
                    f'import * as {name} from "{"" if address.startswith(".") else "./"}{address}";\n'
                )
            elif module not in modules:
                text = wrap_module(module)
                modules[module] = f"const {name} = {text};\n"
            return f"const {{{found[1].replace(' as ', ': ')}}} = {name};"

        text = _IMPORT.sub(replace_import, path.read_text(encoding="utf-8"))
        if not lazy:
            return text
        return _LAZY_IMPORT.sub(
            lambda found: f"Promise.resolve({wrap_module((path.parent / found[1]).resolve())})",
            text,
        )

    def wrap_module(path: Path) -> str:
        text = _DEFAULT.sub("", add(path))
        exported = ", ".join(found[1] for found in _EXPORT.finditer(text))
        return f"(() => {{\n{_EXPORT.sub('', text)}return {{{exported}}};\n}})()"

    text = f"const {name_module(script)} = {wrap_module(script)};\n" if named else add(script)
    return "".join(modules.values()) + text


def call_script(script: Path, call: str) -> str:
    """The body of a function that returns a call of what a script exports, for models of Bokeh; it
    contains the script and all that it imports.
    """
    return f"{strip_comments(_EXPORT.sub('', bundle_script(script)))}return {call};"


@cache
def served_script(path: Path) -> bytes:
    """A script as a server sends it: with the modules that only few scripts import, and without
    comments.
    """
    return strip_comments(bundle_script(path, lazy=False, shared=SHARED)).encode()


_UNREAD = re.compile(r"^[ \t]++|^[ \t]*+(?://.*|/\*\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)\n", re.MULTILINE)
_REMARK = re.compile(r"(?<=[;,{}]) ++// ")
_SPACED = re.compile(r" ?(=>|[=!]==?|&&|\|\||[<>]=?|[,:?{}()*;=]) ?")


def strip_comments(script: str) -> str:
    """A script without indents, empty lines, most line breaks, spaces and comments, of which those
    who only run it have no need.
    """
    lines = map(_without_remark, _UNREAD.sub("", _UNREAD.sub("", script)).split("\n"))
    return "".join(_end_lines(filter(None, lines)))


def _end_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines without spaces around signs, where no text or expression has any, and with the
    line breaks that they need: in texts, behind remarks, and where a statement may end.
    """
    in_text = False
    for line in lines:
        if not in_text and not re.search("['`/\\\\]", line) and line.count('"') % 2 == 0:
            pieces = enumerate(line.split('"'))
            line = '"'.join(one if k % 2 else _SPACED.sub(r"\1", one) for k, one in pieces)
        in_text ^= line.count("`") % 2 == 1
        joins = line.endswith((",", ";", "{", "(", "[")) and not in_text and "//" not in line
        yield line if joins else f"{line}\n"


def _without_remark(line: str) -> str:
    """A line without the comment behind it; where a quote follows, it may be part of a text."""
    found = _REMARK.search(line, max(map(line.rfind, "\"'`")) + 1)
    return line[: found.start()] if found else line


def read_html(name: str, **texts: str) -> str:
    """A page or a part of a page, filled in."""
    return fill_page(_read_page(name), texts)


@cache
def _read_page(name: str) -> str:
    return (_PAGES / f"{name}.html").read_text(encoding="utf-8")


def render_template(name: str, **values: Any) -> str:
    """A part of a page that Jinja makes from values; it escapes all texts but those marked as
    `safe`.
    """
    return _find_templates().get_template(f"{name}.jinja").render(values)


@cache
def _find_templates() -> jinja2.Environment:
    """The templates, in which the functions that format numbers and texts are filters."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGES, encoding="utf-8"),
        autoescape=True,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    formats = (
        capitalise, format_powers, format_seconds, format_signs, format_step, make_anchor, mark_breaks, show,
        use_short_names,
    )  # fmt: skip
    found.filters |= {function.__name__: function for function in formats}
    return found


def make_anchor(title: str) -> str:
    """The identifier of a heading: its letters and digits with hyphens between words."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall("[a-z0-9]+", plain))


_LONG_WORD = re.compile(r"\S{12,}")
_BREAK = re.compile(r"(?<=_)(?=.)|(?<=[a-z]{3})(?=[A-Z])")


def mark_breaks(text: str) -> Markup:
    """A text whose long words may break after an underscore and before a capital within them, as names in
    code have them.
    """
    marked = _LONG_WORD.sub(lambda word: _BREAK.sub("\0", word[0]), text)
    return Markup("<wbr>").join(marked.split("\0"))


def render_page(name: str, title: str, allowed: str = "", **texts: str) -> str:
    """A page that no server makes: `name`.html filled in. `allowed` is what it may load, in the
    words of a policy.
    """
    return read_html(
        name, **{"HEAD": read_html("head"), "TITLE": escape(title), "ALLOWED": allowed} | texts
    )


def fill_page(page: str, texts: Mapping[str, str]) -> str:
    """A page with texts in place of the comments that name them."""
    for name, text in texts.items():
        page = page.replace(f"<!--{name}-->", text)
    return page
