"""What browsers are given besides Panel's own files: scripts and styles, each by itself or several as one text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path

ASSETS = Path(__file__).resolve().parents[1] / "assets"
"""Beside `app`, in the sources as where it is installed."""

_STYLES = ASSETS / "styles"
_PAGES = Path(__file__).resolve().parent


def fetched(name: str) -> Path:
    """A style of many components, which the browser fetches once for all of them and keeps."""
    return _STYLES / f"{name}.css"


@cache
def rules(*names: str) -> str:
    """Styles of a few components, which these carry along: nothing is fetched for them."""
    texts = ((_STYLES / f"{name}.css").read_text(encoding="utf-8") for name in names)
    return re.sub(r"/\*.*?(?:\*/\n?|\Z)", "", "".join(texts), flags=re.DOTALL)


_IMPORT = re.compile(r'^import \{(.*)\} from "\./([\w-]+\.js)";$', re.MULTILINE)
_LATER = re.compile(r'import\("\./([\w-]+\.js)"\)')
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b\*? ?(\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"^export default .*;\n", re.MULTILINE)


@cache
def joined(script: Path, later: bool = True) -> str:
    """A script and what it imports from beside it as one text, for where no server has the others.

    What a module does not export stays its own. Without `later` it has only what it imports at once.
    """

    def module(name: str) -> str:
        text = _DEFAULT.sub("", joined(script.with_name(name), later))
        exported = ", ".join(found[1] for found in _EXPORT.finditer(text))
        return f"(() => {{\n{_EXPORT.sub('', text)}return {{{exported}}};\n}})()"

    text = script.read_text(encoding="utf-8")
    text = _IMPORT.sub(lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = {module(found[2])};", text)
    return _LATER.sub(lambda found: module(found[1]), text) if later else text


_UNREAD = re.compile(r"^[ \t]++|^[ \t]*+(?://.*|/\*\*.*\*/)\n", re.MULTILINE)
_REMARK = re.compile(r"(?<=[;,{}]) ++// ")


def slim(script: str) -> str:
    """A script without its indents and nearly all of its comments, of which those who only run it have no need."""
    return "\n".join(map(_without_remark, _UNREAD.sub("", _UNREAD.sub("", script)).split("\n")))


def _without_remark(line: str) -> str:
    """A line without the comment behind it; where a quote follows, it may be part of a text."""
    found = _REMARK.search(line, max(map(line.rfind, "\"'`")) + 1)
    return line[: found.start()] if found else line


def alone(name: str, title: str, allowed: str = "", **texts: str) -> str:
    """A page that no server makes: `name`.html filled in. `allowed` is what it may load, in the words of a policy."""
    page, head = ((_PAGES / f"{each}.html").read_text(encoding="utf-8") for each in (name, "head"))
    return filled(page, {"HEAD": head, "TITLE": escape(title), "ALLOWED": allowed} | texts)


def filled(page: str, texts: Mapping[str, str]) -> str:
    """A page with texts in place of the comments that name them."""
    for name, text in texts.items():
        page = page.replace(f"<!--{name}-->", text)
    return page
