"""Methods: the declaration that the API, the documentation and the tests use; the registry."""

from __future__ import annotations

import functools
import importlib
import itertools
import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeVar

from ...parameters.names import (
    claim_names,
    find_declaring_module,
    fold,
    load_announced,
    new_registry,
    new_table,
    parse_name,
    unknown_name,
)
from ...parameters.parameter import Parameter, index_by_name, resolve_names
from ...text import SPACES, quote
from ...text.formatting import join_words, show
from .composition import Composition, find_composition
from .promises import MOTIONS, QUANTITIES, Order, Promises
from .step_options import PRECISION, STEP_OPTIONS

DENOMINATOR = 64
"""The largest denominator of a place in a step that is written as a fraction."""


@dataclass(frozen=True)
class BodyState:
    """The state of one body: R or q, then Ω, Π or π, then further variables.

    `start(body, t, h, R, Ω, *options)` makes the first one; by default R and the momentum or
    velocity of the state.
    """

    space: ClassVar[str] = "so3"
    step_options: ClassVar[tuple[Parameter, ...]] = STEP_OPTIONS
    """The options of every method with steps of a given size, besides its own."""
    has_energy: ClassVar[bool] = True
    """Whether the motion has an energy that a correction could restore."""
    has_forces: ClassVar[bool] = True
    """Whether forces or torques act, so that a step may be symplectic."""
    reads: ClassVar[str] = ""
    """What a step reads of given rates, in words."""

    start: Callable[..., Any] | None = None

    def check(self, key: str, carries: tuple[str, ...]) -> None:
        """Refuse a step that carries anything else."""
        if len(carries) < 2 or carries[0] not in "Rq" or carries[1] not in ("Ω", "Π", "π"):
            raise ValueError(
                f"{key}: a state begins with R or q and Ω, Π or π; this one carries {carries}"
            )


@dataclass(frozen=True)
class PairState:
    """The state of two bodies, in any variables.

    `start(bodies, t, h, R1, R2, Ω1, Ω2, x1, x2, v1, v2, *options)` makes the first one, and
    `view(bodies, state)` returns these eight and the gravity there.
    """

    space: ClassVar[str] = "se3"
    step_options: ClassVar[tuple[Parameter, ...]] = ()
    has_energy: ClassVar[bool] = False
    has_forces: ClassVar[bool] = True
    reads: ClassVar[str] = ""

    start: Callable[..., Any]
    view: Callable[..., Any]

    def check(self, key: str, carries: tuple[str, ...]) -> None:
        """Accept any state."""


@dataclass(frozen=True, kw_only=True)
class RateState:
    """The state of an attitude whose rates are given: R or q, then further variables.

    Attributes
    ----------
    rates_at : the places in a step, 0 its start and 1 its end, at which it calls `gyro.rate`.
    increments : the number of equal parts of a step for which it calls `gyro.increment`; 0 for
        none.
    start : (gyro, t, h, R, *options) → the first state; by default R, or its quaternion.
    """

    space: ClassVar[str] = "rates"
    step_options: ClassVar[tuple[Parameter, ...]] = (PRECISION,)
    has_energy: ClassVar[bool] = False
    has_forces: ClassVar[bool] = False

    rates_at: tuple[float, ...] = ()
    increments: int = 0
    start: Callable[..., Any] | None = None

    def check(self, key: str, carries: tuple[str, ...]) -> None:
        """Refuse a step that does not carry an attitude."""
        if not carries or carries[0] not in ("R", "q"):
            raise ValueError(f"{key}: a state begins with R or q; this one carries {carries}")

    @property
    def reads(self) -> str:
        """What a step reads of given rates, in words."""
        words = []
        if self.rates_at:
            places = [Fraction(place).limit_denominator(DENOMINATOR) for place in self.rates_at]
            written = [
                str(near) if abs(near - place) < 1e-9 else show(place, 3)
                for near, place in zip(places, self.rates_at, strict=True)
            ]
            words.append(f"the rate at {join_words(written)} of a step")
        if self.increments == 1:
            words.append("the angle of a step")
        elif self.increments:
            words.append(f"the angles of {self.increments} equal parts of a step")
        return join_words(words) or "the rate at times of its own"


State = BodyState | PairState | RateState
STATES: tuple[type[State], ...] = (BodyState, PairState, RateState)
"""The states of methods; a declaration has that whose fields it names, the first by default."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Method:
    """A time integrator: what it does, and what it promises.

    `kinds.py` has its kinds.

    Attributes
    ----------
    state : of one body, of two, or of an attitude with given rates.
    declared : what it promises with the options of its own; `promises` also takes into account how
        its steps are put together.
    why : sentences that explain why it behaves so; `engine.text.evidence` measures their figures.
    short : a name of a few words, for legends and sentences; by default the key.
    variants : other names, each of the method with these options; they are among the `aliases` as
        well.
    module : that declares the method: `__main__` in a notebook, the path of a plugin; empty if none
        has registered it.
    called : the variant by whose name the method was found.
    given_options : (chosen options) → what of the declaration they change.
    """

    adaptive: ClassVar[bool] = False
    """Whether the method chooses its steps by a tolerance."""

    key: str
    name: str = ""
    short: str = ""
    family: str = "Your own"
    summary: str = ""
    why: tuple[str, ...] = ()
    equations: str = ""
    reference: str = ""
    aliases: tuple[str, ...] = ()
    module: str = ""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    options: tuple[Parameter, ...] = ()
    given_options: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    chosen: Mapping[str, Any] = field(default_factory=dict)
    called: str = ""
    state: State = BodyState()
    declared: Promises = field(default_factory=Promises)

    def __post_init__(self) -> None:
        for quantity, motion in self.declared.conserves.items():
            if quantity not in QUANTITIES or motion not in MOTIONS:
                raise ValueError(
                    f"{self.key}: conserves has {quantity!r}: {motion!r}, which is not declared"
                )
        for field_name in ("name", "short"):
            if not getattr(self, field_name):
                object.__setattr__(self, field_name, self.key)
        object.__setattr__(self, "aliases", tuple(dict.fromkeys((*self.aliases, *self.variants))))

    @classmethod
    def declare(cls, **declaration: Any) -> Self:
        """Return a method of this kind; what it promises and its state's functions are among the
        keywords.
        """
        return cls(**_sort_declaration(BodyState(), Promises(), declaration))

    def redeclare(self, **declaration: Any) -> Self:
        """Return the method with another declaration in part."""
        return replace(self, **_sort_declaration(self.state, self.declared, declaration))

    # ------------------------------------------------------------- what it promises

    @property
    def promises(self) -> Promises:
        """What it promises."""
        return self.declared

    @property
    def order(self) -> Order | None:
        """The order of attitude and momentum, or of the attitude alone; None without steps of one
        size.
        """
        return self.promises.order

    @property
    def torque_evaluations(self) -> int | None:
        """Torque evaluations in a step; None if the number varies."""
        return self.promises.torque_evaluations

    @property
    def implicit(self) -> bool:
        """Whether a step solves equations."""
        return self.promises.implicit

    @property
    def self_starting(self) -> bool:
        """Whether the first step needs no other method."""
        return self.promises.self_starting

    @property
    def reversible(self) -> bool | str:
        """Whether the step is time-reversible, or the condition under which it is."""
        return self.promises.reversible

    @property
    def symplectic(self) -> bool:
        """Whether the step is symplectic."""
        return self.promises.symplectic

    @property
    def conserves(self) -> Mapping[str, str]:
        """Quantities that it conserves to roundoff, each with the motions for which it does."""
        return self.promises.conserves

    def order_on(self, free: bool) -> Order | None:
        """The orders on a free body, or with torque; None without steps of one size."""
        return (self.promises.free_order or self.order) if free else self.order

    @property
    def order_in_words(self) -> str:
        """The order of attitude and momentum, for a table."""
        return "adaptive" if self.adaptive else "exact"

    # ------------------------------------------------------------- what it is

    @property
    def function(self) -> Callable[..., Any]:
        """The function that moves the body."""
        raise NotImplementedError

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """All functions of the method, in the order in which its source is shown."""
        return (self.function,)

    @property
    def carries(self) -> tuple[str, ...]:
        """The names of the variables of the state."""
        raise NotImplementedError

    @property
    def step_parameters(self) -> tuple[Parameter, ...]:
        """The options that the step takes; the others change the declaration by `given_options`."""
        return ()

    @property
    def step_arguments(self) -> list[tuple[Parameter, Any]]:
        """The options that the step takes, with their values; a value for a frame is divided among
        its steps.
        """
        chosen = self.option_values()
        return [
            (o, chosen[o.name] / self.substeps if o.of_frame else chosen[o.name])
            for o in self.step_parameters
        ]

    @functools.cached_property
    def fits_lanes(self) -> bool:
        """Whether many bodies can make its steps side by side."""
        return False

    @property
    def energy_correction(self) -> bool:
        """Whether Buss's energy correction follows each step."""
        return False

    @property
    def composition(self) -> Composition | None:
        """The composition of its steps, if they are composed."""
        return None

    @property
    def single(self) -> bool:
        """Whether steps compute with numbers of 32 bits."""
        return False

    @property
    def substeps(self) -> int:
        """The number of steps in each Δt, over which the torque is held if there are several."""
        return 1

    @property
    def stages(self) -> tuple[tuple[float, float], ...]:
        """The parts of a step: the place of each in the step, and its size."""
        return ((0.0, 1.0),)

    # ------------------------------------------------------------- names and options

    @property
    def space(self) -> str:
        """The space of the motion, a key of `engine.text.SPACES`: "so3" of one body, "se3" of two,
        "rates" of an attitude with given rates.
        """
        return self.state.space

    @property
    def moves(self) -> str:
        """What it moves, as the end of a sentence."""
        return f"moves {SPACES[self.space].moves}"

    @functools.cached_property
    def label(self) -> str:
        """The key with the chosen options, as `engine.algorithm` takes it."""
        return self._write(self.key, self.chosen)

    @functools.cached_property
    def given_name(self) -> str:
        """The label; of a variant its name, with the options that differ from its own."""
        return self._write(self.called, self.changes) if self.called else self.label

    @property
    def changes(self) -> Mapping[str, Any]:
        """The chosen options; of a variant those that differ from its own."""
        if not self.called:
            return self.chosen
        own = find_method(self.called, space=self.space).chosen
        values = {one.name: self.chosen.get(one.name, one.default) for one in self.all_options}
        return {
            one.name: values[one.name]
            for one in self.all_options
            if values[one.name] != own.get(one.name, one.default)
        }

    def _write(self, name: str, options: Mapping[str, Any]) -> str:
        """A name with options, correction and composition, as `engine.algorithm` takes it."""
        known = index_by_name(self.all_options)
        chosen = ", ".join(f"{key}={known[key].format(x, None)}" for key, x in options.items())
        composed = f"*{self.composition.key}" if self.composition else ""
        return f"{name}{f'({chosen})' if chosen else ''}{'+E' if self.energy_correction else ''}{composed}"

    @property
    def other_names(self) -> list[str]:
        """The aliases, a variant's with its options."""
        labels = {name: find_method(name, space=self.space).label for name in self.variants}
        return [
            f"{name} {labels.get(name, '').removeprefix(self.key)}".rstrip()
            for name in self.aliases
        ]

    def __repr__(self) -> str:
        return f"<method {self.label}: {self.name}>"

    def __deepcopy__(self, memo: object) -> Method:
        """The method itself, which does not change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its name, as functions are: the other process must have declared it."""
        declared = _registry.get((self.space, self.key))
        if declared is None or declared.function != self.function:
            raise pickle.PicklingError(
                f"{self.key} has been declared anew, so that its name means another method"
            )
        return _unpickle, (self.module, self.space, self.given_name)

    def option_values(self) -> dict[str, Any]:
        """Every option's value, chosen or by default."""
        return {
            option.name: self.chosen.get(option.name, option.default) for option in self.options
        }

    @property
    def all_options(self) -> tuple[Parameter, ...]:
        """Its own options and those of its steps."""
        return self.options

    def with_options(self, /, **given: Any) -> Self:
        """The method with these options; its declaration may change with them."""
        options = index_by_name(self.all_options)
        for one in STEP_OPTIONS:
            if (
                one.name in given
                and one not in self.all_options
                and one.accept(given.pop(one.name)) != one.default
            ):
                refused = one not in self.state.step_options
                moves = self.moves if refused else "has no steps of a given size"
                raise ValueError(
                    f"{one.name} is for methods that move one body by steps, and {self.key} {moves}"
                )
        given = resolve_names(options, given, self.key, "option")
        chosen = dict(self.chosen) | {
            name: options[name].accept(value) for name, value in given.items()
        }
        for one in STEP_OPTIONS:
            if chosen.get(one.name) == one.default:
                del chosen[one.name]
        own = index_by_name(self.options).keys() & given.keys()
        changed = dict(self.given_options(chosen)) if self.given_options and own else {}
        return self.redeclare(chosen=chosen, **changed)

    def with_energy_correction(self) -> Method:
        """The method with Buss's energy correction after each step; refused where that makes no
        sense.
        """
        if not self.state.has_energy:
            raise ValueError(
                f"the energy correction turns one free body, and {self.key} {self.moves}"
            )
        raise ValueError(
            f"the energy correction follows each step of a given size, and {self.key} has none"
        )

    def compose(self, name: str) -> Method:
        """The method composed to a higher order; refused where that makes no sense."""
        find_composition(name)
        raise ValueError(f"{self.label} has no steps of a given size to compose")


def _sort_declaration(
    state: State, promises: Promises, declaration: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the declaration, with what belongs to the state and to the promises in these."""
    rest = dict(declaration)
    promised = _take(rest, Promises)
    if promised:
        rest["declared"] = replace(promises, **promised)
    names = {name for kind in STATES for name in _list_fields(kind) if name in rest}
    if names <= set(_list_fields(type(state))):
        rest["state"] = replace(state, **_take(rest, type(state)))
        return rest
    for kind in STATES:
        if names <= set(_list_fields(kind)):
            rest["state"] = kind(**_take(rest, kind))
            return rest
    raise ValueError(f"no state of a method has all of {join_words(sorted(names))}")


def _list_fields(kind: type) -> list[str]:
    """The names of the fields of a class."""
    return [one.name for one in fields(kind)]


def _take(declaration: dict[str, Any], kind: type) -> dict[str, Any]:
    """Remove what are fields of this class from the declaration, and return it."""
    names = [name for name in _list_fields(kind) if name in declaration]
    return {name: declaration.pop(name) for name in names}


FAMILIES = (
    "Newmark", "Midpoint", "Variational", "Splitting", "Explicit", "Runge–Kutta on the group", "Taylor", "Multistep",
    "Rotation vector", "Magnus", "Collocation", "Flight software",
    "Physics engines", "Molecular dynamics and DEM", "Baseline", "Adaptive", "Exact",
)  # fmt: skip
"""The families, in the order of lists."""

M = TypeVar("M", bound=Method)
_registry: dict[tuple[str, str], Method] = new_registry()
_by_name: dict[tuple[str, str], Method] = new_table()


def register(method: M) -> M:
    """Enter a method under its key and aliases; the name of another module's method is refused.

    A method that its module declares again, as in a notebook's cell, replaces the earlier one. The
    key is the short name of one that is made of another method and has that one's.
    """
    names = {(method.space, fold(name)): name for name in (method.key, *method.aliases)}
    object.__setattr__(method, "module", find_declaring_module())
    claim_names(_by_name, names, method)
    others = [one for one in _registry.values() if one.space == method.space]
    if any(one.short == method.short for one in others if one.key != method.key):
        object.__setattr__(method, "short", method.key)
    _registry[method.space, method.key] = method
    for name, options in method.variants.items():
        _by_name[method.space, fold(name)] = replace(method.with_options(**options), called=name)
    return method


class Catalogue(list[Method]):
    """Methods, which a notebook shows as a table."""


def all_methods(space: str | None = "so3") -> Catalogue:
    """The methods of a space, by default for one body, by families; None for those of all spaces."""
    load_announced()
    order = {family: i for i, family in enumerate(FAMILIES)}
    wanted = [m for m in _registry.values() if m.space in _list_spaces(space)]
    return Catalogue(
        sorted(wanted, key=lambda m: (list(SPACES).index(m.space), order.get(m.family, len(order))))
    )


def _list_spaces(space: str | None) -> tuple[str, ...]:
    """The spaces to look in."""
    if space is not None and space not in SPACES:
        raise ValueError(f"the space of a method is {' or '.join(SPACES)}; got {quote(space)}")
    return tuple(SPACES) if space is None else (space,)


def find_method(name: str | Method, /, *, space: str | None = None, **options: Any) -> Method:
    """The method with this key or alias, with options written in the name or given as keywords.

    `space` is "so3", one body with a fixed point, "se3", two bodies, or "rates", an attitude with
    given rates. Some names exist in several; without a space they mean the method of the first.
    """
    spaces = _list_spaces(space)
    if isinstance(name, Method):
        if name.space not in spaces:
            raise _wrong_space(name, spaces)
        return name.with_options(**options) if options else name
    written: dict[str, str] = {}
    energy, compose = False, None
    known = _find_named(name, spaces) if isinstance(name, str) else None
    if known is None:
        base, written, energy, compose = parse_name(name)
        known = _find_named(base, spaces)
        if known is None:
            load_announced()
            known = _find_named(base, spaces)
        if known is None:
            elsewhere = _find_named(base, tuple(SPACES))
            if elsewhere is not None:
                raise _wrong_space(elsewhere, spaces)
            raise unknown_name(
                "method", base, list_names(space), [m.key for m in all_methods(space)]
            )
    found = known
    found = found.with_options(**(written | options)) if written or options else found
    found = found.with_energy_correction() if energy else found
    return found.compose(compose) if compose is not None else found


def _unpickle(module: str, space: str, label: str) -> Method:
    """The method of this label, after importing the module that declares it."""
    if all(
        part.isidentifier() for part in module.split(".")
    ):  # that of a plugin is a path, and its owner loads it
        importlib.import_module(module)
    return find_method(label, space=space)


def _find_named(name: str, spaces: tuple[str, ...]) -> Method | None:
    """The method of this name in the first of the spaces that has one."""
    for space in spaces:
        if (space, fold(name)) in _by_name:
            return _by_name[space, fold(name)]
    return None


def _wrong_space(method: Method, spaces: tuple[str, ...]) -> ValueError:
    """The refusal of a method for other problems."""
    (space,) = spaces
    here = f"{method.key} {method.moves}, and here {SPACES[space].here}"
    if space == next(iter(SPACES)):  # which has too many methods for a list
        return ValueError(f"{here}; `polhode list` has the methods for {SPACES[space].short}")
    fit = ", ".join(m.key for m in all_methods(space))
    return ValueError(f"{here}; the methods for {SPACES[space].short} are {fit}")


def list_names(space: str | None) -> list[str]:
    """All names, keys first."""
    methods = all_methods(space)
    return [m.key for m in methods] + [alias for m in methods for alias in m.aliases]


# -------------------------------------------------------------------------------------------------
# names on screen

PROGRAM_NAMES: dict[str, str] = {}
"""The short names of programs, by the names of their rules; `programs.py` enters them."""

WITH = " with "
"""What stands between a method's name and its options."""
UNCHANGED = "default"
"""What tells the variant without options from the others."""


def name_methods(methods: Iterable[Method | str], *, space: str | None = None) -> dict[str, str]:
    """The name of each of these methods on screen, by its given name, or by the text for it.

    A rule that was chosen by the name of a program has that name, with the options that differ from
    the program's own. Of variants of one method, each has the options that tell them apart. No two
    labels have one name: one that writes out a default keeps its label.
    """
    found = {
        one if isinstance(one, str) else one.given_name: find_method(one, space=space)
        for one in methods
    }
    groups: dict[str, list[Method]] = {}
    for method in found.values():
        groups.setdefault(_base(method), []).append(method)
    names: dict[str, str] = {}
    for key, method in found.items():
        name = _name_among(method, groups[_base(method)])
        namesakes = {found[other].label for other, one in names.items() if one == name}
        names[key] = name if namesakes <= {method.label} else method.given_name
    return names


def use_short_names(text: str, space: str) -> str:
    """Write methods in a sentence by their short names in place of their keys."""
    names = {method.key: method.short for method in all_methods(space)}
    keys = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<![\w-])({keys})(?![\w+-])", lambda key: names[key[1]], text)


@dataclass(frozen=True)
class Variants:
    """The names of methods that are shown together, in two parts, by their labels.

    Attributes
    ----------
    shared : the name that a method shares with others; empty if they are no variants of it.
    own : what tells it from these; its name if it shares none.
    """

    shared: Mapping[str, str]
    own: Mapping[str, str]

    @property
    def common(self) -> str:
        """The name that all of them share; empty if they are not variants of one method."""
        first, *others = {*self.shared.values()} or {""}
        return "" if others else first

    @property
    def in_line(self) -> str:
        """All names in one line."""
        if self.common:
            return f"{self.common}: {'; '.join(self.own.values())}"
        runs = [
            (shared, [self.own[label] for label in labels])
            for shared, labels in itertools.groupby(self.own, self.shared.__getitem__)
        ]
        return ", ".join(
            f"{shared} ({'; '.join(own)})" if shared else ", ".join(own) for shared, own in runs
        )

    def split(self, label: str) -> tuple[str, str]:
        """Both parts of a name; of another label, this is its own."""
        return self.shared.get(label, ""), self.own.get(label, label)


def name_variants(methods: Iterable[Method | str], *, space: str | None = None) -> Variants:
    """The names that `name_methods` gives, with what variants of one method share apart."""
    names = name_methods(methods, space=space)
    bases = {label: _base(find_method(label, space=space)) for label in names}
    return _share(names, bases)


def split_names(names: Iterable[str]) -> Variants:
    """Names that `name_methods` gave, by themselves, with what variants of one method share
    apart.
    """
    given = {name: name for name in names}
    return _share(given, {name: name.partition(WITH)[0] for name in given})


def _share(names: Mapping[str, str], bases: Mapping[str, str]) -> Variants:
    """Split names after the base that several of them share."""
    counts = Counter(bases.values())
    shared = {label: base if counts[base] > 1 else "" for label, base in bases.items()}
    own = {
        label: UNCHANGED if name == shared[label] else name.removeprefix(f"{shared[label]}{WITH}")
        for label, name in names.items()
    }
    return Variants(shared, own)


def join_names(names: Iterable[str]) -> str:
    """List methods in a sentence; variants that follow each other have the name that they share
    once.
    """
    words: list[str] = []
    for base, run in itertools.groupby(names, lambda name: name.partition(WITH)[0]):
        own = [name.removeprefix(base).strip() for name in run]
        if len(own) > 1:
            own = [words or "by default" for words in own]
        words += [f"{base} {own[0]}".rstrip(), *own[1:]]
    return join_words(words)


def name_method(method: Method | str, *, space: str | None = None) -> str:
    """The name of one method on screen."""
    (name,) = name_methods([method], space=space).values()
    return name


def _base(method: Method) -> str:
    """The name without options."""
    return PROGRAM_NAMES.get(method.called, method.short)


def _name_among(method: Method, variants: Sequence[Method]) -> str:
    """The name of a method among variants of the same base."""
    words = [
        option.describe_briefly(value)
        for option in method.all_options
        if (value := _changes(method).get(option.name)) is not None
        and (_is_of_program(method, option.name) or _differ(variants, option.name))
    ]
    composed = method.composition
    words += [f"{composed.name} {composed.order}"] if composed else []
    words += ["energy correction"] if method.energy_correction else []
    return WITH.join(filter(None, [_base(method), join_words(words)]))


def _changes(method: Method) -> Mapping[str, Any]:
    """The options that differ from the method's own, or from those of the program."""
    return method.changes if method.called in PROGRAM_NAMES else method.chosen


def _is_of_program(method: Method, option: str) -> bool:
    """Whether another value of an option makes it another rule than the program's."""
    return method.called in PROGRAM_NAMES and option != PRECISION.name


def _differ(variants: Sequence[Method], option: str) -> bool:
    """Whether an option has several values among these methods."""
    own = {one.name: one.default for one in variants[0].all_options}
    return len({one.chosen.get(option, own.get(option)) for one in variants}) > 1
