"""LLVM IR as text: instructions in blocks, blocks in functions, functions in a module."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterable, Iterator
from ctypes import c_float
from dataclasses import dataclass, field
from typing import Any

from ..lanes import COUNT, HALF
from .refusal import NotCompiled, no_operation
from .symbols import REALS, Content, Memory, Symbol

REAL_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "truediv": "fdiv"}
WHOLE_ARITHMETIC = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "and": "and",
    "or": "or",
    "xor": "xor",
}
WORDS = {
    "floordiv": "//",
    "mod": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "pow": "**",
}
ONE_OF = {"lanes": "real", "wholes": "int", "mask": "bool"}
"""The kinds of several numbers side by side, and what each of them is."""
LLVM = {"real": "double", "single": "float", "int": "i64", "bool": "i1"}
"""LLVM's names for the kinds of numbers."""
SUFFIXES = {"real": "f64", "single": "f32"}
"""The same in the names of its functions."""
KINDS_OF_SYMBOLS = {
    "bool": ("bool", "mask"),
    "int": ("int", "wholes"),
    "real": REALS,
    "single": ("single",),
    **{several: (several,) for several in ONE_OF},
}
KINDS_OF_CONSTANTS = KINDS_OF_SYMBOLS | {"int": ("int", *REALS, "wholes")}
"""The kinds that a number can be converted to: 64 bits to 32; one number to several; a constant
integer to a real, as in `total = 0`.
"""


@dataclass(eq=False)
class Phi:
    """A phi node: a number that depends on the preceding block."""

    kind: str
    name: str
    incoming: list[tuple[str, Block]] = field(default_factory=list)


@dataclass(eq=False)
class Block:
    """A basic block; `end` is its terminator."""

    name: str
    phis: list[Phi] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    end: str = "unreachable"

    def jump(self, to: Block) -> None:
        """End the block with a jump to another one."""
        self.end = f"br label %{to.name}"


class Guard:
    """Records whether an operation would raise in Python, while compiled code continues."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._block = writer.block
        self._at = len(writer.block.lines)
        self._room: str | None = None

    def note(self, condition: Symbol) -> None:
        """Record a failure where the condition is true."""
        self._room = self._room or self._writer.room("bool", 1)
        before = self._writer.load("bool", self._room)
        self._writer.store("bool", self._writer.arithmetic("or", before, condition), self._room)

    def failed(self) -> Content:
        """Return whether any failure was recorded; a constant if there was no such operation."""
        if self._room is None:
            return False
        self._block.lines.insert(self._at, f"store i1 false, ptr {self._room}")
        return self._writer.load("bool", self._room)


class Writer:
    """A module under construction; instructions go to the end of `block`.

    Where 64-bit and 32-bit numbers meet, the 64-bit ones are rounded.

    fused : whether a product and a sum may become one operation, which rounds once instead of
        twice.
    register : how many numbers the widest register holds.
    """

    def __init__(self, fused: bool = True, register: int = COUNT) -> None:
        self.flags = "contract " if fused else ""
        self._count = 0
        self._declared: set[str] = set()
        self._written: list[str] = []
        self.blocks: list[Block] = []
        self.rooms: list[str] = []
        self.block = Block("")
        self.guard: Guard | None = None
        self.put_side_by_side(COUNT if register >= COUNT else HALF)

    def put_side_by_side(self, count: int) -> None:
        """Compute with so many numbers at once, of one body or of as many bodies."""
        self.beside = count
        self.types = LLVM | {several: f"<{count} x {LLVM[one]}>" for several, one in ONE_OF.items()}
        self.suffixes = SUFFIXES | {"lanes": f"v{count}f64"}

    @property
    def vector(self) -> str:
        """The type of as many real numbers."""
        return self.types["lanes"]

    # ------------------------------------------------------------------ names, blocks and functions

    def fresh(self, prefix: str) -> str:
        """Return an unused name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def new_block(self) -> Block:
        """Add a block to the function."""
        self.blocks.append(Block(self.fresh("b")))
        return self.blocks[-1]

    def phi(self, kind: str, block: Block) -> Phi:
        """Add a phi node at the head of a block."""
        block.phis.append(Phi(kind, self.fresh("%p")))
        return block.phis[-1]

    def line(self, text: str) -> None:
        """Emit an instruction without a result."""
        self.block.lines.append(text)

    def emit(self, text: str) -> str:
        """Emit an instruction, and return the name of its result."""
        name = self.fresh("%v")
        self.block.lines.append(f"{name} = {text}")
        return name

    def symbol(self, kind: str, text: str) -> Symbol:
        """Emit an instruction, and return its result as a symbol."""
        return Symbol(self, kind, self.emit(text))

    def finish(self, head: str) -> None:
        """Write the function that these blocks form."""
        wide = any(" x double>" in line for block in self.blocks for line in block.lines)
        aligned = ' "stackrealign"' if wide else ""  # else a vector there lies across cache lines
        lines = [f"define {head} nounwind{aligned} {{"]
        lines += ["rooms:", *(f"  {room}" for room in self.rooms)]
        lines.append(f"  br label %{self.blocks[0].name}")
        for block in self.blocks:
            lines.append(f"{block.name}:")
            for phi in block.phis:
                ways = ", ".join(f"[{value}, %{origin.name}]" for value, origin in phi.incoming)
                lines.append(f"  {phi.name} = phi {self.types[phi.kind]} {ways}")
            lines += [f"  {line}" for line in (*block.lines, block.end)]
        self._written.append("\n".join([*lines, "}"]))

    def text(self) -> str:
        """Return the whole module."""
        return "\n".join([*sorted(self._declared), *self._written])

    @contextlib.contextmanager
    def guarding(self) -> Iterator[Guard]:
        """In this block, record operations that would raise in Python."""
        before = self.guard
        self.guard = Guard(self)
        try:
            yield self.guard
        finally:
            self.guard = before

    def finite(self, x: Any) -> Symbol:
        """Test whether a real number is neither infinite nor nan."""
        return self.comparison("eq", self.arithmetic("sub", x, x), 0.0)

    # ------------------------------------------------------------------ kinds

    def common(self, values: Iterable[Any]) -> str:
        """Return the common kind of these numbers."""
        possible = set(self.types)
        for value in values:
            kinds = KINDS_OF_SYMBOLS if isinstance(value, Symbol) else KINDS_OF_CONSTANTS
            possible &= set(kinds[_kind(value)])
        if not possible:
            raise NotCompiled("a number is whole, real or a truth value, depending on the path")
        return next(kind for kind in ("bool", "int", *REALS, "wholes", "mask") if kind in possible)

    def operand(self, kind: str, x: Any) -> str:
        """Return a number as an operand of this kind, converted if necessary."""
        if isinstance(x, Symbol) and x.kind == kind:
            return x.name
        beside = isinstance(x, Symbol) and x.kind in ONE_OF
        if kind in ONE_OF and not beside:
            return self._put_beside(kind, x)
        if beside and kind not in ONE_OF:
            raise NotCompiled(
                "what differs between bodies side by side stands where one number is needed"
            )
        if isinstance(x, Symbol):
            if x.kind in REALS and kind in REALS:
                return self.emit(
                    f"{CONVERTED[kind]} {self.types[x.kind]} {x.name} to {self.types[kind]}"
                )
            if kind not in ("bool", "mask") and x.kind not in REALS:
                truth = x.kind in ("bool", "mask")
                how = "zext" if kind in ("int", "wholes") else "uitofp" if truth else "sitofp"
                return self.emit(f"{how} {self.types[x.kind]} {x.name} to {self.types[kind]}")
        elif kind in REALS and isinstance(x, float | int):
            rounded = c_float(x).value if kind == "single" else float(x)
            return f"0x{struct.pack('>d', rounded).hex().upper()}"
        elif kind == "bool" and isinstance(x, bool):
            return "true" if x else "false"
        elif kind == "int" and isinstance(x, int):
            if not -(2**63) <= x < 2**63:
                raise NotCompiled(
                    "a whole number of more than 64 bits cannot be compiled; a real number can, as in 1e30"
                )
            return str(int(x))
        raise NotCompiled(
            f"{x if isinstance(x, float | int) else 'a ' + describe_kind(x)} stands where {NEEDED[kind]} is needed"
        )

    def _put_beside(self, kind: str, x: Any) -> str:
        """Return one number as several equal ones."""
        one = self.typed(ONE_OF[kind], x)
        if not isinstance(x, Symbol):
            return f"<{', '.join([one] * self.beside)}>"
        first = self.emit(f"insertelement {self.types[kind]} undef, {one}, i64 0")
        whole = f"{self.types[kind]} {first}, {self.types[kind]} undef"
        return self.emit(f"shufflevector {whole}, <{self.beside} x i32> zeroinitializer")

    def typed(self, kind: str, x: Any) -> str:
        """Return an operand with its type."""
        return f"{self.types[kind]} {self.operand(kind, x)}"

    # ------------------------------------------------------------------ arithmetic, as Python has
    # it

    def arithmetic(self, name: str, a: Any, b: Any) -> Symbol:
        """Emit an arithmetic operation with Python's semantics."""
        if name == "pow":
            return self.power(a, b)
        if (real := _precision(a, b)) or name == "truediv":
            if name not in REAL_ARITHMETIC:
                raise no_operation(f"{WORDS[name]} of real numbers")
            real = real or "real"
            if name == "truediv" and self.guard is not None and isinstance(b, Symbol):
                self.guard.note(self.comparison("eq", b, 0))
            instruction = f"{REAL_ARITHMETIC[name]} {self.flags}{self.typed(real, a)}"
            return self.symbol(real, f"{instruction}, {self.operand(real, b)}")
        kinds = {_kind(a), _kind(b)}
        if name in ("and", "or", "xor") and kinds <= {"bool", "mask"}:
            kind = "mask" if "mask" in kinds else "bool"
            return self.symbol(kind, f"{name} {self.typed(kind, a)}, {self.operand(kind, b)}")
        if name in WHOLE_ARITHMETIC:
            kind = "wholes" if "wholes" in kinds else "int"
            return self.symbol(
                kind, f"{WHOLE_ARITHMETIC[name]} {self.typed(kind, a)}, {self.operand(kind, b)}"
            )
        if name in ("floordiv", "mod"):
            return self._divided(name, a, b)
        raise no_operation(WORDS[name])

    def _divided(self, name: str, a: Any, b: Any) -> Symbol:
        """Emit an integer division: Python rounds down, the processor towards zero; division by 0,
        and of −2⁶³ by −1, would trap.
        """
        if isinstance(b, Symbol):
            nothing = self.comparison("eq", b, 0)
            if self.guard is not None:
                self.guard.note(nothing)
            b = self.select(nothing, 1, b)
            backwards = self.comparison("eq", b, -1)
            b, a = (
                self.select(backwards, 1, b),
                self.select(backwards, self.arithmetic("sub", 0, a), a),
            )
        elif b == 0:
            raise NotCompiled("division by zero")
        elif b == -1:
            return self.arithmetic("mul", a, -1 if name == "floordiv" else 0)
        rest = self.symbol("int", f"srem {self.typed('int', a)}, {self.operand('int', b)}")
        opposed = self.comparison("lt", self.arithmetic("xor", rest, b), 0)
        between = self.arithmetic("and", self.comparison("ne", rest, 0), opposed)
        if name == "mod":
            return self.select(between, self.arithmetic("add", rest, b), rest)
        quotient = self.symbol("int", f"sdiv {self.typed('int', a)}, {self.operand('int', b)}")
        return self.arithmetic("sub", quotient, between)

    def power(self, a: Any, b: Any) -> Symbol:
        """Call the C library's power, like Python; x * x is faster."""
        if not _precision(a, b):
            raise no_operation("** of whole numbers")
        return self.call(
            "pow", a, b, attributes=" nobuiltin"
        )  # else LLVM would make x * x of it, which may differ

    def comparison(self, name: str, a: Any, b: Any) -> Symbol:
        """Emit a comparison."""
        if real := _precision(a, b):
            how = "une" if name == "ne" else f"o{name}"
            kind = "mask" if real == "lanes" else "bool"
            return self.symbol(kind, f"fcmp {how} {self.typed(real, a)}, {self.operand(real, b)}")
        how = name if name in ("eq", "ne") else f"s{name}"
        return self.symbol("bool", f"icmp {how} {self.typed('int', a)}, {self.operand('int', b)}")

    def negative(self, x: Symbol) -> Symbol:
        """−x."""
        if x.kind in REALS:
            return self.symbol(x.kind, f"fneg {self.flags}{self.typed(x.kind, x)}")
        return self.arithmetic("sub", 0, x)

    def absolute(self, x: Symbol) -> Symbol:
        """|x|."""
        if x.kind in REALS:
            return self.intrinsic("fabs", x)
        return self.select(
            self.comparison("lt", x, 0), self.negative(x), self.arithmetic("add", x, 0)
        )

    def select(self, condition: Symbol, a: Any, b: Any) -> Symbol:
        """Select one of two numbers without a branch."""
        kind = self.common((a, b))
        if condition.kind == "mask":
            kind = next((several for several, one in ONE_OF.items() if one == kind), kind)
        chosen = f"{self.typed(kind, a)}, {self.typed(kind, b)}"
        return self.symbol(kind, f"select {self.typed(condition.kind, condition)}, {chosen}")

    def truth(self, x: Symbol) -> Symbol:
        """Test whether a number is not zero."""
        return x if x.kind in ("bool", "mask") else self.comparison("ne", x, 0)

    def real(self, x: Any, kind: str = "real") -> Symbol:
        """Convert a number to a real one of 64 bits, or of 32 ("single")."""
        kind = "lanes" if _kind(x) in ONE_OF else kind
        return Symbol(self, kind, self.operand(kind, x))

    def whole(self, x: Symbol) -> Symbol:
        """Truncate a number to an integer."""
        whole = "wholes" if x.kind in ONE_OF else "int"
        if x.kind not in REALS:
            return Symbol(self, whole, self.operand(whole, x))
        if self.guard is not None:
            self.guard.note(self.comparison("lt", self.absolute(x), 2.0**63) ^ True)  # type: ignore[operator]
        real = self.types[x.kind]
        suffix = self.suffixes[x.kind]
        if whole == "wholes":  # the intrinsic would convert one number after the other
            high = self.comparison("ge", x, 2.0**63)
            low = self.comparison("le", x, -(2.0**63))
            inside = self.comparison("lt", self.absolute(x), 2.0**63)
            fits = self.select(inside, x, 0.0)
            found = self.symbol(whole, f"fptosi {self.typed('lanes', fits)} to {self.types[whole]}")
            return self.select(high, 2**63 - 1, self.select(low, -(2**63), found))
        self.declare(f"i64 @llvm.fptosi.sat.i64.{suffix}({real})")
        return self.symbol("int", f"call i64 @llvm.fptosi.sat.i64.{suffix}({real} {x.name})")

    # ------------------------------------------------------------------ memory and calls

    def address(self, kind: str, pointer: str, i: Any) -> str:
        """Return the address of the number at an index."""
        if isinstance(i, int) and i == 0:
            return pointer
        one = self.types[ONE_OF.get(kind, kind)]
        return self.emit(f"getelementptr {one}, ptr {pointer}, {self.typed('int', i)}")

    def load(self, kind: str, address: str) -> Symbol:
        """Read a number."""
        return self.symbol(kind, f"load {self.types[kind]}, ptr {address}{ALIGNED.get(kind, '')}")

    def store(self, kind: str, value: Any, address: str) -> None:
        """Write a number."""
        self.line(f"store {self.typed(kind, value)}, ptr {address}{ALIGNED.get(kind, '')}")

    def room(self, kind: str, n: int, align: int = 8) -> str:
        """Reserve local memory; LLVM keeps it in registers if no pointer to it escapes."""
        name = self.fresh("%m")
        self.rooms.append(f"{name} = alloca {self.types[kind]}, i64 {n}, align {align}")
        return name

    def table(self, values: Iterable[Any]) -> tuple[str, str]:
        """Add a table of constants; return its kind and address."""
        values = list(values)
        kind = self.common(values)
        name = self.fresh("@table")
        held = ", ".join(self.typed(kind, value) for value in values)
        self._written.append(
            f"{name} = internal unnamed_addr constant [{len(values)} x {self.types[kind]}] [{held}]"
        )
        return kind, name

    def declare(self, head: str) -> None:
        """Declare an external pure function, which LLVM may also call speculatively."""
        self._declared.add(f"declare {head} nounwind willreturn memory(none) speculatable")

    def call(self, name: str, *arguments: Any, kind: str = "real", attributes: str = "") -> Symbol:
        """Call an external function of real numbers with 64 bits; round the result if a number has
        32.
        """
        if kind != "lanes" and _precision(*arguments) == "lanes":
            return self._call_for_each(name, arguments, kind, attributes)
        real = self.types[kind]
        self.declare(f"{real} @{name}({', '.join([real] * len(arguments))})")
        given = ", ".join(self.typed(kind, argument) for argument in arguments)
        result = self.symbol(kind, f"call {self.flags}{real} @{name}({given}){attributes}")
        if self.guard is not None and name not in NEVER_RAISE:
            self._note_range(result, arguments)
        return self.real(result, _precision(*arguments) or kind)

    def _call_for_each(self, name: str, arguments: Any, kind: str, attributes: str) -> Symbol:
        """Call a function once for the numbers of each body."""
        made = "undef"
        for i in range(self.beside):
            given = [
                self.symbol("real", f"extractelement {self.typed('lanes', x)}, i64 {i}")
                for x in arguments
            ]
            one = self.call(name, *given, kind=kind, attributes=attributes)
            made = self.emit(
                f"insertelement {self.types['lanes']} {made}, {self.typed('real', one)}, i64 {i}"
            )
        return Symbol(self, "lanes", made)

    def any_of(self, x: Any) -> Any:
        """Return whether something holds for any of the bodies side by side."""
        if _kind(x) != "mask":
            return x
        name = f"i1 @llvm.vector.reduce.or.v{self.beside}i1"
        self.declare(f"{name}({self.types['mask']})")
        return self.symbol("bool", f"call {name}({self.typed('mask', x)})")

    def _note_range(self, result: Symbol, arguments: tuple[Any, ...]) -> None:
        """Record results for which Python's `math` raises: infinite for finite numbers, or nan for
        numbers.
        """
        assert self.guard is not None
        finite, numbers = self.finite(result) ^ True, self.comparison("eq", result, result) ^ True  # type: ignore[operator]
        for argument in arguments:
            if isinstance(argument, Symbol):
                finite = self.arithmetic("and", finite, self.finite(argument))
                numbers = self.arithmetic("and", numbers, self.comparison("eq", argument, argument))
        self.guard.note(self.arithmetic("or", finite, numbers))

    def intrinsic(self, name: str, *arguments: Any) -> Symbol:
        """Call an intrinsic of LLVM, such as the square root."""
        kind = (_precision(*arguments) if name in EXACT else "") or "real"
        return self.call(f"llvm.{name}.{self.suffixes[kind]}", *arguments, kind=kind)


NEVER_RAISE = frozenset(
    {
        "atan",
        "atan2",
        "cbrt",
        "tanh",
        *(
            f"llvm.{name}.{bits}"
            for name in ("fabs", "copysign", "floor", "ceil")
            for bits in ("f32", "f64")
        ),
    }
)
"""Functions that are defined for all real numbers."""
EXACT = ("sqrt", "fabs", "copysign", "floor", "ceil")
"""Functions whose 32-bit result equals the rounded 64-bit result."""
CONVERTED = {"real": "fpext", "single": "fptrunc"}
ALIGNED = {"lanes": ", align 8"}
"""Where several numbers stand in memory: at any place of a number."""
NEEDED = {
    "real": "a number",
    "single": "a number",
    "int": "a whole number",
    "bool": "a truth value",
}
NEEDED |= {several: NEEDED[one] for several, one in ONE_OF.items()}


def _kind(x: Any) -> str:
    if isinstance(x, Symbol):
        return x.kind
    return "bool" if isinstance(x, bool) else "int" if isinstance(x, int) else "real"


def _precision(*numbers: Any) -> str:
    """Return the real kind of an operation: "single" or "lanes" if one operand is; empty if all are
    integers.
    """
    kinds = {_kind(x) for x in numbers}
    if kinds.isdisjoint(REALS):
        return ""
    if not kinds.isdisjoint(ONE_OF):
        return "lanes"
    return "single" if "single" in kinds else "real"


def describe_kind(x: Any) -> str:
    """Name the kind of a thing in a word or two."""
    if isinstance(x, Symbol | float | int):
        kind = _kind(x)
        return {
            "real": "real number",
            "single": "real number",
            "int": "whole number",
            "bool": "truth value",
        }[ONE_OF.get(kind, kind)]
    return KIND_WORDS.get(type(x), type(x).__name__)


KIND_WORDS = {
    type(None): "None",
    str: "text",
    list: "list",
    dict: "dictionary",
    Memory: "part of memory",
}
