"""A method as a program to take along: its step in Python with NumPy, and as pseudo-code.

Both are made of the method's own source (`engine/unfolded.py`). The Python stands by itself: it moves a body in its
principal axes from a start for so many steps, and leaves t, R and Ω. It computes with the precision of the method; it
stops where Newton's method fails, for which the engine has another way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from .algorithms.method import Method
from .unfolded import NotWritten, Unfolded, names_of, unfolded
from .wording import listed

__all__ = ["NotWritten", "lines_of", "pseudo_code", "python"]

HELPERS = {
    "hat": '''
def hat(v):
    """The matrix of v ×."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
''',
    "rodrigues": '''
def rodrigues(v, a, b):
    """1 + a v× + b (v×)²"""
    return np.eye(3) + a * hat(v) + b * hat(v) @ hat(v)
''',
    "exp": '''
def exp(v):
    """The rotation about v by |v| radians."""
    x = norm(v)
    if x < 1e-4:
        return rodrigues(v, 1 - x**2 / 6, 0.5 - x**2 / 24)
    return rodrigues(v, np.sin(x) / x, (1 - np.cos(x)) / x**2)
''',
    "cay": '''
def cay(v):
    """The rotation about v by 2 atan(|v|/2): a linear step of the quaternion, made a unit."""
    return rodrigues(v, 1 / (1 + v @ v / 4), 0.5 / (1 + v @ v / 4))
''',
    "dexp_matrix": '''
def dexp_matrix(v):
    """The matrix that takes the rate of v to the angular velocity of exp(v)."""
    x = norm(v)
    if x < 1e-4:
        return rodrigues(v, 0.5, 1 / 6)
    return rodrigues(v, 2 * np.sin(x / 2)**2 / x**2, (x - np.sin(x)) / x**3)
''',
    "dexpinv_coefficient": '''
def dexpinv_coefficient(x2):
    """(1 − x/2 cot x/2)/x² of x²."""
    if x2 < 1e-2:
        return 1 / 12 + x2 / 720 + x2**2 / 30240
    x = np.sqrt(x2)
    return (1 - x / 2 / np.tan(x / 2)) / x2
''',
    "dexpinv": '''
def dexpinv(v, w):
    """The rate of v for which exp(v) turns by w."""
    return w - cross(v, w) / 2 + dexpinv_coefficient(v @ v) * cross(v, cross(v, w))
''',
    "product": '''
def product(q, p):
    """Of quaternions (x, y, z, w); a vector is one without w."""
    p = np.append(p, np.zeros(4 - len(p)))
    v = q[3] * p[:3] + p[3] * q[:3] + cross(q[:3], p[:3])
    return np.append(v, q[3] * p[3] - q[:3] @ p[:3])
''',
    "rotation_of": '''
def rotation_of(q):
    """The rotation of a unit quaternion (x, y, z, w)."""
    v, w = q[:3], q[3]
    return (w**2 - v @ v) * np.eye(3) + 2 * w * hat(v) + 2 * np.outer(v, v)
''',
    "quaternion_of": '''
def quaternion_of(R):
    """The quaternion (x, y, z, w) of a rotation, its scalar not negative."""
    v = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    products = np.block([[R + R.T + (1 - np.trace(R)) * np.eye(3), v[:, None]], [v, 1 + np.trace(R)]])
    q = products[np.argmax(np.diag(products))]
    return np.copysign(1, q[3]) * q / norm(q)
''',
    "e": """
e1, e2, e3 = np.eye(3)
""",
}
"""What steps call, in the order in which it is written."""
NEEDS = {
    "exp": ("norm", "rodrigues"),
    "cay": ("rodrigues",),
    "dexp_matrix": ("norm", "rodrigues"),
    "dexpinv": ("dexpinv_coefficient", "cross"),
    "rodrigues": ("hat",),
    "product": ("cross",),
    "rotation_of": ("hat",),
    "quaternion_of": ("norm",),
}
OF_NUMPY = {"array": "np.array", "eye": "np.eye", "sqrt": "np.sqrt", "zeros": "np.zeros", "dot": "np.dot",
            "outer": "np.outer"}  # fmt: skip
IMPORTED = {"cross": "numpy", "norm": "numpy.linalg", "solve": "numpy.linalg"}
MARK = "# "
KNOWN = {"J", "Jinv", "torque", "range", "ArithmeticError", "Quat", "e1", "e2", "e3", *HELPERS, *OF_NUMPY, *IMPORTED}
"""The names that a program defines besides those of its steps."""
SHOWN = {
    "R": [],
    "q": ["R = rotation_of(q)"],
    "Ω": [],
    "Π": ["Ω = Jinv @ Π"],
    "π": ["Ω = Jinv @ (R.T @ π)"],
}
"""How R and Ω follow from what a method carries."""


def lines_of(method: Method) -> int:
    """How many lines its step has."""
    step, _ = _parts_of(method)
    return len(_python_lines(step.body))


def _parts_of(method: Method) -> tuple[Unfolded, Unfolded | None]:
    """Its step and its start, refused if they need a name that no program defines."""
    step, start = unfolded(method)
    missing = {name for part in (step, start) if part for name in names_of(part)} - KNOWN
    if missing:
        raise NotWritten(f"{method.label} needs {listed(sorted(missing))}, which no program defines")
    return step, start


def python(
    method: Method, moments: ArrayLike, Omega0: ArrayLike, dt: float, steps: int, R0: ArrayLike | None = None
) -> str:
    """A program that moves a body by the method, which is refused by `NotWritten` if its step is not written out.

    Parameters
    ----------
    moments : the principal moments of inertia; all is in their axes.
    Omega0 : the angular velocity at the start.
    dt, steps : the step of a frame, and how many frames; each is divided if the method divides it.
    R0 : the attitude at the start; 1 if not given.
    """
    step, start = _parts_of(method)
    n = method.substeps
    held = n > 1 and "torque" in step.calls
    shown = [line for carried in method.carries[:2] for line in SHOWN[carried]]
    calls = _with_helpers(step.calls | (start.calls if start else frozenset()), "\n".join(shown))
    imports = {module: [n for n, m in IMPORTED.items() if m == module and n in calls] for module in IMPORTED.values()}
    first = "np.eye(3)" if R0 is None or np.array_equal(R0, np.eye(3)) else f"np.array({np.asarray(R0).tolist()})"
    state = ", ".join(method.carries)
    size = "np.float32(h)" if method.single else "h"

    def at(k: str) -> str:
        return f"np.float32({k} * h)" if method.single else f"{k} * h"

    def hold(time: str) -> list[str]:
        return [f"held = R @ applied({time}, R, Ω)"] if held else []

    def begin(time: str) -> list[str]:
        return [f"{state} = start({time}, {size}, R, Ω)"] if start else []

    anew = [*shown, *hold(at(f"{n} * k")), *(begin(at(f"{n} * k")) if len(method.carries) > 2 else [])]
    loop = [
        f"for k in range({steps}):",
        *(f"    {line}" for line in (anew if held else ())),
        *([f"    for i in range({n}):"] if n > 1 else []),
        f"{'        ' if n > 1 else '    '}{state} = step({at(f'({n} * k + i)' if n > 1 else 'k')}, {size}, {state})",
    ]
    parts = [
        f'"""{method.label}, {method.name}: the rule that Polhode runs{OF_32_BITS[method.single]}."""',
        "",
        *(["from functools import partial", ""] if method.single else []),
        "import numpy as np",
        *(f"from {module} import {', '.join(names)}" for module, names in imports.items() if names),
        "",
        *(SINGLE if method.single else []),
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
        *(_function("start", start, "What the step carries, at the start.") if start else ()),
        *_function("step", step, "One step of the size h."),
        "",
        f"h = {_written(dt / n)}",
        f"R, Ω = {first}, np.array({np.ravel(Omega0).tolist()})",
        *(hold("0.0") if start else []),
        *begin("0.0"),
        *loop,
        f"t = {steps * n} * h",
        *shown,
        "print(t, R, Ω)",
    ]
    text = _spaced("\n".join(parts)) + "\n"
    for make in ("array", "eye", "zeros") if method.single else ():
        text = text.replace(f"np.{make}(", f"{make}(")
    return text


OF_32_BITS = {False: "", True: ", with numbers of 32 bits"}
SINGLE = ["array, eye, zeros = (partial(make, dtype=np.float32) for make in (np.array, np.eye, np.zeros))"]
HELD = [
    "",
    "def torque(t, R, Ω=None):",
    '    """The same, held in space over a frame."""',
    "    return R.T @ held",
    "",
]
"""The torque of a step that divides a frame."""


def _written(h: float) -> str:
    """A step as people write it."""
    rate = round(1 / h)
    return f"1 / {rate}" if rate and 1 / rate == h else repr(h)


def _spaced(text: str) -> str:
    """With two empty lines at most, as before functions."""
    while "\n\n\n\n" in text:
        text = text.replace("\n\n\n\n", "\n\n\n")
    return text


def _with_helpers(calls: Iterable[str], shown: str) -> set[str]:
    """All that is called, also by the helpers and where R and Ω are made of the state."""
    found = {*calls, *(name for name in HELPERS if f"{name}(" in shown)}
    while more := {need for name in found for need in NEEDS.get(name, ())} - found:
        found |= more
    return found


def _function(name: str, of: Unfolded, doc: str) -> list[str]:
    lines = [f"    {line}" for line in _python_lines(of.body)]
    return [f"\ndef {name}({', '.join(of.parameters)}):", f'    """{doc}"""', *lines, ""]


class _ForNumPy(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        assert isinstance(node.func, ast.Name)
        if node.func.id == "Quat":
            return ast.parse(f"np.array([{', '.join(ast.unparse(each) for each in node.args)}])", mode="eval").body
        if node.func.id in OF_NUMPY:
            node.func = ast.Name(OF_NUMPY[node.func.id], ast.Load())
        return node


def _python_lines(body: Iterable[ast.stmt]) -> list[str]:
    tree = ast.parse("\n".join(ast.unparse(line) for line in body))
    text = ast.unparse(_ForNumPy().visit(tree))
    return [_bare(line) for line in text.splitlines()]


def _bare(line: str) -> str:
    """Without the brackets that `ast.unparse` puts around tuples."""
    mark = "return (" if line.lstrip().startswith("return (") else " = ("
    head, found, rest = line.partition(mark)
    return f"{head}{mark[:-1]}{rest[:-1]}" if found and "," in rest and _closes_last(rest) else line


def _closes_last(rest: str) -> bool:
    """Whether the bracket that was open before is the last of a text."""
    depth = 1
    for i, letter in enumerate(rest):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return i == len(rest) - 1
    return False


# ------------------------------------------------------------------------------------------------- pseudo-code

SAID = {
    "exp": "exp(v) is the rotation about v by |v| radians",
    "cay": "cay(v) is the rotation about v by 2 atan(|v|/2)",
    "dexp_matrix": "dexp_matrix(v) = 1 + (1 − cos |v|)/|v|² [v] + (|v| − sin |v|)/|v|³ [v]²",
    "dexpinv": "dexpinv(v, w) = w − ½ v × w + (1 − |v|/2 cot |v|/2)/|v|² v × (v × w)",
    "dexpinv_coefficient": "dexpinv_coefficient(x²) = (1 − x/2 cot x/2)/x²",
    "rodrigues": "rodrigues(v, a, b) = 1 + a [v] + b [v]²",
    "hat": "[v] is the matrix of v ×",
    "product": "q ⊗ p is the product of quaternions, where a vector has no scalar part",
    "rotation_of": "rotation_of(q) is the rotation of a unit quaternion",
    "quaternion_of": "quaternion_of(R) is the quaternion of a rotation, its scalar not negative",
    "torque": "torque is that in the body's axes, of time, attitude and perhaps Ω",
}
NAMES = {"Jinv": "J⁻¹", "zeros": "0"}
SUB = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
FRACTIONS = {"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾", "1/6": "⅙"}
ATOM, PRODUCT, SUM, WHOLE = 3, 2, 1, 0


def pseudo_code(method: Method) -> str:
    """The step in the signs of formulas, and what the words in it are; refused as `python` refuses."""
    step, start = _parts_of(method)
    calls = step.calls | (start.calls if start else frozenset())
    parts = [("at the start, from R and Ω:", start)] if start else []
    lines: list[str] = []
    for title, part in [*parts, ("each step, of the size h:", step)]:
        lines += [title, *(f"    {line}" for line in _pseudo(part.body, method.carries)), ""]
    n = method.substeps
    held = [f"A frame Δt is {n} steps of h = Δt/{n}; the torque of its start is held in space."] if n > 1 else []
    held += ["Numbers have 32 bits."] if method.single else []
    return "\n".join([*lines, *held, *(f"{said}." for name, said in SAID.items() if name in calls)]) + "\n"


def _pseudo(body: Iterable[ast.stmt], carried: tuple[str, ...]) -> list[str]:
    lines: list[str] = []
    for line in body:
        match line:
            case ast.Return(value=ast.Tuple(elts=values)):
                new = [(n, v) for n, v in zip(carried, values, strict=True) if n != ast.unparse(v)]
                if new:
                    lines.append(f"{', '.join(n for n, _ in new)} ← {', '.join(_said(v, SUM) for _, v in new)}")
            case ast.Assign(targets=[target], value=value):
                lines.append(f"{_said(target)} ← {_said(value)}")
            case ast.For(body=inner, iter=rounds):
                until = f"until {_changes(inner[-1])}" if isinstance(inner[-1], ast.If) else ""
                lines.append(f"repeat {until or f'{_said(rounds.args[0])} times'}:")  # type: ignore[attr-defined]
                lines += [f"    {each}" for each in _pseudo(inner[:-1] if until else inner, carried)]
            case ast.If(test=test):
                lines.append(f"if {_said(test)}: there is no solution")
    return lines


def _changes(test: ast.If) -> str:
    """When Newton's rounds end."""
    assert isinstance(test.test, ast.Compare)
    return f"{_said(test.test.left)} is next to nothing"


def _said(node: ast.AST, tight: int = WHOLE) -> str:
    text, binds = _text(node)
    return f"({text})" if binds < tight else text


def _text(node: ast.AST) -> tuple[str, int]:
    """An expression in signs, and how tightly it holds together."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return format(value, ".6g"), ATOM
        case ast.Name(id=name):
            name, _, again = name.partition("_") if name[-1].isdigit() else (name, "", "")
            plain = name.rstrip("0123456789")
            return NAMES.get(name, plain + name[len(plain) :].translate(SUB) + "′" * int(again or 0)), ATOM
        case ast.Attribute(value=value):
            return f"{_said(value, ATOM)}ᵀ", ATOM
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return ", ".join(_said(part) for part in parts), WHOLE
        case ast.Subscript(value=value, slice=at):
            entries = "".join(str(i.value + 1) for i in ast.walk(at) if isinstance(i, ast.Constant))  # type: ignore[operator]
            return f"{_said(value, ATOM)}{entries.translate(SUB)}", ATOM
        case ast.UnaryOp(op=ast.USub(), operand=of):
            return f"−{_said(of, PRODUCT)}", PRODUCT
        case ast.UnaryOp(operand=of):
            return f"not {_said(of)}", WHOLE
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return f"{_said(left, SUM)} + {_said(right, SUM)}", SUM
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            return f"{_said(left, SUM)} − {_said(right, PRODUCT)}", SUM
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            quotient = f"{_said(left, PRODUCT)}/{_said(right, ATOM)}"
            return FRACTIONS.get(quotient, quotient), PRODUCT
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            power = _said(right, ATOM)
            return f"{_said(left, ATOM)}{power.translate(POWERS) if power.isdigit() else f'^{power}'}", ATOM
        case ast.BinOp(left=left, right=right):
            return f"{_said(left, PRODUCT)} {_said(right, PRODUCT)}", PRODUCT
        case ast.IfExp(test=test, body=yes, orelse=no):
            return f"{_said(yes)} if {_said(test)}, else {_said(no)}", WHOLE
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            sign = {ast.Gt: ">", ast.GtE: "≥", ast.Lt: "<", ast.LtE: "≤"}[type(op)]
            return f"{_said(left)} {sign} {_said(right)}", WHOLE
        case ast.Call(func=ast.Name(id=name), args=given):
            return _called(name, given)
    raise NotWritten(f"{ast.unparse(node)} has no signs")


def _called(name: str, given: list[ast.expr]) -> tuple[str, int]:
    match name, given:
        case (("cross" | "dot" | "product"), [a, b]):
            sign = {"cross": "×", "dot": "·", "product": "⊗"}[name]
            return f"{_said(a, ATOM)} {sign} {_said(b, ATOM)}", SUM
        case "norm", [a]:
            return f"|{_said(a)}|", ATOM
        case "hat", [a]:
            return f"[{_said(a)}]", ATOM
        case "outer", [a, b]:
            return f"{_said(a, ATOM)} {_said(b, ATOM)}ᵀ", PRODUCT
        case "solve", [m, b]:
            return f"{_said(m, ATOM)}⁻¹ {_said(b, PRODUCT)}", PRODUCT
        case "eye", _:
            return "1", ATOM
        case "zeros", _:
            return "0", ATOM
        case "array", [of]:
            return f"({_said(of)})", ATOM
        case "Quat", [x, y, z, w]:
            return f"({_said(w)}; {_said(x)}, {_said(y)}, {_said(z)})", ATOM
        case "sqrt", [a]:
            return f"√({_said(a)})", ATOM
    return f"{name}({', '.join(_said(each) for each in given)})", ATOM
