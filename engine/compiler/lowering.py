"""Teaches Numba the value types, by running their own Python methods on symbols.

A value becomes an LLVM structure of doubles. To lower, say, Mat3 @ Vec3, the method `Mat3.__matmul__`
runs once on values whose components are `Symbol`s; each addition and multiplication of symbols
appends one instruction. So a product is a handful of multiplications and additions in registers,
compiles in no time, and is written down once, in `engine.algebra`.
"""

from __future__ import annotations

import itertools
import operator
import types as pytypes
import typing
from collections.abc import Callable, Iterable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.extending import (
    intrinsic,
    lower_builtin,
    lower_getattr,
    make_attribute_wrapper,
    models,
    overload,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
)
from numba.core.imputils import lower_constant
from numba.core.typing.templates import (
    AttributeTemplate,
    ConcreteTemplate,
    infer_getattr,
    infer_global,
    signature,
)

from ..algebra import linear, pairs, rotations, values
from ..algebra.seldom import SELDOM
from .reach import names_of

DOUBLE = ir.DoubleType()

JIT_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True}
"""`contract` allows fused multiply-adds; a full fastmath would delete the checks for nan."""

INLINED = JIT_OPTIONS | {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Symbol:
    """A double that the program under construction will have, with the arithmetic of a float."""

    __slots__ = ("builder", "value")

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder, self.value = builder, value

    def _instruction(self, name: str, left: Any, right: Any) -> Symbol:
        if not (isinstance(left, Symbol | float | int) and isinstance(right, Symbol | float | int)):
            return NotImplemented  # a value type, which knows how to multiply itself by a scalar
        return Symbol(self.builder, getattr(self.builder, name)(_double(left), _double(right)))

    def __add__(self, other: Any) -> Symbol:
        return self._instruction("fadd", self, other)

    def __radd__(self, other: Any) -> Symbol:
        return self._instruction("fadd", other, self)

    def __sub__(self, other: Any) -> Symbol:
        return self._instruction("fsub", self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return self._instruction("fsub", other, self)

    def __mul__(self, other: Any) -> Symbol:
        return self._instruction("fmul", self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return self._instruction("fmul", other, self)

    def __truediv__(self, other: Any) -> Symbol:
        return self._instruction("fdiv", self, other)

    def __rtruediv__(self, other: Any) -> Symbol:
        return self._instruction("fdiv", other, self)

    def __neg__(self) -> Symbol:
        return Symbol(self.builder, self.builder.fneg(self.value))


def _double(x: Symbol | float) -> ir.Value:
    return x.value if isinstance(x, Symbol) else ir.Constant(DOUBLE, float(x))


class ValueType(types.Type):
    """The Numba type of one of the value classes."""

    def __init__(self, cls: type, fields: tuple[str, ...]) -> None:
        self.cls, self.fields = cls, fields
        super().__init__(cls.__name__)


class AxisType(types.Type):
    """The Numba type of one of the three axes: the axis is known while compiling."""

    def __init__(self, axis: values.Axis) -> None:
        self.axis = axis
        super().__init__(repr(axis))


def _slots(cls: type) -> tuple[str, ...]:
    return next(base.__slots__ for base in cls.__mro__ if getattr(base, "__slots__", ()))  # type: ignore[attr-defined]


VALUE_TYPES: dict[type, ValueType] = {
    cls: ValueType(cls, _slots(cls) if cls is not values.Zero3 else ())
    for cls in (
        values.Vec3,
        values.Vec4,
        values.Mat3,
        values.Diag3,
        *values.TURNS,
        values.Zero3,
        values.Quat,
        pairs.Gravity,
        pairs.Relative,
    )
}
AXIS_TYPES = [AxisType(axis) for axis in (values.e1, values.e2, values.e3)]


def symbols(builder: ir.IRBuilder, ty: types.Type, value: ir.Value) -> Any:
    """The Python object that stands for a compiled value: its components are symbols."""
    if ty == types.float64:
        return Symbol(builder, value)
    return ty.cls(*(Symbol(builder, builder.extract_value(value, i)) for i in range(len(ty.fields))))


def assembled(context: Any, builder: ir.IRBuilder, ty: types.Type, components: Iterable[Any]) -> ir.Value:
    """The compiled value with the given components."""
    struct = ir.Constant(context.get_value_type(ty), ir.Undefined)
    for i, component in enumerate(components):
        struct = builder.insert_value(struct, _double(component), i)
    return struct


def _lower(trace: Callable[..., Any]) -> Callable[..., Any]:
    """The lowering that runs `trace` on symbols and returns what it returns."""

    def lowering(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        result = trace(*(symbols(builder, ty, arg) for ty, arg in zip(sig.args, args, strict=True)))
        if sig.return_type == types.float64:
            return _double(result)
        return assembled(context, builder, sig.return_type, result)

    return lowering


def _sample(ty: types.Type) -> Any:
    return 0.5 if ty == types.float64 else ty.cls(*(1.0 / (1 + i * i) for i in range(len(ty.fields))))


def _type_of(sample: Any) -> types.Type:
    return types.float64 if isinstance(sample, float) else VALUE_TYPES[type(sample)]


def _define(function: Callable[..., Any], argument_types: tuple[types.Type, ...], *names: Callable[..., Any]) -> None:
    """Make `function` compile for these types, if plain Python defines it for them; `names` mean the same."""
    try:
        result = function(*(_sample(ty) for ty in argument_types))
    except (TypeError, AttributeError):
        return
    cases = [signature(_type_of(result), *argument_types)]
    for name in (function, *names):
        infer_global(name)(type("ValueTemplate", (ConcreteTemplate,), {"cases": cases}))
        lower_builtin(name, *argument_types)(_lower(function))


def _define_model(ty: ValueType) -> None:
    members = [(name, types.float64) for name in ty.fields]

    class Model(models.StructModel):  # type: ignore[misc]
        def __init__(self, manager: Any, fe_type: Any) -> None:
            super().__init__(manager, fe_type, members)

    # One model and one attribute template a class: Numba keys both by class, so each type needs its own.
    own = type(ty.name + "Type", (ValueType,), {})
    ty.__class__ = own
    register_model(own)(Model)
    for name in ty.fields:
        make_attribute_wrapper(own, name, name)
    typeof_impl.register(ty.cls)(lambda value, context: ty)
    type_callable(ty.cls)(_constructor_typing(ty))
    lower_builtin(ty.cls, *[types.float64] * len(ty.fields))(
        lambda context, builder, sig, args: assembled(context, builder, ty, (Symbol(builder, a) for a in args))
    )
    lower_constant(own)(lambda context, builder, t, value: assembled(context, builder, ty, value))
    for name, member in vars(values.AxisRot if ty.cls in values.TURNS else ty.cls).items():
        if isinstance(member, property):
            _define_property(own, ty, name, member)


def _constructor_typing(ty: ValueType) -> Callable[..., Any]:
    names = ", ".join(f"a{i}" for i in range(len(ty.fields)))
    return lambda context: eval(f"lambda {names}: ty", {"ty": ty})  # Numba reads the number of parameters


def _define_property(own: type, ty: ValueType, name: str, member: property) -> None:
    getter = member.fget
    assert getter is not None
    result = _type_of(getter(_sample(ty)))
    infer_getattr(
        type("PropertyTemplate", (AttributeTemplate,), {"key": own, f"resolve_{name}": lambda self, value: result})
    )
    lower = _lower(getter)
    lower_getattr(own, name)(
        lambda context, builder, t, value: lower(context, builder, signature(result, ty), (value,))
    )


def _define_axis(ty: AxisType) -> None:
    own = type(ty.name + "Type", (AxisType,), {})
    ty.__class__ = own
    index, turn = ty.axis.index, values.TURNS[ty.axis.index]
    register_model(own)(models.OpaqueModel)
    lower_constant(own)(lambda context, builder, t, value: context.get_dummy_value())
    if index == 0:
        overload_method(own, "of")(lambda axis, v: lambda axis, v: v.x)
    elif index == 1:
        overload_method(own, "of")(lambda axis, v: lambda axis, v: v.y)
    else:
        overload_method(own, "of")(lambda axis, v: lambda axis, v: v.z)
    overload_method(own, "turn")(lambda axis, c, s: lambda axis, c, s: turn(c, s))


class WeightsType(types.Type):
    """The type of constant weights."""

    def __init__(self, weights: tuple[float, ...]) -> None:
        self.weights = weights
        super().__init__(f"Weights{weights}")


register_model(WeightsType)(models.OpaqueModel)
lower_constant(WeightsType)(lambda context, builder, ty, value: context.get_dummy_value())
typeof_impl.register(values.Weights)(lambda weights, context: WeightsType(tuple(weights)))


@intrinsic  # type: ignore[misc]
def _combination(typing_context: Any, weights: Any, summands: Any) -> Any:
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        terms = tuple(symbols(builder, ty, builder.extract_value(args[1], i)) for i, ty in enumerate(summands))
        return assembled(context, builder, summands[0], linear.combination(values.Weights(weights.weights), terms))

    return summands[0](weights, summands), lower


overload(linear.combination)(lambda weights, values: lambda weights, values: _combination(weights, values))

_adopted: set[pytypes.FunctionType] = {linear.combination}


def adopt(function: Callable[..., Any]) -> None:
    """Let compiled code call a plain Python function, and all plain functions that it names.

    Numba's own, such as `carray`, it can call already, and their Python is none that could be compiled.
    """
    if not isinstance(function, pytypes.FunctionType) or function in _adopted:
        return
    if function.__module__.partition(".")[0] == "numba":
        return
    _adopted.add(function)
    options = JIT_OPTIONS if function in SELDOM else INLINED
    overload(function, jit_options=options, strict=False)(lambda *args: function)
    for used in names_of(function).values():
        adopt(used)


STRAIGHT_LINE = (
    linear.dot,
    linear.cross,
    linear.hat,
    linear.vee,
    linear.outer,
    linear.trace,
    linear.full,
    linear.cofactor,
    linear.dot_entries,
    linear.gyroscopic_tangent,
    linear.solve,
    linear.least_change,
    linear.null_vector,
    rotations.rodrigues,
    rotations.rodrigues_times,
    rotations.times_rodrigues,
    rotations.dcayinv,
    rotations.rotation_of,
    pairs.gravity,
    pairs.relative,
)
"""Functions without a branch or a library call: traced as the operators are."""


def alternatives(hint: Any) -> tuple[Any, ...]:
    """The types that an annotation allows: those of a union, or of a type variable."""
    return typing.get_args(hint) or getattr(hint, "__constraints__", ()) or (hint,)


def _register() -> None:
    for ty in VALUE_TYPES.values():
        _define_model(ty)
    for axis_type in AXIS_TYPES:
        _define_axis(axis_type)
    typeof_impl.register(values.Axis)(lambda axis, context: AXIS_TYPES[axis.index])
    every = [*VALUE_TYPES.values(), types.float64]
    for ty in VALUE_TYPES.values():
        _define(operator.neg, (ty,))
    for op, in_place in (
        (operator.add, operator.iadd),
        (operator.sub, operator.isub),
        (operator.mul, operator.imul),
        (operator.truediv, operator.itruediv),
        (operator.matmul, operator.imatmul),
    ):
        for left in every:
            for right in every:
                if left != types.float64 or right != types.float64:
                    _define(op, (left, right), in_place)
    for function in STRAIGHT_LINE:
        hints = typing.get_type_hints(function)
        hints.pop("return")
        for hinted in itertools.product(*map(alternatives, hints.values())):
            _define(function, tuple(types.float64 if t is float else VALUE_TYPES[t] for t in hinted))
        _adopted.add(function)


_register()
