"""The compiler's own forms of the body, and of what reads and writes a kernel's memory."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import (
    intrinsic,
    make_attribute_wrapper,
    models,
    overload_method,
    register_model,
    typeof_impl,
)
from numba.core.imputils import lower_constant

from ..algebra import Diag3, Mat3, Vec3
from ..field import Attraction, Field
from . import kernel, lowering
from .body import difference, euler_ratios, note_if_bad, torque_differences
from .layout import (
    AXES,
    ENERGY,
    FIELD_CAPACITY,
    FIELD_NUMBERS,
    FIGURE_AXIS,
    INERTIA,
    LANES,
    LEDGER,
    NEWTON_ITERATIONS,
    NO_SOLUTION,
    NOT_FOUND,
    OPTION_NUMBERS,
    PAIR_INERTIA,
    PAIR_MASSES,
    PARAMETERS,
    POTENTIAL_POINTER,
    TORQUE_EVALUATIONS,
    TORQUE_POINTER,
    UNCORRECTED,
    UNSOLVED,
)
from .lowering import DOUBLE, INLINED, VALUE_TYPES, adopt, assembled
from .pointer import POINTER, POINTER_WITH_POTENTIAL

DOUBLES = types.CPointer(types.float64)
INTEGERS = types.CPointer(types.int64)
VEC3, MAT3, DIAG3 = VALUE_TYPES[Vec3], VALUE_TYPES[Mat3], VALUE_TYPES[Diag3]


class FieldType(types.Type):
    """The type of one field: which torque it is, is known while compiling."""

    def __init__(self, field: Field) -> None:
        self.field = field
        super().__init__(f"Field({field.name})")


class AttractionType(types.Type):
    """The type of one attraction: which it is, is known while compiling."""

    def __init__(self, attraction: Attraction) -> None:
        self.attraction = attraction
        super().__init__(f"Attraction({attraction.name})")


class SystemType(types.Type):
    """What a step function is handed first: one body, or two."""


class BodyType(SystemType):
    """The type of a body in one field."""

    def __init__(self, field: Field) -> None:
        self.field = field
        super().__init__(f"Body({field.name})")


class BodiesType(SystemType):
    """The type of two bodies that attract each other in one way."""

    def __init__(self, attraction: Attraction) -> None:
        self.attraction = attraction
        super().__init__(f"Bodies({attraction.name})")


class NumberType(types.Type):
    """The type of an option that is a number, read when the kernel runs."""

    def __init__(self, slot: int) -> None:
        self.slot = slot
        super().__init__(f"Number({slot})")


class FunctionOption:
    """An option that is a function, as a constant that kernels can be built with."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher


class FunctionOptionType(types.Callable, types.Opaque):  # type: ignore[misc]
    """The type of an option that is a function: it is known while compiling, and a call of it is a direct one.

    (A tuple of Numba's own dispatchers would become a tuple of function pointers.)
    """

    def __init__(self, dispatcher: Any) -> None:
        self.function = types.Dispatcher(dispatcher)
        super().__init__(f"FunctionOption({dispatcher.py_func.__qualname__}, {id(dispatcher)})")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        return self.function.get_call_type(context, args, kws)

    def get_call_signatures(self) -> Any:
        """The signatures known so far."""
        return self.function.get_call_signatures()

    def get_impl_key(self, sig: Any) -> Any:
        """What is called."""
        return self.function.get_impl_key(sig)


typeof_impl.register(FunctionOption)(lambda option, context: FunctionOptionType(option.dispatcher))
typeof_impl.register(Field)(lambda field, context: FieldType(field))
typeof_impl.register(Attraction)(lambda attraction, context: AttractionType(attraction))
typeof_impl.register(kernel.Number)(lambda number, context: NumberType(number.slot))
for opaque in (FieldType, AttractionType, NumberType, FunctionOptionType):
    register_model(opaque)(models.OpaqueModel)
    lower_constant(opaque)(lambda context, builder, ty, value: context.get_dummy_value())


@register_model(BodyType)
class _BodyModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: Any) -> None:
        members = [
            ("J", DIAG3),
            ("Jinv", DIAG3),
            ("ratios", DIAG3),
            ("energy", types.float64),
            ("axes", MAT3),
            ("chi", VEC3),
            ("p", types.UniTuple(types.float64, FIELD_CAPACITY)),
            ("ledger", INTEGERS),
        ]
        super().__init__(manager, fe_type, members)


for _name in ("J", "Jinv", "ratios", "energy", "axes", "chi", "p", "ledger"):
    make_attribute_wrapper(BodyType, _name, _name)


BODIES_MEMBERS: list[tuple[str, types.Type]] = [
    *((name, types.float64) for name in ("m1", "m2", "m")),
    *((name, DIAG3) for name in ("J1", "J2", "J1inv", "J2inv")),
    ("p", DOUBLES),
    ("ledger", INTEGERS),
]


@register_model(BodiesType)
class _BodiesModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, BODIES_MEMBERS)


for _name, _ in BODIES_MEMBERS:
    make_attribute_wrapper(BodiesType, _name, _name)


def _loads(builder: ir.IRBuilder, pointer: ir.Value, start: int, n: int, stride: int = 1) -> list[lowering.Symbol]:
    at = [builder.gep(pointer, [ir.Constant(ir.IntType(64), start + i * stride)]) for i in range(n)]
    return [lowering.Symbol(builder, builder.load(address)) for address in at]


@intrinsic  # type: ignore[misc]
def _body_of(typing_context: Any, field: Any, parameters: Any, ledger: Any) -> Any:
    if isinstance(field, AttractionType):
        return _bodies_of(field, parameters, ledger)
    body_type = BodyType(field.field)

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        _, at, ledger_at = args
        body = cgutils.create_struct_proxy(body_type)(context, builder)
        inertia = Diag3(*_loads(builder, at, INERTIA, 3))  # type: ignore[arg-type]
        body.J = assembled(context, builder, DIAG3, inertia)
        body.Jinv = assembled(context, builder, DIAG3, inertia.inv)
        body.ratios = assembled(context, builder, DIAG3, euler_ratios(inertia))
        body.energy = _loads(builder, at, ENERGY, 1)[0].value
        body.axes = assembled(context, builder, MAT3, _loads(builder, at, AXES, 9))
        body.chi = assembled(context, builder, VEC3, _loads(builder, at, FIGURE_AXIS, 3))
        numbers = _loads(builder, at, FIELD_NUMBERS, FIELD_CAPACITY)
        body.p = context.make_tuple(
            builder, types.UniTuple(types.float64, FIELD_CAPACITY), [number.value for number in numbers]
        )
        body.ledger = ledger_at
        return body._getvalue()

    return body_type(field, parameters, ledger), lower


def _bodies_of(attraction: AttractionType, parameters: Any, ledger: Any) -> Any:
    bodies_type = BodiesType(attraction.attraction)

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        _, at, ledger_at = args
        bodies = cgutils.create_struct_proxy(bodies_type)(context, builder)
        m1, m2 = _loads(builder, at, PAIR_MASSES, 2)
        bodies.m1, bodies.m2, bodies.m = m1.value, m2.value, (m1 * m2 / (m1 + m2)).value
        for name, start in (("J1", PAIR_INERTIA), ("J2", PAIR_INERTIA + 3)):
            inertia = Diag3(*_loads(builder, at, start, 3))  # type: ignore[arg-type]
            setattr(bodies, name, assembled(context, builder, DIAG3, inertia))
            setattr(bodies, f"{name}inv", assembled(context, builder, DIAG3, inertia.inv))
        bodies.p = builder.gep(at, [ir.Constant(ir.IntType(64), PARAMETERS)])
        bodies.ledger = ledger_at
        return bodies._getvalue()

    return bodies_type(attraction, parameters, ledger), lower


@intrinsic  # type: ignore[misc]
def _options_of(typing_context: Any, options: Any, parameters: Any) -> Any:
    result = types.BaseTuple.from_types([types.float64 if isinstance(ty, NumberType) else ty for ty in options])

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        given, at = args
        items = []
        for i, ty in enumerate(options):
            if isinstance(ty, NumberType):
                items.append(_loads(builder, at, OPTION_NUMBERS + ty.slot, 1)[0].value)
            else:
                items.append(builder.extract_value(given, i))
        return context.make_tuple(builder, result, items)

    return result(options, parameters), lower


@intrinsic  # type: ignore[misc]
def _raised(typing_context: Any, stop: Any) -> Any:
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        flag = builder.load_atomic(args[0], "monotonic", 8)
        return builder.icmp_signed("!=", flag, ir.Constant(ir.IntType(64), 0))

    return types.boolean(stop), lower


def _putting(stride: int) -> Any:
    """Write the components of the values `stride` doubles apart."""

    @intrinsic  # type: ignore[misc]
    def put(typing_context: Any, memory: Any, at: Any, values: Any) -> Any:
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
            pointer, start, given = args
            pointer = builder.gep(pointer, [start])
            offset = 0
            for i, ty in enumerate(values):
                value = builder.extract_value(given, i)
                for component in _components(builder, ty, value):
                    builder.store(component, builder.gep(pointer, [ir.Constant(ir.IntType(64), offset)]))
                    offset += stride
            return context.get_dummy_value()

        return types.void(memory, types.int64, values), lower

    return put


def _components(builder: ir.IRBuilder, ty: types.Type, value: ir.Value) -> list[ir.Value]:
    if ty == types.float64:
        return [value]
    return [builder.extract_value(value, i) for i in range(len(ty.fields))]


def _unpacking(stride: int) -> Any:
    """Read values of the same make as `like`, whose components are `stride` doubles apart."""

    @intrinsic  # type: ignore[misc]
    def unpacked(typing_context: Any, memory: Any, at: Any, like: Any) -> Any:
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
            pointer, offset, values = builder.gep(args[0], [args[1]]), 0, []
            for ty in like:
                n = 1 if ty == types.float64 else len(ty.fields)
                loaded = _loads(builder, pointer, offset, n, stride)
                values.append(loaded[0].value if ty == types.float64 else assembled(context, builder, ty, loaded))
                offset += n * stride
            return context.make_tuple(builder, like, values)

        return like(memory, types.int64, like), lower

    return unpacked


def _reading_lane(ty: lowering.ValueType) -> Any:
    """Read one value of a lane."""

    @intrinsic  # type: ignore[misc]
    def read(typing_context: Any, memory: Any, at: Any) -> Any:
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
            loaded = _loads(builder, builder.gep(args[0], [args[1]]), 0, len(ty.fields), LANES)
            return assembled(context, builder, ty, loaded)

        return ty(memory, types.int64), lower

    return read


@intrinsic  # type: ignore[misc]
def _ledger_of_one(typing_context: Any, ledger: Any) -> Any:
    """Memory of the kernel itself: nothing outside points there, so that it becomes registers."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        integer = ir.IntType(64)
        own = cgutils.alloca_once(builder, integer, size=ir.Constant(integer, LEDGER))
        for i in range(LEDGER):
            place = [ir.Constant(integer, i)]
            shared = i in (TORQUE_POINTER, POTENTIAL_POINTER)
            value = builder.load(builder.gep(args[0], place)) if shared else ir.Constant(integer, 0)
            builder.store(value, builder.gep(own, place))
        return own

    return INTEGERS(ledger), lower


@intrinsic  # type: ignore[misc]
def _with_energy(typing_context: Any, body: Any, energy: Any) -> Any:
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        changed = cgutils.create_struct_proxy(body)(context, builder, value=args[0])
        changed.energy = args[1]
        return changed._getvalue()

    return body(body, types.float64), lower


@intrinsic  # type: ignore[misc]
def _widen(typing_context: Any, extrema: Any, seen: Any) -> Any:
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        pointer, values = args
        n = len(seen)
        for i in range(n):
            value = builder.extract_value(values, i)
            # Extrema seldom change: a comparison that is seldom true is cheaper than a store at each step.
            for position, worse in ((i, "<"), (n + i, ">")):
                at = builder.gep(pointer, [ir.Constant(ir.IntType(64), position)])
                with builder.if_then(builder.fcmp_ordered(worse, value, builder.load(at)), likely=False):
                    builder.store(value, at)
        return context.get_dummy_value()

    return types.void(extrema, seen), lower


@intrinsic  # type: ignore[misc]
def _call_torque(typing_context: Any, pointer: Any, t: Any, R: Any) -> Any:
    """Call void torque(double t, const double R[9], double torque[3]), the caller's own."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        address, time, attitude = args
        out = cgutils.alloca_once(builder, ir.ArrayType(DOUBLE, 3))
        at = cgutils.alloca_once(builder, ir.ArrayType(DOUBLE, 9))
        for i in range(9):
            builder.store(builder.extract_value(attitude, i), cgutils.gep(builder, at, 0, i))
        doubles = DOUBLE.as_pointer()
        signature = ir.FunctionType(ir.VoidType(), [DOUBLE, doubles, doubles])
        function = builder.inttoptr(address, signature.as_pointer())
        builder.call(function, [time, cgutils.gep(builder, at, 0, 0), cgutils.gep(builder, out, 0, 0)])
        loaded = [lowering.Symbol(builder, builder.load(cgutils.gep(builder, out, 0, i))) for i in range(3)]
        return assembled(context, builder, VEC3, loaded)

    return VEC3(pointer, t, R), lower


@intrinsic  # type: ignore[misc]
def _call_potential(typing_context: Any, pointer: Any, t: Any, R: Any) -> Any:
    """Call double potential(double t, const double R[9]), the caller's own."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        address, time, attitude = args
        at = cgutils.alloca_once(builder, ir.ArrayType(DOUBLE, 9))
        for i in range(9):
            builder.store(builder.extract_value(attitude, i), cgutils.gep(builder, at, 0, i))
        function = builder.inttoptr(address, ir.FunctionType(DOUBLE, [DOUBLE, DOUBLE.as_pointer()]).as_pointer())
        return builder.call(function, [time, cgutils.gep(builder, at, 0, 0)])

    return types.float64(pointer, t, R), lower


MEMORY = {
    "body_of": _body_of,
    "options_of": _options_of,
    "raised": _raised,
    "put": _putting(1),
    "unpacked": _unpacking(1),
    "widen": _widen,
    "ledger_of_one": _ledger_of_one,
    "with_energy": _with_energy,
    "put_across": _putting(LANES),
    "unpacked_across": _unpacking(LANES),
    "matrix_across": _reading_lane(MAT3),
    "vector_across": _reading_lane(VEC3),
}
"""What a compiled kernel uses in place of the plain functions of these names in `kernel.py`."""

for _function in (note_if_bad, torque_differences, difference):
    adopt(_function)


@overload_method(BodyType, "torque", jit_options=INLINED)
def _torque(body, t, R):  # type: ignore[no-untyped-def]
    field = body.field
    if field in (POINTER, POINTER_WITH_POTENTIAL):

        def called(body, t, R):  # type: ignore[no-untyped-def]
            body.ledger[TORQUE_EVALUATIONS] += 1
            attitude = R @ body.axes.T
            T = body.axes.T @ (attitude.T @ _call_torque(body.ledger[TORQUE_POINTER], t, attitude))
            note_if_bad(T, body.ledger)
            return T

        return called
    torque, own_axes = field.torque, field.own_axes
    adopt(torque)
    if field.name == "free":
        return lambda body, t, R: torque(t, R, body.p)
    if own_axes:

        def written_in_own_axes(body, t, R):  # type: ignore[no-untyped-def]
            body.ledger[TORQUE_EVALUATIONS] += 1
            T = body.axes.T @ torque(t, R @ body.axes.T, body.p)
            note_if_bad(T, body.ledger)
            return T

        return written_in_own_axes

    def written(body, t, R):  # type: ignore[no-untyped-def]
        body.ledger[TORQUE_EVALUATIONS] += 1
        return torque(t, R, body.p)

    return written


@overload_method(BodyType, "spatial_torque", jit_options=INLINED)
def _spatial_torque(body, t, R):  # type: ignore[no-untyped-def]
    return lambda body, t, R: R @ body.torque(t, R)


@overload_method(BodyType, "torque_tangent", jit_options=INLINED)
def _torque_tangent(body, t, R, M):  # type: ignore[no-untyped-def]
    tangent = body.field.tangent
    if tangent is None:
        return lambda body, t, R, M: torque_differences(body, t, R) @ M
    adopt(tangent)
    return lambda body, t, R, M: tangent(t, R, M, body.p)


@overload_method(BodyType, "torque_rate", jit_options=INLINED)
def _torque_rate(body, t, R, Omega):  # type: ignore[no-untyped-def]
    rate = body.field.rate
    adopt(rate)
    return lambda body, t, R, Omega: rate(t, R, Omega, body.p)


@overload_method(BodyType, "torque_rate2", jit_options=INLINED)
def _torque_rate2(body, t, R, Omega, A):  # type: ignore[no-untyped-def]
    rate2 = body.field.rate2
    adopt(rate2)
    return lambda body, t, R, Omega, A: rate2(t, R, Omega, A, body.p)


@overload_method(BodyType, "potential", jit_options=INLINED)
def _potential(body, t, R):  # type: ignore[no-untyped-def]
    field = body.field
    if field.potential is None:
        return lambda body, t, R: 0.0
    if field in (POINTER, POINTER_WITH_POTENTIAL):
        return lambda body, t, R: _call_potential(body.ledger[POTENTIAL_POINTER], t, R @ body.axes.T)
    potential = field.potential
    adopt(potential)
    if field.own_axes:
        return lambda body, t, R: potential(t, R @ body.axes.T, body.p)
    return lambda body, t, R: potential(t, R, body.p)


@overload_method(BodiesType, "gravity", jit_options=INLINED)
def _gravity(bodies, X, R):  # type: ignore[no-untyped-def]
    gravity = bodies.attraction.gravity
    adopt(gravity)

    def counted(bodies, X, R):  # type: ignore[no-untyped-def]
        bodies.ledger[TORQUE_EVALUATIONS] += 1
        return gravity(X, R, bodies.p)

    return counted


@overload_method(SystemType, "count_newton", jit_options=INLINED)
def _count_newton(body, iterations):  # type: ignore[no-untyped-def]
    def count(body, iterations):  # type: ignore[no-untyped-def]
        body.ledger[NEWTON_ITERATIONS] += iterations

    return count


@overload_method(BodyType, "count_uncorrected", jit_options=INLINED)
def _count_uncorrected(body):  # type: ignore[no-untyped-def]
    def count(body):  # type: ignore[no-untyped-def]
        body.ledger[UNCORRECTED] += 1

    return count


@overload_method(SystemType, "not_found", jit_options=INLINED)
def _not_found(body):  # type: ignore[no-untyped-def]
    def note(body):  # type: ignore[no-untyped-def]
        body.ledger[UNSOLVED] = NOT_FOUND

    return note


@overload_method(SystemType, "no_solution", jit_options=INLINED)
def _no_solution(body):  # type: ignore[no-untyped-def]
    def note(body):  # type: ignore[no-untyped-def]
        body.ledger[UNSOLVED] = NO_SOLUTION

    return note


KERNEL_SIGNATURE = types.void(
    DOUBLES, DOUBLES, INTEGERS, INTEGERS, DOUBLES, DOUBLES, DOUBLES, types.float64, types.int64, types.int64
)
