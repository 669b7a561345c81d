"""NumPy's small arrays in compiled code: the vectors and matrices of torques, number by number."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..dual import Dual
from ..series import Series
from .items import get_item
from .record import Record
from .refusal import NotCompiled
from .symbols import Content, Symbol, is_number
from .writer import KIND_WORDS, describe_kind

MOST = 64
"""The most numbers of an array; each has a register."""
Call = Callable[[Any, Sequence[Any], dict[str, Any]], Any]
"""Compiles a call of a function with arguments and named arguments."""


class Array(Record):
    """A vector or a matrix.

    Attributes
    ----------
    rows : its numbers, or a tuple of numbers for each row.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: tuple[Any, ...]) -> None:
        self.rows = rows

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows and, of a matrix, of columns."""
        return _shape(self.rows)

    @property
    def ndim(self) -> int:
        """1 for a vector, 2 for a matrix."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    @property
    def T(self) -> Array:
        """The transposed array; a vector is its own."""
        return transpose(self)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        return (_wrap(row) for row in self.rows)

    def __getitem__(self, at: Any) -> Content:
        return _wrap(_pick(self.rows, at if isinstance(at, tuple) else (at,)))

    def replaced(self, at: Any, value: Any) -> Array:
        """Return the array with other numbers at an index."""
        if all(isinstance(number, int) for number in _numbers(self.rows)):
            raise NotCompiled("an array of whole numbers cannot be changed; write 0.0 for 0")
        index = at if isinstance(at, tuple) else (at,)
        return Array(_with(self.rows, index, value.rows if isinstance(value, Array) else value))

    def __neg__(self) -> Array:
        return Array(_map(operator.neg, self.rows))

    def __pos__(self) -> Array:
        return self

    def __abs__(self) -> Array:
        return Array(_map(abs, self.rows))

    def __matmul__(self, other: Any) -> Content:
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Content:
        return matmul(other, self)

    def dot(self, other: Any) -> Content:
        """The same as `numpy.dot`."""
        return dot(self, other)

    def sum(self) -> Content:
        """The sum of all numbers."""
        return _sum(_numbers(self.rows))

    def trace(self) -> Content:
        """The sum of the diagonal."""
        return _sum([self.rows[i][i] for i in range(min(self.shape))])

    def copy(self) -> Array:
        """A copy, which may change."""
        return Array(self.rows)

    def transpose(self) -> Array:
        """The transposed array."""
        return transpose(self)


KIND_WORDS[Array] = "NumPy array"
KIND_WORDS[Series] = "Taylor series"


def _operator(does: Callable[[Any, Any], Any], swapped: bool) -> Callable[[Array, Any], Any]:
    def operate(self: Array, other: Any) -> Content:
        if not (is_number(other) or isinstance(other, Array | Dual | Series | tuple | list)):
            return NotImplemented
        pair = (other, self) if swapped else (self, other)
        return elementwise(does, *pair)

    return operate


for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Array, f"__{_name}__", _operator(getattr(operator, _name), swapped=False))
    setattr(Array, f"__r{_name}__", _operator(getattr(operator, _name), swapped=True))


# -------------------------------------------------------------------------------------------------
# numbers within numbers


def _wrap(rows: Any) -> Content:
    return Array(rows) if isinstance(rows, tuple) else rows


def _rows(value: Any) -> Any:
    """Return the numbers of anything that NumPy takes for an array."""
    if isinstance(value, Array):
        return value.rows
    if isinstance(value, tuple | list):
        rows = tuple(map(_rows, value))
        if len({_shape(row) for row in rows}) > 1:
            raise NotCompiled("the rows of an array have the same length")
        return rows
    if is_number(value) or isinstance(value, Dual | Series):
        return value
    raise NotCompiled(
        f"NumPy's functions take numbers and arrays in compiled code, not a {describe_kind(value)}"
    )


def _shape(rows: Any) -> tuple[int, ...]:
    if not isinstance(rows, tuple):
        return ()
    return (len(rows), *(_shape(rows[0]) if rows else ()))


def _numbers(rows: Any) -> list[Any]:
    return [x for row in rows for x in _numbers(row)] if isinstance(rows, tuple) else [rows]


def _map(does: Callable[[Any], Any], rows: Any) -> Any:
    return tuple(_map(does, row) for row in rows) if isinstance(rows, tuple) else does(rows)


def _sum(numbers: Sequence[Any]) -> Content:
    total = numbers[0] if numbers else 0.0
    for number in numbers[1:]:
        total = total + number
    return total


def elementwise(does: Callable[[Any, Any], Any], a: Any, b: Any) -> Content:
    """Apply a function of two numbers to two arrays, by NumPy's rules of broadcasting."""
    return _wrap(_broadcast(does, _rows(a), _rows(b)))


def _broadcast(does: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    depth = len(_shape(a)), len(_shape(b))
    if depth == (0, 0):
        return does(a, b)
    if depth[0] < depth[1]:
        return tuple(_broadcast(does, a, row) for row in b)
    if depth[0] > depth[1]:
        return tuple(_broadcast(does, row, b) for row in a)
    longest = len(b) if len(a) == 1 else len(a)
    if {len(a), len(b)} - {1, longest}:
        raise NotCompiled(f"arrays of {len(a)} and {len(b)} numbers do not fit")
    left = a * longest if len(a) == 1 else a
    right = b * longest if len(b) == 1 else b
    return tuple(_broadcast(does, x, y) for x, y in zip(left, right, strict=True))


def _pick(rows: Any, index: tuple[Any, ...]) -> Any:
    """Return the numbers at an index: for each axis a place or a slice."""
    if not index:
        return rows
    if not isinstance(rows, tuple):
        raise NotCompiled("the index of an array has more places than the array has axes")
    at, *rest = index
    if isinstance(at, slice):
        return tuple(_pick(row, tuple(rest)) for row in rows[_check_slice(at)])
    if isinstance(at, Symbol | int) and not isinstance(at, bool):
        return _pick(get_item(rows, at), tuple(rest))
    raise NotCompiled("an index of an array is made of whole numbers and slices in compiled code")


def _check_slice(at: slice) -> slice:
    if any(isinstance(bound, Symbol) for bound in (at.start, at.stop, at.step)):
        raise NotCompiled("the bounds of a slice of an array must be known while compiling")
    return at


def _with(rows: Any, index: tuple[Any, ...], value: Any) -> Any:
    """Return numbers with those at an index replaced."""
    if not index:
        return _broadcast(lambda _, new: new, rows, value)
    if not isinstance(rows, tuple):
        raise NotCompiled("the index of an array has more places than the array has axes")
    at = index[0]
    rest = index[1:]
    if isinstance(at, slice):
        places = range(len(rows))[_check_slice(at)]
        values = value if len(_shape(value)) == len(_shape(_pick(rows, index))) else None
        changed = list(rows)
        if values is None or len(values) == 1:
            values = (value if values is None else value[0],) * len(places)
        if len(values) != len(places):
            raise NotCompiled(f"{len(values)} numbers cannot replace {len(places)}")
        for place, one in zip(places, values, strict=True):
            changed[place] = _with(rows[place], rest, one)
        return tuple(changed)
    if isinstance(at, Symbol):
        get_item(rows, at)  # which notes a place beyond the ends
        writer = at.writer
        backwards = writer.comparison("lt", at, 0)
        place = writer.select(backwards, writer.arithmetic("add", at, len(rows)), at)
        return tuple(
            _map_pairs(place == i, _with(row, rest, value), row) for i, row in enumerate(rows)
        )
    place = range(len(rows))[at]
    return (*rows[:place], _with(rows[place], rest, value), *rows[place + 1 :])


def _map_pairs(here: Any, new: Any, old: Any) -> Any:
    return _broadcast(lambda x, y: here.writer.select(here, x, y), new, old)


# -------------------------------------------------------------------------------------------------
# functions of NumPy


def as_array(value: Any, *kind: Any) -> Content:
    """The same as `numpy.asarray`."""
    return value if isinstance(value, Array) else make_array(value, *kind)


def make_array(value: Any, kind: Any = None) -> Content:
    """The same as `numpy.array`."""
    rows = _rows(value)
    if len(_numbers(rows)) > MOST:
        raise NotCompiled(f"an array of more than {MOST} numbers cannot be compiled")
    if kind not in (None, float, np.float64):
        raise NotCompiled("an array of other numbers than real ones cannot be compiled")
    if kind is not None:
        rows = _map(lambda x: float(x) if isinstance(x, int) else x, rows)
    return _wrap(rows)


def make_filled(number: float) -> Callable[..., Content]:
    """The same as `numpy.zeros` and `numpy.ones`."""

    def fill(shape: Any, kind: Any = float) -> Content:
        sizes = shape if isinstance(shape, tuple) else (shape,)
        if not all(type(n) is int for n in sizes) or not 0 < math.prod(sizes) <= MOST:
            raise NotCompiled(f"an array has up to {MOST} numbers, known while compiling")
        rows: Any = number
        for n in reversed(sizes):
            rows = (rows,) * n
        return make_array(rows, kind)

    return fill


def identity(n: int) -> Array:
    """The same as `numpy.eye`."""
    return Array(tuple(tuple(float(i == j) for j in range(n)) for i in range(n)))


def diagonal(value: Any) -> Array:
    """The same as `numpy.diag`."""
    rows = _rows(value)
    if len(_shape(rows)) == 2:
        return Array(tuple(rows[i][i] for i in range(min(_shape(rows)))))
    return Array(
        tuple(tuple(x if i == j else 0.0 for j in range(len(rows))) for i, x in enumerate(rows))
    )


def transpose(value: Any) -> Array:
    """The same as `numpy.transpose`."""
    rows = _rows(value)
    return Array(tuple(zip(*rows, strict=True)) if len(_shape(rows)) == 2 else rows)


def dot(a: Any, b: Any) -> Content:
    """The same as `numpy.dot`."""
    return (
        elementwise(operator.mul, a, b)
        if not (_shape(_rows(a)) and _shape(_rows(b)))
        else matmul(a, b)
    )


def matmul(a: Any, b: Any) -> Content:
    """The same as `numpy.matmul`."""
    left, right = _rows(a), _rows(b)
    depth = len(_shape(left)), len(_shape(right))
    if 0 in depth:
        raise NotCompiled("@ takes vectors and matrices")
    if _shape(left)[-1] != len(right):
        raise NotCompiled(f"@ of arrays of {_shape(left)[-1]} and {len(right)} numbers")
    rows = left if depth[0] == 2 else (left,)
    columns = tuple(zip(*right, strict=True)) if depth[1] == 2 else (right,)
    products = tuple(
        tuple(_sum([x * y for x, y in zip(row, column, strict=True)]) for column in columns)
        for row in rows
    )
    if depth == (2, 2):
        return Array(products)
    if depth == (1, 1):
        return products[0][0]
    return Array(products[0] if depth == (1, 2) else tuple(row[0] for row in products))


def inner(a: Any, b: Any) -> Content:
    """The same as `numpy.inner` and `numpy.vdot`, of two vectors."""
    if len(_shape(_rows(a))) != 1 or len(_shape(_rows(b))) != 1:
        raise NotCompiled("np.inner and np.vdot take two vectors in compiled code; use @")
    return matmul(a, b)


def outer(a: Any, b: Any) -> Array:
    """The same as `numpy.outer`."""
    left, right = _numbers(_rows(a)), _numbers(_rows(b))
    return Array(tuple(tuple(x * y for y in right) for x in left))


def cross(a: Any, b: Any) -> Array:
    """The same as `numpy.cross`, of two vectors."""
    u, v = _rows(a), _rows(b)
    if _shape(u) != (3,) or _shape(v) != (3,):
        raise NotCompiled("np.cross takes two vectors of three numbers in compiled code")
    return Array(
        (
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        )
    )


def join(arrays: Any) -> Array:
    """The same as `numpy.concatenate`."""
    return Array(tuple(x for one in arrays for x in _rows(one)))


UFUNCS: dict[Any, Any] = {
    getattr(np, name): getattr(math, meaning)
    for name, meaning in {
        **{
            name: name
            for name in ("sqrt", "sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "fabs")
        },
        **{name: name for name in ("expm1", "log1p", "log2", "log10", "cbrt")},
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
    }.items()
} | {
    np.absolute: abs,
    np.negative: operator.neg,
    np.square: lambda x: x * x,
    np.radians: lambda x: x * (math.pi / 180.0),
    np.deg2rad: lambda x: x * (math.pi / 180.0),
    np.degrees: lambda x: x * (180.0 / math.pi),
    np.rad2deg: lambda x: x * (180.0 / math.pi),
}
"""Functions of one number, each with what it means."""
OF_TWO: dict[Any, Any] = {
    np.arctan2: math.atan2,
    np.fmod: math.fmod,
    np.copysign: math.copysign,
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.power: operator.pow,
}
"""Functions of two numbers."""
OF_ARRAYS: dict[Any, Callable[..., Any]] = {
    np.array: make_array,
    np.asarray: as_array,
    np.zeros: make_filled(0.0),
    np.ones: make_filled(1.0),
    np.eye: identity,
    np.identity: identity,
    np.diag: diagonal,
    np.transpose: transpose,
    np.dot: dot,
    np.inner: inner,
    np.vdot: inner,
    np.matmul: matmul,
    np.outer: outer,
    np.cross: cross,
    np.concatenate: join,
    np.hstack: join,
    np.sum: lambda a: _sum(_numbers(_rows(a))),
    np.trace: lambda a: Array(_rows(a)).trace(),
    np.copy: lambda a: Array(_rows(a)),
    np.float64: float,
}
"""Functions of arrays."""
METHODS = ("dot", "sum", "trace", "copy", "transpose")


def numpy_functions(call: Call) -> dict[Any, Callable[..., Any]]:
    """Return what functions of NumPy mean in compiled code; `call` compiles calls of numbers."""

    def of_one(does: Any) -> Callable[[Any], Any]:
        return lambda a: _wrap(_map(lambda x: call(does, [x], {}), _rows(a)))

    def of_two(does: Any) -> Callable[[Any, Any], Any]:
        return lambda a, b: elementwise(lambda x, y: call(does, [x, y], {}), a, b)

    def extreme(better: Any) -> Callable[[Any, Any], Any]:
        """The larger or the smaller of two numbers, and nan if one is."""

        def choose(x: Any, y: Any) -> Any:
            best = call(better, [x, y], {})
            missing = y != y
            if isinstance(missing, Symbol):
                return missing.writer.select(missing, y, best)
            return y if missing else best

        return lambda a, b: elementwise(choose, a, b)

    def norm(a: Any) -> Any:
        return call(math.sqrt, [_sum([x * x for x in _numbers(_rows(a))])], {})

    meanings: dict[Any, Callable[..., Any]] = {
        **{function: of_one(does) for function, does in UFUNCS.items()},
        **{function: of_two(does) for function, does in OF_TWO.items()},
        **OF_ARRAYS,
        np.maximum: extreme(max),
        np.minimum: extreme(min),
        np.clip: lambda a, low, high: extreme(min)(extreme(max)(a, low), high),
        np.linalg.norm: norm,
    }
    own: dict[Any, Callable[..., Any]] = {
        getattr(Array, name): getattr(Array, name) for name in METHODS
    }
    return {_inner(function): meaning for function, meaning in meanings.items()} | own


def _inner(function: Any) -> Any:
    """Return the function that NumPy dispatches to, as calls find it."""
    return getattr(function, "__wrapped__", function)


def from_numpy(value: Any) -> Content:
    """Return a constant of NumPy's as compiled code takes it."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and 0 < value.ndim < 3:
        if value.size > MOST:
            raise NotCompiled(f"an array of more than {MOST} numbers cannot be compiled")
        return Array(_rows(value.tolist()))
    return value.item() if isinstance(value, np.generic) else value


# -------------------------------------------------------------------------------------------------
# change


MAKES_VIEWS = frozenset({"asarray", "transpose", "diag"})
COMPUTES = frozenset({"dot", "sum", "trace", "copy", "shape", "ndim", "size"})
"""Attributes that give numbers or new arrays."""


def may_change(function: ast.AST, name: str, is_module: Callable[[str], bool]) -> bool:
    """Return whether nothing else in a function refers to the array of this name.

    NumPy changes an array for all that refer to it. Compiled code gives the name a new array, which
    is the same if the name is only computed with, indexed and returned. `is_module` returns whether
    a name is that of NumPy or `math`, whose functions keep nothing.
    """
    parents = {
        child: parent for parent in ast.walk(function) for child in ast.iter_child_nodes(parent)
    }

    def made_anew(node: ast.AST) -> bool:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=called)):
                return is_module(owner) and called not in MAKES_VIEWS
            case _:
                return isinstance(node, ast.BinOp | ast.UnaryOp)

    def is_computed_with(node: ast.AST) -> bool:
        match parents[node]:
            case ast.BinOp() | ast.UnaryOp() | ast.Return() | ast.Compare():
                return True
            case ast.Call() as call:
                return call.func is not node and made_anew(call)
            case ast.Attribute(attr=attribute):
                return attribute in COMPUTES
            case ast.AugAssign(value=value):
                return value is node
            case _:
                return False

    def is_harmless(node: ast.Name) -> bool:
        match parents[node]:
            case ast.Assign(value=value) | ast.AnnAssign(value=value):
                return isinstance(node.ctx, ast.Store) and value is not None and made_anew(value)
            case ast.AugAssign(target=target) if target is node:
                return True
            case ast.Subscript(value=value) as part if value is node:
                return isinstance(part.ctx, ast.Store) or is_computed_with(part)
            case _:
                return is_computed_with(node)

    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == name]
    is_made_here = any(isinstance(node.ctx, ast.Store) for node in uses)
    is_given = any(isinstance(node, ast.arg) and node.arg == name for node in ast.walk(function))
    return is_made_here and not is_given and all(map(is_harmless, uses))
