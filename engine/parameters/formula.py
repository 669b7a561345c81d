"""The formula language for torques, potentials and rates, such as ``2*cross(R[:, 2], e3) - 0.1*R@Omega``.

No part of a formula runs as Python. Each part becomes a function of the time, the attitude and the
angular velocity, built from the operators of `engine.algebra`, so that the compiler walks a formula
like any torque. Python's own `ast` would not do: there `^` binds more loosely than `+`, and a
syntax error does not say what is missing, and where.

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/" | "@") signed)*
    signed  = ("-" | "+")* power
    power   = part (("**" | "^") signed)?
    part    = number | name | function "(" sum ("," sum)* ")" | "(" sum ")" | vector,
              each with any of "[…]" and ".T"
    vector  = ("(" | "[") sum "," sum "," sum (")" | "]")
"""

from __future__ import annotations

import contextlib
import functools
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..algebra import Mat3, Vec3, cross, dot, norm
from ..text.formatting import quote

LONGEST = 500
"""Characters of a formula."""
DEEPEST = 40
"""Parts within one another; the compiler follows calls to 60."""
MOST = 150
"""Names, numbers and signs of a formula."""

Q = TypeVar("Q")
"""A number, a Vec3 or a Mat3."""
Of = Callable[[Any, Any, Any], Q]
"""A part's value for t, R and Ω; while a kernel is compiled, symbols stand in their place."""

TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([^\W\d]\w*)|(\*\*|[-+*/@^()\[\],:.]))"
)
KINDS = {
    "vector": ("vector", "a torque is a vector"),
    "number": ("number", "a potential is a number"),
    "rate": ("vector", "an angular velocity is a vector"),
}
"""The kinds of formulas: the kind of their values, and a clause that says so."""
ARTICLES = {"number": "a number", "vector": "a vector", "matrix": "a matrix"}


class NotAFormula(ValueError):
    """The error of an invalid formula; `at` is the position in the text, from 0.

    `whole` is whether the formula is wrong as a whole.
    """

    def __init__(self, words: str, at: int, whole: bool = False) -> None:
        super().__init__(words)
        self.at = at
        self.whole = whole


@dataclass(frozen=True)
class Part:
    """A part of a formula: its kind, its value, the names among t, R and Ω on which it depends, and
    its depth.

    `in_body` is whether it is a vector with Ω as it is in the body.
    """

    kind: str
    of: Of[Any]
    names: frozenset[str] = frozenset()
    depth: int = 1
    in_body: bool = False


@dataclass(frozen=True)
class Formula:
    """A parsed formula, which is called like a torque, a potential or a rate; formulas with the same
    text are equal.

    Attributes
    ----------
    text : the typed text.
    kind : "vector" for a torque, "number" for a potential, "rate" for an angular velocity.
    frame : of a torque's components, "space" or "body"; called, it returns those in space.
    """

    text: str
    kind: str = "vector"
    frame: str = "space"

    def __post_init__(self) -> None:
        if self.of_velocity and self.kind == "number":
            raise NotAFormula("a potential depends on R and t, not on Ω", 0)
        if self.kind == "rate" and (others := sorted(self._part.names - {"t"})):
            raise NotAFormula(f"a given rate depends on t alone, not on {others[0]}", 0)

    @property
    def _part(self) -> Part:
        return _parse(self.text, self.kind)

    @property
    def of_velocity(self) -> bool:
        """Whether it depends on the angular velocity."""
        return "Ω" in self._part.names

    @property
    def of_time(self) -> bool:
        """Whether it depends on the time itself."""
        return "t" in self._part.names

    @property
    def mixes_frames(self) -> bool:
        """Whether it adds Ω in the body to a torque in space."""
        return self.frame == "space" and self._part.in_body

    @functools.cached_property
    def py_func(self) -> Callable[..., Any]:
        """A function of t, the 3×3 array R and, if it depends on it, Omega; of a rate of t alone."""
        if self.kind == "rate":
            return _rate(self._part.of)
        if self.kind == "number":
            return _potential(self._part.of)
        of = self._part.of if self.frame == "space" else _turned(self._part.of)
        return _torque_of_velocity(of) if self.of_velocity else _torque(of)

    @functools.cached_property
    def body_func(self) -> Callable[..., Any] | None:
        """The same function with the components in the body, if they are given there."""
        if self.kind != "vector" or self.frame == "space":
            return None
        of = self._part.of
        return _torque_of_velocity(of) if self.of_velocity else _torque(of)

    def __call__(self, t: float, *motion: Any) -> Any:
        """Evaluate it in plain Python, for what its function takes."""
        return self.py_func(t, *motion)

    def __getstate__(self) -> dict[str, str]:
        """Pickle the text, which is parsed again."""
        return {"text": self.text, "kind": self.kind, "frame": self.frame}


@functools.lru_cache(maxsize=256)
def _parse(text: str, kind: str) -> Part:
    """Parse a text; cached, since every change of a problem makes it anew."""
    return _Reader(text).whole(kind)


def _matrix(R: Any) -> Mat3:
    return Mat3(R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2])


def _torque(of: Of[Vec3]) -> Callable[..., Any]:
    def torque(t: Any, R: Any) -> tuple[Any, Any, Any]:
        v = of(t, _matrix(R), None)
        return v.x, v.y, v.z

    return torque


def _torque_of_velocity(of: Of[Vec3]) -> Callable[..., Any]:
    def torque(t: Any, R: Any, Omega: Any) -> tuple[Any, Any, Any]:
        v = of(t, _matrix(R), Vec3(Omega[0], Omega[1], Omega[2]))
        return v.x, v.y, v.z

    return torque


def _rate(of: Of[Vec3]) -> Callable[..., Any]:
    def rate(t: Any) -> tuple[Any, Any, Any]:
        v = of(t, None, None)
        return v.x, v.y, v.z

    return rate


def _potential(of: Of[float]) -> Callable[..., Any]:
    def potential(t: Any, R: Any) -> Any:
        return of(t, _matrix(R), None)

    return potential


# -----------------------------------------------------------------------------------------------
# parts


def _the(value: Q) -> Of[Q]:
    return lambda t, R, Ω: value


def _vector(x: Of[float], y: Of[float], z: Of[float]) -> Of[Vec3]:
    return lambda t, R, Ω: Vec3(x(t, R, Ω), y(t, R, Ω), z(t, R, Ω))


def _in_turn(first: Of[Q], rest: tuple[tuple[Callable[[Q, Any], Q], Of[Any]], ...]) -> Of[Q]:
    """Operators from left to right, as in a − b + c."""

    def value(t: Any, R: Any, Ω: Any) -> Q:
        left = first(t, R, Ω)
        for joined, part in rest:
            left = joined(left, part(t, R, Ω))
        return left

    return value


def _turned(a: Of[Vec3]) -> Of[Vec3]:
    """A vector in the body, seen from space."""
    return lambda t, R, Ω: R @ a(t, R, Ω)


def _transposed(a: Of[Mat3]) -> Of[Mat3]:
    return lambda t, R, Ω: a(t, R, Ω).T


def _component(a: Of[Vec3] | Of[Mat3], i: int) -> Of[float]:
    return lambda t, R, Ω: tuple(a(t, R, Ω))[i]


def _column(a: Of[Mat3], i: int) -> Of[Vec3]:
    return lambda t, R, Ω: a(t, R, Ω) @ UNIT[i]


def _row(a: Of[Mat3], i: int) -> Of[Vec3]:
    return lambda t, R, Ω: a(t, R, Ω).T @ UNIT[i]


def _call(function: Callable[..., Q], *arguments: Of[Any]) -> Of[Q]:
    if len(arguments) == 1:
        (a,) = arguments
        return lambda t, R, Ω: function(a(t, R, Ω))
    a, b = arguments
    return lambda t, R, Ω: function(a(t, R, Ω), b(t, R, Ω))


UNIT = tuple(Vec3(*(float(i == j) for j in range(3))) for i in range(3))

NAMES = {
    "t": Part("number", lambda t, R, Ω: t, frozenset("t")),
    "R": Part("matrix", lambda t, R, Ω: R, frozenset("R")),
    "Omega": Part("vector", lambda t, R, Ω: Ω, frozenset("Ω"), in_body=True),
    "Ω": Part("vector", lambda t, R, Ω: Ω, frozenset("Ω"), in_body=True),
    "e1": Part("vector", _the(UNIT[0])),
    "e2": Part("vector", _the(UNIT[1])),
    "e3": Part("vector", _the(UNIT[2])),
    "pi": Part("number", _the(math.pi)),
}
"""The names in formulas."""

FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[str, ...], str]] = {
    **{
        name: (getattr(math, name), ("number",), "number")
        for name in (
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "exp",
            "log",
            "sqrt",
        )
    },
    "atan2": (math.atan2, ("number", "number"), "number"),
    "abs": (abs, ("number",), "number"),
    "min": (min, ("number", "number"), "number"),
    "max": (max, ("number", "number"), "number"),
    "dot": (dot, ("vector", "vector"), "number"),
    "norm": (norm, ("vector",), "number"),
    "cross": (cross, ("vector", "vector"), "vector"),
}
"""The functions in formulas, with the kinds of their arguments and of their value."""


MEANINGS = {
    "t": "the time",
    "R": "the attitude, a matrix; R@v turns v from the body into space",
    "Omega": "the angular velocity in the body; in space it is R@Omega",
    "e1": "the vector (1, 0, 0); R@e1 is the body's first axis in space",
    "e2": "the vector (0, 1, 0); R@e2 is the body's second axis in space",
    "e3": "the vector (0, 0, 1); R@e3 is the body's third axis in space",
    "pi": "the number 3.14159…",
    "sin": "the sine of an angle in radians",
    "cos": "the cosine of an angle in radians",
    "tan": "the tangent of an angle in radians",
    "asin": "the angle with this sine",
    "acos": "the angle with this cosine",
    "atan": "the angle with this tangent",
    "atan2": "atan2(y, x), the angle of a point in the plane",
    "sinh": "the hyperbolic sine",
    "cosh": "the hyperbolic cosine",
    "tanh": "the hyperbolic tangent",
    "exp": "the exponential of a number",
    "log": "the natural logarithm",
    "sqrt": "the square root",
    "abs": "the absolute value",
    "min": "min(a, b), the smaller number",
    "max": "max(a, b), the larger number",
    "dot": "dot(u, v), the scalar product of two vectors",
    "norm": "norm(v), the length of a vector",
    "cross": "cross(u, v), the vector product",
    "[": "Places count from 0: Omega[0], R[0,2]; R[:,2] is the body's third axis in space.",
}
"""What names, functions and places mean, for people who type a formula."""


OPERATIONS: dict[tuple[str, str, str], tuple[Callable[[Any, Any], Any], str]] = {
    **{("+", kind, kind): (operator.add, kind) for kind in ARTICLES},
    **{("-", kind, kind): (operator.sub, kind) for kind in ARTICLES},
    **{("*", "number", kind): (operator.mul, kind) for kind in ARTICLES},
    ("*", "vector", "number"): (operator.mul, "vector"),
    ("*", "matrix", "number"): (operator.mul, "matrix"),
    ("/", "number", "number"): (operator.truediv, "number"),
    ("/", "vector", "number"): (operator.truediv, "vector"),
    ("@", "matrix", "vector"): (operator.matmul, "vector"),
    ("@", "matrix", "matrix"): (operator.matmul, "matrix"),
    ("@", "vector", "vector"): (dot, "number"),
    ("**", "number", "number"): (operator.pow, "number"),
}
"""The function of an operator on two kinds, and the kind of its value."""


# -----------------------------------------------------------------------------------------------
# reading


def find_error(text: str, kind: str = "vector") -> tuple[str, int, int] | None:
    """The reason why a text is no formula, and where the wrong part of it begins and ends; None if
    it is one.

    Where something is missing at the end, the part is empty.
    """
    try:
        Formula(text, kind)
    except NotAFormula as refused:
        if refused.whole:
            return str(refused), 0, len(text)
        found = TOKEN.match(text, refused.at)
        end = found.end() if found else min(refused.at + 1, len(text))
        return str(refused), refused.at, end
    return None


class _Reader:
    """A recursive-descent parser for one formula."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise NotAFormula(
                f"a formula has at most {LONGEST} characters; this has {len(text)}", LONGEST
            )
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        at = 0
        while text[at:].strip():
            found = TOKEN.match(text, at)
            if found is None:
                at += len(text[at:]) - len(text[at:].lstrip())
                raise NotAFormula(f"{quote(text[at])} has no meaning in a formula", at)
            kind = ("number", "name", "sign")[(found.lastindex or 1) - 1]
            self.tokens.append(
                (kind, found[found.lastindex or 1], found.start(found.lastindex or 1))
            )
            at = found.end()
            if len(self.tokens) > MOST:
                raise NotAFormula(f"a formula has at most {MOST} names, numbers and signs", at)
        self.tokens.append(("end", "", len(text)))
        self.next = 0
        self.depth = 0

    # ------------------------------------------------------------------ tokens

    @property
    def sign(self) -> str:
        """The next sign; empty if the next token is none."""
        kind, text, _ = self.tokens[self.next]
        return text if kind == "sign" else ""

    @property
    def at(self) -> int:
        """The position of the next token."""
        return self.tokens[self.next][2]

    def take(self) -> str:
        """Take the next token."""
        self.next += 1
        return self.tokens[self.next - 1][1]

    def need(self, sign: str) -> None:
        """Take a required sign."""
        if self.sign != sign:
            kind, text, at = self.tokens[self.next]
            raise NotAFormula(
                f"{sign} is missing "
                + ("at the end" if kind == "end" else f"before {quote(text)}"),
                at,
            )
        self.take()

    # ------------------------------------------------------------------ the grammar

    def whole(self, kind: str) -> Part:
        """Parse the formula, which must be of this kind."""
        if len(self.tokens) == 1:
            raise NotAFormula("there is no formula", 0)
        part = self.sum()
        if self.tokens[self.next][0] != "end":
            raise NotAFormula(f"{quote(self.tokens[self.next][1])} is not expected here", self.at)
        value, what = KINDS[kind]
        if part.kind != value:
            raise NotAFormula(f"{what}, and this is {ARTICLES[part.kind]}", 0, whole=True)
        return part

    def sum(self) -> Part:
        """Parse a sum."""
        return self.in_turn(("+", "-"), self.product)

    def product(self) -> Part:
        """Parse a product."""
        return self.in_turn(("*", "/", "@"), self.signed)

    def in_turn(self, signs: tuple[str, ...], read: Callable[[], Part]) -> Part:
        """Parse parts with operators between them."""
        parts = [read()]
        rest = []
        at = self.at
        kind = parts[0].kind
        while self.sign in signs:
            at = self.at
            sign = self.take()
            parts.append(read())
            joined, kind = self.operation(sign, kind, parts[-1].kind, at)
            rest.append((joined, parts[-1].of))
        return _combine(kind, _in_turn(parts[0].of, tuple(rest)), parts, at) if rest else parts[0]

    def signed(self) -> Part:
        """Parse a power with its sign."""
        minus = False
        at = self.at
        while self.sign in ("+", "-"):
            minus ^= self.take() == "-"
        part = self.power()
        return _combine(part.kind, _call(operator.neg, part.of), [part], at) if minus else part

    def power(self) -> Part:
        """Parse a part with its exponent, if there is one."""
        part = self.part()
        if self.sign not in ("**", "^"):
            return part
        at = self.at
        self.take()
        with self.deeper(at):
            exponent = self.signed()
        joined, kind = self.operation("**", part.kind, exponent.kind, at)
        return _combine(kind, _call(joined, part.of, exponent.of), [part, exponent], at)

    def part(self) -> Part:
        """Parse a number, a name, a call, a vector or brackets."""
        kind, text, at = self.tokens[self.next]
        if kind == "end":
            raise NotAFormula("something is missing at the end", at)
        if kind == "number":
            self.take()
            part = Part("number", _the(float(text)))
        elif kind == "name":
            part = self.name_or_call()
        elif text in ("(", "["):
            part = self.brackets()
        else:
            raise NotAFormula(f"{quote(text)} is not expected here", at)
        while self.sign in ("[", "."):
            part = self.subscript(part)
        return part

    @contextlib.contextmanager
    def deeper(self, at: int) -> Iterator[None]:
        """Count a level of nesting."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise _too_deep(at)
        yield
        self.depth -= 1

    def name_or_call(self) -> Part:
        """Parse a name, or a function and its arguments."""
        at = self.at
        name = self.take()
        if self.sign != "(":
            if name in FUNCTIONS:
                raise NotAFormula(f"{name} needs what it is taken of, in brackets", at)
            if name not in NAMES:
                raise NotAFormula(f"{quote(name)} is not known; there are {', '.join(NAMES)}", at)
            return NAMES[name]
        if name not in FUNCTIONS:
            raise NotAFormula(
                f"there is no function {quote(name)}; there are {', '.join(FUNCTIONS)}", at
            )
        function, takes, gives = FUNCTIONS[name]
        self.take()
        arguments = self.arguments(")", at)
        if tuple(argument.kind for argument in arguments) != takes:
            needs = " and ".join(ARTICLES[kind] for kind in takes)
            got = ", ".join(ARTICLES[argument.kind] for argument in arguments)
            raise NotAFormula(f"{name} takes {needs}, and not {got}", at)
        return _combine(
            gives, _call(function, *(argument.of for argument in arguments)), arguments, at
        )

    def arguments(self, closing: str, at: int) -> list[Part]:
        """Parse parts separated by commas, up to the closing bracket."""
        with self.deeper(at):
            parts = [self.sum()]
            while self.sign == ",":
                self.take()
                parts.append(self.sum())
        self.need(closing)
        return parts

    def brackets(self) -> Part:
        """Parse brackets, or a vector of three numbers."""
        at = self.at
        closing = {"(": ")", "[": "]"}[self.take()]
        parts = self.arguments(closing, at)
        if closing == ")" and len(parts) == 1:
            return parts[0]
        if [part.kind for part in parts] != ["number"] * 3:
            raise NotAFormula("a vector is three numbers, as in (0, 0, 1)", at)
        return _combine("vector", _vector(*(part.of for part in parts)), parts, at)

    def subscript(self, part: Part) -> Part:
        """Parse a component, a row, a column or `.T`."""
        at = self.at
        if self.take() == ".":
            name = self.take()
            if name != "T" or part.kind != "matrix":
                raise NotAFormula(f"{ARTICLES[part.kind]} has no .{name}", at)
            return _combine("matrix", _transposed(part.of), [part], at)
        places = [self.place()]
        while self.sign == ",":
            self.take()
            places.append(self.place())
        self.need("]")
        match part.kind, places:
            case "vector", [int(i)]:
                return _combine("number", _component(part.of, i), [part], at)
            case "matrix", [int(i), int(j)]:
                return _combine("number", _component(part.of, 3 * i + j), [part], at)
            case "matrix", [None, int(j)]:
                return _combine("vector", _column(part.of, j), [part], at)
            case "matrix", [int(i)] | [int(i), None]:
                return _combine("vector", _row(part.of, i), [part], at)
        raise NotAFormula(
            "places are those of v[0], R[0, 2], the column R[:, 2] and the row R[2]", at
        )

    def place(self) -> int | None:
        """Parse an index, 0 to 2 or −3 to −1 from the end; None for `:`."""
        if self.sign == ":":
            self.take()
            return None
        at = self.at
        minus = False
        if self.sign == "-":
            self.take()
            minus = True
        kind, text, _ = self.tokens[self.next]
        if (
            kind != "number"
            or not text.isdigit()
            or not -3 <= (-int(text) if minus else int(text)) < 3
        ):
            raise NotAFormula("a place is 0, 1 or 2", at)
        self.take()
        return (-int(text) if minus else int(text)) % 3

    def operation(
        self, sign: str, a: str, b: str, at: int
    ) -> tuple[Callable[[Any, Any], Any], str]:
        """Return the function of an operator on two kinds, and the kind of its value."""
        found = OPERATIONS.get((sign, a, b))
        if found is None:
            instead = (
                "; a product of vectors is dot or cross"
                if sign == "*" and a == b == "vector"
                else ""
            )
            instead = "; a matrix is applied by @" if sign == "*" and a == "matrix" else instead
            raise NotAFormula(f"{ARTICLES[a]} {sign} {ARTICLES[b]} has no meaning{instead}", at)
        return found


def _too_deep(at: int) -> NotAFormula:
    return NotAFormula(f"more than {DEEPEST} parts are within one another", at)


def _combine(kind: str, of: Of[Any], parts: Sequence[Part], at: int) -> Part:
    """Combine parts; a constant is evaluated at once."""
    names = frozenset[str]().union(*(part.names for part in parts))
    depth = 1 + max(part.depth for part in parts)
    if names:
        if depth > DEEPEST:
            raise _too_deep(at)
        turned = any(part.kind == "matrix" for part in parts)
        in_body = kind == "vector" and not turned and any(part.in_body for part in parts)
        return Part(kind, of, names, depth, in_body)
    try:
        value = of(0.0, None, None)
        numbers = [value] if kind == "number" else list(value)
        if not all(math.isfinite(x) for x in numbers):
            raise OverflowError
    except (ArithmeticError, ValueError, TypeError):  # math's functions, a complex power
        raise NotAFormula("this has no finite value", at) from None
    return Part(kind, _the(value))
