"""Python code as HTML with highlighted syntax."""

from __future__ import annotations

import io
import keyword
import token
import tokenize
from collections.abc import Iterator, Sequence
from html import escape


def highlight_code(code: str) -> str:
    """Return Python as HTML with highlighted syntax."""
    return "".join(
        f"<i class={kind}>{escape(text)}</i>" if kind else escape(text)
        for kind, text in split_code(code)
    )


def split_code(code: str) -> Iterator[tuple[str, str]]:
    """Yield pieces of code with their CSS classes: k, c, n, s, d for a definition, or none."""
    lines = code.splitlines(keepends=True)
    row = 1
    column = 0
    defines = False
    for piece in tokenize.generate_tokens(io.StringIO(code).readline):
        if piece.type in (token.NEWLINE, token.NL, token.INDENT, token.DEDENT, token.ENDMARKER):
            continue
        yield "", between(lines, (row, column), piece.start)
        yield kind_of(piece, defines), piece.string
        defines = piece.string in ("def", "class")
        row, column = piece.end
    yield "", between(lines, (row, column), (len(lines) + 1, 0))


def between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return the text between two positions, each a line and a column."""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    last = lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""
    return "".join([lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1], last])


def kind_of(piece: tokenize.TokenInfo, defined: bool) -> str:
    """Return the CSS class of a token."""
    if piece.type == token.NAME:
        return "d" if defined else "k" if keyword.iskeyword(piece.string) else ""
    return {token.COMMENT: "c", token.NUMBER: "n", token.STRING: "s"}.get(piece.type, "")
