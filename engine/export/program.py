"""Programs: a method's step in Python with NumPy, and as pseudo-code.

Both come from the method's own source (`inline.py`). The Python program needs nothing else: it
moves a body in its principal axes, and leaves t, R and Ω. It has the precision of the method, and
raises where Newton's method fails, for which the engine has another solver.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.core.method import Method
from ..text.formatting import join_words
from . import program_helpers
from .inline import InlinedFunction, NotInlined, find_free_names, inline_step

OF_NUMPY = {"array": "np.array", "eye": "np.eye", "sqrt": "np.sqrt", "zeros": "np.zeros", "dot": "np.dot",
            "clip": "np.clip", "outer": "np.outer"}  # fmt: skip
IMPORTED = {"cross": "numpy", "norm": "numpy.linalg", "solve": "numpy.linalg"}
FUNCTIONS = {
    name: function
    for name, function in inspect.getmembers(program_helpers, inspect.isfunction)
    if function.__module__ == program_helpers.__name__
}
NEEDS = {
    name: {*FUNCTIONS, *IMPORTED} & {*function.__code__.co_names}
    for name, function in FUNCTIONS.items()
}
"""The functions that helpers call."""
IN_ORDER = sorted(FUNCTIONS, key=lambda name: FUNCTIONS[name].__code__.co_firstlineno)
HELPERS = {name: inspect.getsource(FUNCTIONS[name]) for name in IN_ORDER} | {
    "e": "e1, e2, e3 = np.eye(3)"
}
"""The functions that steps call, and the axes, in the order of a program."""
MARK = "# "
KNOWN = {
    "J",
    "Jinv",
    "torque",
    "range",
    "ArithmeticError",
    "Quat",
    "e1",
    "e2",
    "e3",
    *HELPERS,
    *OF_NUMPY,
    *IMPORTED,
}
"""The names that a program defines besides its steps."""
VIEWS = {
    "R": [],
    "q": ["R = rotation_of(q)"],
    "Ω": [],
    "Π": ["Ω = Jinv @ Π"],
    "π": ["Ω = Jinv @ (R.T @ π)"],
}
"""The lines that compute R and Ω from the state of a method."""


def count_lines(method: Method) -> int:
    """The number of lines of its step."""
    step, _ = _inline_parts(method)
    return len(_write_lines(step.body))


def _inline_parts(method: Method) -> tuple[InlinedFunction, InlinedFunction | None]:
    """Its step and its start; `NotInlined` if they use a name that programs do not define."""
    step, start = inline_step(method)
    missing = {name for part in (step, start) if part for name in find_free_names(part)} - KNOWN
    if missing:
        raise NotInlined(
            f"{method.label} needs {join_words(sorted(missing))}, which no program defines"
        )
    return step, start


def write_python(
    method: Method,
    moments: ArrayLike,
    Omega0: ArrayLike,
    dt: float,
    steps: int,
    R0: ArrayLike | None = None,
) -> str:
    """A program that moves a body by the method; `NotInlined` if its step cannot be inlined.

    Parameters
    ----------
    moments : the principal moments of inertia; everything is in their axes.
    Omega0 : the initial angular velocity.
    dt, steps : the size of a frame and the number of frames; the method may divide a frame.
    R0 : the initial attitude; the identity by default.
    """
    step, start = _inline_parts(method)
    held = method.substeps > 1 and "torque" in step.calls
    view = [line for carried in method.carries[:2] for line in VIEWS[carried]]
    calls = _find_helpers(step.calls | (start.calls if start else frozenset()), "\n".join(view))
    attitude = (
        "np.eye(3)"
        if R0 is None or np.array_equal(R0, np.eye(3))
        else f"np.array({np.asarray(R0).tolist()})"
    )
    parts = [
        *_write_head(method, calls),
        f"J = np.diag({np.ravel(moments).tolist()}){'  '}{MARK}in the body's principal axes",
        "Jinv = np.linalg.inv(J)",
        *(["J, Jinv = np.array(J), np.array(Jinv)"] if method.single else []),
        "",
        *("\n" + text.rstrip() + "\n" for name, text in HELPERS.items() if name in calls),
        f"\ndef {'applied' if held else 'torque'}(t, R, Ω=None):",
        '    """In the body\'s axes; yours goes here."""',
        "    return np.array([0.0, 0.0, 0.0])",
        "",
        *(HELD if held else ()),
        *(_write_function("start", start, "What the step carries, at the start.") if start else ()),
        *_write_function("step", step, "One step of the size h."),
        "",
        f"h = {_format_step(dt / method.substeps)}",
        f"R, Ω = {attitude}, np.array({np.ravel(Omega0).tolist()})",
        *_write_loop(method, start is not None, held, view, steps),
        f"t = {steps * method.substeps} * h",
        *view,
        "print(t, R, Ω)",
    ]
    text = (
        re.sub(r"\n{4,}", "\n\n\n", "\n".join(parts)) + "\n"
    )  # two blank lines at most, as before functions
    for make in ("array", "eye", "zeros") if method.single else ():
        text = text.replace(f"np.{make}(", f"{make}(")
    return text


def _write_head(method: Method, calls: set[str]) -> list[str]:
    """The docstring of a program and its imports."""
    imports = {
        module: [n for n, m in IMPORTED.items() if m == module and n in calls]
        for module in IMPORTED.values()
    }
    return [
        f'"""{method.given_name}, {method.name}: the rule that Polhode runs{OF_32_BITS[method.single]}."""',
        "",
        *(["from functools import partial", ""] if method.single else []),
        "import numpy as np",
        *(f"from {module} import {', '.join(names)}" for module, names in imports.items() if names),
        "",
        *(SINGLE if method.single else []),
    ]


def _write_loop(
    method: Method, has_start: bool, held: bool, view: list[str], steps: int
) -> list[str]:
    """The start and the loop over frames and their steps; `view` are the lines that give R and Ω of
    the state.
    """
    n = method.substeps
    single = method.single
    state = ", ".join(method.carries)
    size = "np.float32(h)" if single else "h"

    def time(k: str) -> str:
        return f"np.float32({k} * h)" if single else f"{k} * h"

    def hold(t: str) -> list[str]:
        return [f"held = R @ applied({t}, R, Ω)"] if held else []

    def begin(t: str) -> list[str]:
        return [f"{state} = start({t}, {size}, R, Ω)"] if has_start else []

    frame = [
        *view,
        *hold(time(f"{n} * k")),
        *(begin(time(f"{n} * k")) if len(method.carries) > 2 else []),
    ]
    step = f"{state} = step({time(f'({n} * k + i)' if n > 1 else 'k')}, {size}, {state})"
    return [
        *(hold("0.0") if has_start else []),
        *begin("0.0"),
        f"for k in range({steps}):",
        *(f"    {line}" for line in (frame if held else ())),
        *([f"    for i in range({n}):", f"        {step}"] if n > 1 else [f"    {step}"]),
    ]


OF_32_BITS = {False: "", True: ", with numbers of 32 bits"}
SINGLE = [
    "array, eye, zeros = (partial(make, dtype=np.float32) for make in (np.array, np.eye, np.zeros))"
]
HELD = [
    "",
    "def torque(t, R, Ω=None):",
    '    """The same, held in space over a frame."""',
    "    return R.T @ held",
    "",
]
"""The torque of a step that divides a frame."""


def _format_step(h: float) -> str:
    """A step as people write it."""
    rate = round(1 / h)
    return f"1 / {rate}" if rate and 1 / rate == h else repr(h)


def _find_helpers(calls: Iterable[str], view: str) -> set[str]:
    """The functions called, by the helpers and the view too."""
    found = {*calls, *(name for name in HELPERS if f"{name}(" in view)}
    while more := {need for name in found for need in NEEDS.get(name, ())} - found:
        found |= more
    return found


def _write_function(name: str, of: InlinedFunction, doc: str) -> list[str]:
    lines = [f"    {line}" for line in _write_lines(of.body)]
    return [f"\ndef {name}({', '.join(of.parameters)}):", f'    """{doc}"""', *lines, ""]


class _ForNumPy(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        assert isinstance(node.func, ast.Name)
        if node.func.id == "Quat":
            return ast.parse(
                f"np.array([{', '.join(ast.unparse(each) for each in node.args)}])", mode="eval"
            ).body
        if node.func.id in OF_NUMPY:
            node.func = ast.Name(OF_NUMPY[node.func.id], ast.Load())
        return node

    def visit_Assign(self, node: ast.Assign | ast.Return) -> ast.stmt:
        """Write a tuple without the brackets that `ast.unparse` puts around it."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Tuple):
            node.value = ast.Name(", ".join(map(ast.unparse, node.value.elts)), ast.Load())
        return node

    visit_Return = visit_Assign


def _write_lines(body: Iterable[ast.stmt]) -> list[str]:
    tree = ast.parse("\n".join(map(ast.unparse, body)))
    return ast.unparse(_ForNumPy().visit(tree)).splitlines()


# -------------------------------------------------------------------------------------------------
# pseudo-code

MEANINGS = {
    "exp": "exp(v) is the rotation about v by |v| radians",
    "cay": "cay(v) is the rotation about v by 2 atan(|v|/2)",
    "dexp_matrix": "dexp_matrix(v) = 1 + (1 − cos |v|)/|v|² [v] + (|v| − sin |v|)/|v|³ [v]²",
    "dexpinv": "dexpinv(v, w) = w − ½ v × w + (1 − |v|/2 cot |v|/2)/|v|² v × (v × w)",
    "dexpinv_coefficient": "dexpinv_coefficient(x²) = (1 − x/2 cot x/2)/x²",
    "dexpinv_slope": "dexpinv_slope(x², c) is twice the derivative by x² of c = dexpinv_coefficient(x²)",
    "rodrigues": "rodrigues(v, a, b) = 1 + a [v] + b [v]²",
    "hat": "[v] is the matrix of v ×",
    "product": "q ⊗ p is the product of quaternions, where a vector has no scalar part",
    "rotation_of": "rotation_of(q) is the rotation of a unit quaternion",
    "quaternion_of": "quaternion_of(R) is the quaternion of a rotation, its scalar not negative",
    "torque": "torque is that in the body's axes, of time, attitude and perhaps Ω",
}
"""What functions mean."""
NAMES = {"Jinv": "J⁻¹", "zeros": "0"}
SUB = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
FRACTIONS = {"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾", "1/6": "⅙"}
ATOM = 3
PRODUCT = 2
SUM = 1
WHOLE = 0


def write_pseudo_code(method: Method) -> str:
    """The step in mathematical notation, with the meaning of its functions; `NotInlined` as for
    `write_python`.
    """
    step, start = _inline_parts(method)
    calls = step.calls | (start.calls if start else frozenset())
    parts = [("at the start, from R and Ω:", start)] if start else []
    lines: list[str] = []
    for title, part in [*parts, ("each step, of the size h:", step)]:
        lines += [title, *(f"    {line}" for line in _write_signs(part.body, method.carries)), ""]
    n = method.substeps
    held = (
        [f"A frame Δt is {n} steps of h = Δt/{n}; the torque of its start is held in space."]
        if n > 1
        else []
    )
    held += ["Numbers have 32 bits."] if method.single else []
    return (
        "\n".join(
            [*lines, *held, *(f"{meaning}." for name, meaning in MEANINGS.items() if name in calls)]
        )
        + "\n"
    )


def _write_signs(body: Iterable[ast.stmt], carried: tuple[str, ...]) -> list[str]:
    lines: list[str] = []
    for line in body:
        match line:
            case ast.Return(value=ast.Tuple(elts=values)):
                new = [(n, v) for n, v in zip(carried, values, strict=True) if n != ast.unparse(v)]
                if new:
                    lines.append(
                        f"{', '.join(n for n, _ in new)} ← {', '.join(_format(v, SUM) for _, v in new)}"
                    )
            case ast.Assign(targets=[target], value=value):
                lines.append(f"{_format(target)} ← {_format(value)}")
            case ast.For(body=inner, iter=rounds):
                until = f"until {_describe_end(inner[-1])}" if isinstance(inner[-1], ast.If) else ""
                lines.append(f"repeat {until or f'{_format(rounds.args[0])} times'}:")  # type: ignore[attr-defined]
                lines += [
                    f"    {each}" for each in _write_signs(inner[:-1] if until else inner, carried)
                ]
            case ast.If(test=test):
                lines.append(f"if {_format(test)}: there is no solution")
    return lines


def _describe_end(test: ast.If) -> str:
    """When Newton's iterations end."""
    assert isinstance(test.test, ast.Compare)
    return f"{_format(test.test.left)} is next to nothing"


def _format(node: ast.AST, tight: int = WHOLE) -> str:
    text, binds = _format_expression(node)
    return f"({text})" if binds < tight else text


def _format_expression(node: ast.AST) -> tuple[str, int]:
    """An expression in mathematical notation, and how tightly its outermost operator binds."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return format(value, ".6g"), ATOM
        case ast.Name(id=name):
            name, _, again = name.partition("_") if name[-1].isdigit() else (name, "", "")
            plain = name.rstrip("0123456789")
            return NAMES.get(
                name, plain + name[len(plain) :].translate(SUB) + "′" * int(again or 0)
            ), ATOM
        case ast.Attribute(value=value):
            return f"{_format(value, ATOM)}ᵀ", ATOM
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return ", ".join(_format(part) for part in parts), WHOLE
        case ast.Subscript(value=value, slice=at):
            entries = "".join(str(i.value + 1) for i in ast.walk(at) if isinstance(i, ast.Constant))  # type: ignore[operator]
            return f"{_format(value, ATOM)}{entries.translate(SUB)}", ATOM
        case ast.UnaryOp(op=ast.USub(), operand=of):
            return f"−{_format(of, PRODUCT)}", PRODUCT
        case ast.UnaryOp(operand=of):
            return f"not {_format(of)}", WHOLE
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return f"{_format(left, SUM)} + {_format(right, SUM)}", SUM
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            return f"{_format(left, SUM)} − {_format(right, PRODUCT)}", SUM
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            quotient = f"{_format(left, PRODUCT)}/{_format(right, ATOM)}"
            return FRACTIONS.get(quotient, quotient), PRODUCT
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            power = _format(right, ATOM)
            return (
                f"{_format(left, ATOM)}{power.translate(POWERS) if power.isdigit() else f'^{power}'}",
                ATOM,
            )
        case ast.BinOp(left=left, right=right):
            return f"{_format(left, PRODUCT)} {_format(right, PRODUCT)}", PRODUCT
        case ast.IfExp(test=test, body=yes, orelse=no):
            return f"{_format(yes)} if {_format(test)}, else {_format(no)}", WHOLE
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            sign = {ast.Gt: ">", ast.GtE: "≥", ast.Lt: "<", ast.LtE: "≤"}[type(op)]
            return f"{_format(left)} {sign} {_format(right)}", WHOLE
        case ast.Call(func=ast.Name(id=name), args=given):
            return _format_call(name, given)
    raise NotInlined(f"{ast.unparse(node)} has no mathematical notation")


SIGNS = {
    "cross": ("{} × {}", ATOM, SUM),
    "dot": ("{} · {}", ATOM, SUM),
    "product": ("{} ⊗ {}", ATOM, SUM),
    "norm": ("|{}|", WHOLE, ATOM),
    "hat": ("[{}]", WHOLE, ATOM),
    "outer": ("{} {}ᵀ", ATOM, PRODUCT),
    "solve": ("{}⁻¹ {}", PRODUCT, PRODUCT),
    "eye": ("1", WHOLE, ATOM),
    "zeros": ("0", WHOLE, ATOM),
    "array": ("({})", WHOLE, ATOM),
    "Quat": ("({3}; {0}, {1}, {2})", WHOLE, ATOM),
    "sqrt": ("√({})", WHOLE, ATOM),
}
"""The notation of functions: a template, how tightly it binds its arguments, and how tightly it
binds itself.
"""


def _format_call(name: str, arguments: list[ast.expr]) -> tuple[str, int]:
    template, inner, outer = SIGNS.get(
        name, (f"{name}({', '.join('{}' for _ in arguments)})", WHOLE, ATOM)
    )
    return template.format(*(_format(each, inner) for each in arguments)), outer
