"""Generate random functions of the compiled subset, as text."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

REALS, WHOLES, TRUTHS = ("x", "y", "a", "b"), ("i", "j", "p", "q"), ("s",)
"""Names of each kind; the first two numbers are arguments, and all names always have a value."""

Draw = Callable[[st.SearchStrategy], str]


def _real(draw: Draw, deep: int) -> str:
    """An expression that is a real number."""
    if deep == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*REALS, "0.5", "-1.0", "2.0", "0.0", "1e-3"]))
    one = _real(draw, deep - 1)
    two = _real(draw, deep - 1)
    return draw(st.sampled_from([
        f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} / {two})", f"(-{one})", f"abs({one})",
        f"min({one}, {two})", f"max({one}, {two})", f"({one} if {_truth(draw, deep - 1)} else {two})",
        f"({one} and {two})", f"({one} or {two})", f"({one} * {_whole(draw, deep - 1)})",
        f"({_whole(draw, deep - 1)} - {one})", f"float({_whole(draw, deep - 1)})",
        f"({_whole(draw, deep - 1)} / {_whole(draw, deep - 1)})", f"f({one}, {two})",
        f"(0.5, {one}, {two})[{_whole(draw, deep - 1)} % 3]",
    ]))  # fmt: skip


def _whole(draw: Draw, deep: int) -> str:
    """An expression that is a whole number."""
    if deep == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from([*WHOLES, "0", "1", "-2", "3", "7"]))
    one = _whole(draw, deep - 1)
    two = _whole(draw, deep - 1)
    return draw(st.sampled_from([
        f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} // {two})", f"({one} % {two})",
        f"(-{one})", f"abs({one})", f"min({one}, {two})", f"({one} if {_truth(draw, deep - 1)} else {two})",
        f"({one} and {two})", f"({one} or {two})", f"({one} & {two})", f"({one} | {two})", f"({one} ^ {two})",
        f"int({_truth(draw, deep - 1)})", f"(~{one})", f"(3, -1, 4, 1)[{one} % 4 - 4]",
    ]))  # fmt: skip


def _truth(draw: Draw, deep: int) -> str:
    """An expression that is a truth value."""
    if deep == 0:
        return draw(st.sampled_from(["s", "(x < y)", "(i > 0)", "(a == b)", "True"]))
    kind = _real if draw(st.booleans()) else _whole
    one, two, three = (kind(draw, deep - 1) for _ in range(3))
    how, then = (draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="])) for _ in range(2))
    held = _truth(draw, deep - 1)
    also = _truth(draw, deep - 1)
    return draw(st.sampled_from([
        f"({one} {how} {two})", f"({one} {how} {two} {then} {three})", f"({held} and {also})", f"({held} or {also})",
        f"(not {held})", f"({held} ^ {also})", f"bool({one})", f"({held} if {also} else {one} {how} {two})",
    ]))  # fmt: skip


class _Writer:
    """One function; `depth` is how far statements may stand within one another."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.lines = list[str]()
        self.loops = 0

    def block(self, indent: str, depth: int, in_loop: bool) -> None:
        """One to three statements."""
        for _ in range(self.draw(st.integers(1, 3))):
            self.statement(indent, depth, in_loop)

    def statement(self, indent: str, depth: int, in_loop: bool) -> None:
        """One statement, with those within it."""
        kinds = (
            ["assign"] * 4
            + ["if", "while", "range", "tuple", "return"] * (depth > 0)
            + ["leave"] * in_loop
        )
        kind = self.draw(st.sampled_from(kinds))
        draw = self.draw
        if kind == "assign":
            self.lines.append(indent + self._assignment())
        elif kind == "leave":
            self.lines.append(
                f"{indent}if {_truth(draw, 1)}: {draw(st.sampled_from(['break', 'continue']))}"
            )
        elif kind == "return":
            self.lines.append(f"{indent}if {_truth(draw, 1)}: return {_returned(draw)}")
        elif kind == "if":
            self.lines.append(f"{indent}if {_truth(draw, 2)}:")
            self.block(indent + " ", depth - 1, in_loop)
            for head in draw(
                st.sampled_from(
                    [
                        [],
                        ["else:"],
                        [f"elif {_truth(draw, 1)}:"],
                        [f"elif {_truth(draw, 1)}:", "else:"],
                    ]
                )
            ):
                self.lines.append(indent + head)
                self.block(indent + " ", depth - 1, in_loop)
        else:
            self._loop(kind, indent, depth)

    def _assignment(self) -> str:
        draw = self.draw
        name = draw(st.sampled_from([*REALS, *WHOLES, *TRUTHS]))
        of_kind = _real if name in REALS else _whole if name in WHOLES else _truth
        if name in TRUTHS or draw(st.booleans()):
            return f"{name} = {of_kind(draw, 2)}"
        if draw(st.booleans()):
            return f"{name} {draw(st.sampled_from(['+', '-', '*']))}= {of_kind(draw, 1)}"
        group = REALS if name in REALS else WHOLES
        return f"{name}, {draw(st.sampled_from(group))} = {of_kind(draw, 1)}, {of_kind(draw, 1)}"

    def _loop(self, kind: str, indent: str, depth: int) -> None:
        draw = self.draw
        self.loops = self.loops + 1
        inside = indent + " "
        if kind == "while":
            counter = f"k{self.loops}"
            self.lines += [
                f"{indent}{counter} = 0",
                f"{indent}while {counter} < 4 and {_truth(draw, 1)}:",
                f"{inside}{counter} += 1",
            ]
        elif kind == "range":
            start = _whole(draw, 0)
            stop = draw(st.integers(-4, 5))
            name = draw(st.sampled_from(WHOLES))
            limits = draw(
                st.sampled_from(
                    [f"{start} % 4", f"{start} % 3, {stop}", f"{stop}, {start} % 5, -2", str(stop)]
                )
            )
            self.lines.append(f"{indent}for {name} in range({limits}):")
        else:
            self.lines.append(
                f"{indent}for {draw(st.sampled_from(['x, i', 'b, q']))} in ((1.0, 2), (y, j), (a, 3)):"
            )
        self.block(inside, depth - 1, True)
        if draw(st.integers(0, 3)) == 0:
            self.lines.append(f"{indent}else:")
            self.block(inside, depth - 1, False)


def _returned(draw: Draw) -> str:
    return f"{_real(draw, 1)}, y, a, {_whole(draw, 1)}, j, {_truth(draw, 1)}, p"


@st.composite
def programs(draw: Draw) -> str:
    """The text of a function of x, y, i and j."""
    writer = _Writer(draw)
    writer.block(" ", 2, False)
    head = [
        "def function(x, y, i, j):",
        " a, b, p, q, s = x, 0.25, i, -1, x < y",
        " f = lambda g, h: g * h + a",
    ]
    end = [" return x, y, f(a, b), i, j, s, p", ""]
    return "\n".join([*head, *writer.lines, *end])
