"""Methods: a step function with the declaration that the API, the documentation and the tests use;
the registry.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from ...algebra import Diag3, Vec3, e1, e2, e3
from ...parameters.names import (
    claim_names,
    fold,
    load_announced,
    new_registry,
    new_table,
    parse_name,
    unknown_name,
)
from ...parameters.parameter import OneOf, Parameter, Whole, index_by_name, resolve_names
from ...text import SPACES, Proof, quote
from .composition import COMPOSITIONS, Composition
from .docstring import read_docstring

QUANTITIES = {
    "energy": "total energy",
    "pi": "spatial momentum π, as a vector",
    "pi_norm": "|π|",
    "casimir": "|Π|²",
    "pi_e3": "π·e3, the momentum about the vertical",
    "pi_chi": "π·χ, the momentum about the body's axis",
    "gamma_norm": "|Γ|, the length of Γ = Rᵀe3",
    "orthogonality": "‖RᵀR − 1‖",
    "linear_momentum": "total linear momentum",
    "angular_momentum": "total angular momentum",
}
"""The quantities that a motion may conserve: the keys of `conserves`, `Run.casimirs` and
`Run.extrema`.
"""

MOTIONS = {
    "always": "whenever the motion itself conserves it",
    "free": "on the free body",
    "tops": "on the free body and on every heavy top",
    "symmetric tops": "on symmetric heavy tops",
}
"""The motions for which a method conserves a quantity."""

HOLDS = {
    "free": ["always", "free", "tops"],
    "tops": ["always", "tops"],
    "symmetric tops": ["always", "tops", "symmetric tops"],
}
"""For each kind of motion, the words of a promise that holds there."""

ON_THE_GROUP = {"orthogonality": "always", "gamma_norm": "always"}
"""What a method conserves whose R stays a rotation."""
MOMENTUM = ON_THE_GROUP | {"pi": "free", "pi_norm": "free", "casimir": "free", "pi_e3": "always"}
"""What it conserves if it also hands on the spatial momentum."""
BODY_RATES = ON_THE_GROUP | {"pi_chi": "symmetric tops"}
"""What it conserves if it sums rates of Ω in the body's frame: Ω₃ of a symmetric top has none."""


def offer(name: str, doc: str, label: str, words: Mapping[str, tuple[Any, str]]) -> Parameter:
    """An option that offers these words, each with its meaning and its label; the first is the
    default.
    """
    kind = OneOf(
        {word: means for word, (means, _) in words.items()},
        {word: label for word, (_, label) in words.items()},
    )
    return Parameter(name, kind, doc, next(iter(words)), label=label)


BODY_AXES = {"1": e1, "2": e2, "3": e3}
AXES = offer(
    "axes",
    "order of the body axes, first to last",
    "Order of the body axes",
    {
        "".join(axes): (tuple(BODY_AXES[i] for i in axes), ", ".join(axes))
        for axes in permutations(BODY_AXES)
    },
)


PRECISION = offer(
    "precision",
    "the numbers that steps compute with: of 64 bits, or of 32, as in most physics engines",
    "Precision",
    {"double": (False, "double, of 64 bits"), "single": (True, "single, of 32, as in engines")},
)
SUBSTEPS = Parameter(
    "substeps",
    Whole(1, 1000),
    "the number of equal steps in each Δt, a frame; the torque of its start is held in space over "
    "all of them",
    1,
    label="Steps in a frame",
)
STEP_OPTIONS = (PRECISION, SUBSTEPS)
"""The options of every method that moves one body by steps, besides its own."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Method:
    """A time integrator: its step, and the declaration of its properties, which the tests measure.

    A method for two bodies, of the space "se3", has `step(bodies, t, h, *state, *options)` with any
    state. `start(bodies, t, h, R1, R2, Ω1, Ω2, x1, x2, v1, v2, *options)` makes the first one, and
    `view(bodies, state)` returns these eight and the gravity there.

    A method that chooses its steps has `own_step(body, t, h, *state, *options)` in place of `step`
    and `order`. It makes a step of any size towards the row at the time t, or beyond; h is the time
    between rows. The third number of its state is the time of that state. `reach`, with the same
    arguments, gives the state at the row.

    Any other method without steps of one size has `solve(question, **options)`, which answers at
    given times, and perhaps the `rates(body, t, h, q, Ω)` that it integrates.

    Attributes
    ----------
    step : `(body, t, h, *state, *options)` → the state one step later. The parameters' names
        declare the state: `R` or `q`, then `Ω`, `Π` or `π`, then further variables; then options.
    start : `(body, t, h, R, Ω, *options)` → the first state; by default R and the momentum or
        velocity of the state.
    order : of attitude and momentum, with torque. `free_order` is that on a free body, if it is
        higher.
    torque_of_velocity : whether the step calls `body.torque(t, R, Ω)`, so that a torque may depend
        on Ω.
    needs_rates : the number of the torque's rates that the step uses; 3 for free bodies only.
    reversible : whether the step is time-reversible, or the condition under which it is.
    conserves : quantities that it conserves to roundoff, each with the motions for which it does.
    divisor : (J, Ω, h) → a number near 1; over it, a free body's energy and |Π|² are conserved to
        roundoff.
    has_history : a state that does not follow from attitude and velocity, in words.
    of_one_step : whether that state belongs to one size of step.
    why : sentences that explain why it behaves so; `engine.text.evidence` measures their figures.
    variants : other names, each of the method with these options; they are among the `aliases` as
        well.
    given_options : (chosen options) → what of this declaration they change.
    undivided : the method without substeps, which change the declaration.
    """

    key: str
    name: str = ""
    family: str = "Your own"
    summary: str = ""
    why: tuple[str, ...] = ()
    equations: str = ""
    reference: str = ""
    step: Callable[..., Any] | None = None
    own_step: Callable[..., Any] | None = None
    reach: Callable[..., Any] | None = None
    solve: Callable[..., Any] | None = None
    rates: Callable[..., Any] | None = None
    start: Callable[..., Any] | None = None
    view: Callable[..., Any] | None = None
    aliases: tuple[str, ...] = ()
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    options: tuple[Parameter, ...] = ()
    order: tuple[int, int] | None = None
    free_order: tuple[int, int] | None = None
    torque_evaluations: int | None = None
    implicit: bool = False
    self_starting: bool = True
    reversible: bool | str = False
    symplectic: bool = False
    conserves: Mapping[str, str] = field(default_factory=dict)
    divisor: Callable[[Diag3, Vec3, float], float] | None = None
    given_options: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None
    needs_rates: int = 0
    torque_of_velocity: bool = False
    has_history: str | None = None
    of_one_step: bool = False
    space: str = "so3"
    chosen: Mapping[str, Any] = field(default_factory=dict)
    energy_correction: bool = False
    composition: Composition | None = None
    undivided: Method | None = None

    def __post_init__(self) -> None:
        for quantity, motion in self.conserves.items():
            if quantity not in QUANTITIES or motion not in MOTIONS:
                raise ValueError(
                    f"{self.key}: conserves has {quantity!r}: {motion!r}, which is not declared"
                )
        if not self.name:
            object.__setattr__(self, "name", self.key)
        object.__setattr__(self, "aliases", tuple(dict.fromkeys((*self.aliases, *self.variants))))
        ways = sum(way is not None for way in (self.step, self.own_step, self.solve))
        if ways != 1 or (self.step is None) != (self.order is None):
            raise ValueError(
                f"{self.key}: a method has a step and its order, or `solve` or `own_step` and no order"
            )
        if self.solve is not None:
            return
        names = list(self._takes)
        options = [option.name for option in self.step_parameters]
        unused = [option.name for option in self.options if option.name not in options]
        moved = SPACES[self.space].argument
        if names[:3] != [moved, "t", "h"] or names[len(names) - len(options) :] != options:
            raise ValueError(
                f"{self.key}: step takes ({moved}, t, h, state…, {', '.join(options)}); it has {names}"
            )
        if unused and self.given_options is None:
            raise ValueError(
                f"{self.key}: step does not take {', '.join(unused)}, and nothing else does"
            )
        if self.space == "se3":
            if self.start is None or self.view is None:
                raise ValueError(f"{self.key}: a method for two bodies has `start` and `view`")
            return
        if (
            len(self.carries) < 2
            or self.carries[0] not in "Rq"
            or self.carries[1] not in ("Ω", "Π", "π")
        ):
            raise ValueError(
                f"{self.key}: a state begins with R or q and Ω, Π or π; this one carries {self.carries}"
            )

    @functools.cached_property
    def _takes(self) -> tuple[str, ...]:
        """The names of the step's parameters."""
        return tuple(inspect.signature(self.function).parameters) if self.solve is None else ()

    @functools.cached_property
    def step_parameters(self) -> tuple[Parameter, ...]:
        """The options that the step takes; the others change the declaration by `given_options`."""
        return tuple(option for option in self.options if option.name in self._takes)

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
    def carries(self) -> tuple[str, ...]:
        """The names of the variables of the state."""
        if self.solve is not None:
            return ("q", "Ω") if self.rates else ("R", "Ω")
        return self._takes[3 : len(self._takes) - len(self.step_parameters)]

    @property
    def function(self) -> Callable[..., Any]:
        """The function that moves the body."""
        found = self.step or self.own_step or self.solve
        assert found is not None
        return found

    @property
    def module(self) -> str:
        """The module that declares the method: `__main__` in a notebook, the path of a plugin."""
        return str(
            getattr(self.function, "func", self.function).__module__
        )  # `solve` may be a partial function

    @property
    def adaptive(self) -> bool:
        """Whether the method chooses its steps by a tolerance."""
        return self.rates is not None or self.own_step is not None

    @functools.cached_property
    def label(self) -> str:
        """The key with the chosen options, as `engine.algorithm` takes it."""
        options = index_by_name((*self.options, *STEP_OPTIONS))
        chosen = ", ".join(
            f"{name}={options[name].format(value, None)}" for name, value in self.chosen.items()
        )
        composed = f"*{self.composition.key}" if self.composition else ""
        return f"{self.key}{f'({chosen})' if chosen else ''}{'+E' if self.energy_correction else ''}{composed}"

    @property
    def other_names(self) -> list[str]:
        """The aliases, a variant's with its options."""
        labels = {name: find_method(name, space=self.space).label for name in self.variants}
        return [
            f"{name} {labels[name].removeprefix(self.key)}" if name in labels else name
            for name in self.aliases
        ]

    def order_on(self, free: bool) -> tuple[int, int] | None:
        """The orders on a free body, or with torque; None without steps of one size."""
        return (self.free_order or self.order) if free else self.order

    @property
    def order_in_words(self) -> str:
        """The order of attitude and momentum, for a table."""
        if self.order is None:
            return "adaptive" if self.adaptive else "exact"
        return "/".join(map(str, self.order))

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
        return _unpickle, (self.module, self.space, self.label)

    def option_values(self) -> dict[str, Any]:
        """Every option's value, chosen or by default."""
        return {
            option.name: self.chosen.get(option.name, option.default) for option in self.options
        }

    @property
    def all_options(self) -> tuple[Parameter, ...]:
        """Its own options and those of its steps."""
        by_steps = self.step is not None and self.space == "so3"
        return (*self.options, *(STEP_OPTIONS if by_steps else ()))

    @functools.cached_property
    def single(self) -> bool:
        """Whether steps compute with numbers of 32 bits."""
        return bool(PRECISION.meaning(self.chosen.get(PRECISION.name, PRECISION.default)))

    @property
    def substeps(self) -> int:
        """The number of steps in each Δt, over which the torque is held if there are several."""
        return int(self.chosen.get(SUBSTEPS.name, SUBSTEPS.default))

    @property
    def stages(self) -> tuple[tuple[float, float], ...]:
        """The parts of a step: the place of each in the step, and its size."""
        if self.composition is not None:
            return self.composition.stages
        return tuple((i / self.substeps, 1.0 / self.substeps) for i in range(self.substeps))

    def with_options(self, /, **given: Any) -> Method:
        """The method with these options; its declaration may change with them."""
        options = index_by_name(self.all_options)
        for one in STEP_OPTIONS:
            if (
                one.name in given
                and one not in self.all_options
                and one.accept(given.pop(one.name)) != one.default
            ):
                moves = "moves two" if self.space == "se3" else "has no steps of a given size"
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
        found = dataclasses.replace(self.undivided or self, chosen=chosen, **changed)
        return found if found.substeps == 1 else found._hold_torque()

    def _hold_torque(self) -> Method:
        """The method with the declaration for a held torque; refused where that makes no sense."""
        if self.composition is not None or self.energy_correction:
            raise ValueError(
                f"{self.label} is composed or corrected, so its steps cannot be divided"
            )
        assert self.order is not None
        lower = (min(self.order[0], 1), min(self.order[1], 1))
        return dataclasses.replace(
            self,
            undivided=self,
            divisor=None,
            order=lower,
            free_order=self.free_order or (self.order if self.order != lower else None),
            torque_evaluations=1,
            needs_rates=0,
            reversible="free" if self.reversible else False,
            symplectic=False,
            conserves={
                quantity: "free" if motion == "tops" or quantity == "energy" else motion
                for quantity, motion in self.conserves.items()
                if motion != "symmetric tops"
            },
        )

    def with_energy_correction(self) -> Method:
        """The method with Buss's energy correction after each step; refused where that makes no
        sense.
        """
        if self.space != "so3":
            raise ValueError(
                f"the energy correction turns one free body, and {self.key} moves two bodies"
            )
        if self.step is None:
            raise ValueError(
                f"the energy correction follows each step of a given size, and {self.key} has none"
            )
        if self.substeps > 1:
            raise ValueError(
                f"the energy correction follows each step, and {self.label} divides a frame into several"
            )
        if self.has_history is not None:
            raise ValueError(
                f"the energy correction does not fit {self.key}, which carries {self.has_history}"
            )
        if self.carries[0] != "R":
            raise ValueError(
                f"the energy correction turns a rotation matrix; {self.key} carries {self.carries[0]}"
            )
        if self.conserves.get("orthogonality") != "always":
            raise ValueError(
                f"the energy correction turns a rotation, and {self.key} leaves the rotations"
            )
        conserves = dict(self.conserves) | {"energy": "free"}
        return dataclasses.replace(
            self, energy_correction=True, conserves=conserves, divisor=None, symplectic=False
        )

    def compose(self, name: str) -> Method:
        """The method composed to a higher order; refused where that makes no sense."""
        composition = {fold(key): c for key, c in COMPOSITIONS.items()}.get(fold(str(name)))
        if composition is None:
            raise ValueError(
                f"there is no composition {quote(name)}; there are {', '.join(COMPOSITIONS)}"
            )
        if self.composition is not None or self.substeps > 1:
            raise ValueError(f"{self.label} is composed already")
        if self.step is None or self.order is None:
            raise ValueError(f"{self.label} has no steps of a given size to compose")
        if self.reversible is not True:
            raise ValueError(
                f"a symmetric composition needs a time-reversible one-step method; {self.label} is none"
            )
        if self.of_one_step:
            raise ValueError(
                f"{self.label} carries {self.has_history}, and a composition has steps of several sizes"
            )
        if self.order != (2, 2) or self.free_order is not None:
            highest = max(self.free_order or self.order)
            raise ValueError(
                f"these compositions raise order two; {self.label} is of order {highest} already"
            )
        evaluations = (
            None
            if self.torque_evaluations is None
            else self.torque_evaluations * len(composition.parts)
        )
        return dataclasses.replace(
            self,
            composition=composition,
            divisor=None,
            order=(composition.order, composition.order),
            torque_evaluations=evaluations,
            reference=f"{self.reference}\n{composition.reference}",
        )


FAMILIES = (
    "Newmark", "Midpoint", "Variational", "Splitting", "Explicit", "Runge–Kutta on the group", "Taylor", "Multistep",
    "Physics engines", "Molecular dynamics and DEM", "Baseline", "Adaptive", "Exact",
)  # fmt: skip
"""The families, in the order of lists."""

_registry: dict[tuple[str, str], Method] = new_registry()
_by_name: dict[tuple[str, str], Method] = new_table()


def register(method: Method) -> Method:
    """Enter a method under its key and aliases; the name of another module's method is refused.

    A method that its module declares again, as in a notebook's cell, replaces the earlier one.
    """
    names = {(method.space, fold(name)): name for name in (method.key, *method.aliases)}
    claim_names(_by_name, names, method)
    _registry[method.space, method.key] = method
    for name, options in method.variants.items():
        _by_name[method.space, fold(name)] = method.with_options(**options)
    return method


def method(
    *, role: str = "step", evidence: Sequence[Proof] = (), **declaration: Any
) -> Callable[[Callable[..., Any]], Method]:
    """Declare the function below as the step of a method and register it (see `Method` for the
    declaration).

    In another `role`, "solve", it takes the place of steps. Its docstring has the summary, the
    equations and the reasons, unless the declaration has them (see `docstring.py`). `evidence` is
    for the parts in brackets, in their order.
    """
    return lambda function: register(
        Method(**{role: function} | read_docstring(function, evidence) | declaration)
    )


class Catalogue(list[Method]):
    """Methods, which a notebook shows as a table."""


def all_methods(space: str | None = "so3") -> Catalogue:
    """The methods for one body, "so3", or for two, "se3", or all of them, by families."""
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

    `space` is "so3", one body with a fixed point, or "se3", two bodies. A few names exist in both;
    without a space they mean the method for one body.
    """
    spaces = _list_spaces(space)
    if isinstance(name, Method):
        if name.space not in spaces:
            raise _wrong_space(name)
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
                raise _wrong_space(elsewhere)
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


def _wrong_space(method: Method) -> ValueError:
    """The refusal of a method for other problems."""
    if method.space == "so3":
        fit = ", ".join(m.key for m in all_methods("se3"))
        return ValueError(
            f"{method.key} moves one body, and here are two; the methods for two are {fit}"
        )
    return ValueError(
        f"{method.key} moves two bodies, and here is one; `polhode list` has the methods for one"
    )


def list_names(space: str | None) -> list[str]:
    """All names, keys first."""
    methods = all_methods(space)
    return [m.key for m in methods] + [alias for m in methods for alias in m.aliases]
