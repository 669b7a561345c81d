"""What a method is: a step function, and the declaration that the API, the docs and the tests are made from."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..algebra import e1, e2, e3
from ..names import folded, parsed, table, unknown
from ..spaces import SPACES
from ..spec import OneOf, Parameter, Whole, named, under_names
from ..wording import quoted
from .composition import COMPOSITIONS, Composition

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
"""The words for what a motion may keep: the keys of `conserves`, `Run.casimirs` and `Run.extrema`."""

MOTIONS = {
    "always": "whenever the motion itself keeps it",
    "free": "on the free body",
    "tops": "on the free body and on every heavy top",
    "symmetric tops": "on symmetric heavy tops",
}
"""For which motions a promise holds."""

ON_THE_GROUP = {"orthogonality": "always", "gamma_norm": "always"}
"""What a method promises whose R stays a rotation."""
MOMENTUM = ON_THE_GROUP | {"pi": "free", "pi_norm": "free", "casimir": "free", "pi_e3": "always"}
"""What it promises if it hands on the momentum in space besides."""


ORDERS = {
    "123": (e1, e2, e3),
    "132": (e1, e3, e2),
    "213": (e2, e1, e3),
    "231": (e2, e3, e1),
    "312": (e3, e1, e2),
    "321": (e3, e2, e1),
}
AXES = Parameter(
    "axes",
    OneOf(ORDERS, {order: ", ".join(order) for order in ORDERS}),
    "order of the body axes, first to last",
    "123",
    label="Order of the body axes",
)


PRECISION = Parameter(
    "precision",
    OneOf(
        {"double": False, "single": True}, {"double": "double, of 64 bits", "single": "single, of 32, as in engines"}
    ),
    "the numbers that steps are made of: of 64 bits, or of 32, as most physics engines have them",
    "double",
    label="Precision",
)
SUBSTEPS = Parameter(
    "substeps",
    Whole(1, 1000),
    "into how many equal steps each Δt, as a frame, is divided; the torque of its start is held in space over all",
    1,
    label="Steps in a frame",
)
HOW_STEPS_ARE_MADE = (PRECISION, SUBSTEPS)
"""What can be asked of every method that moves one body by steps, besides its own options."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Method:
    """A time integrator: its step, and what is declared of it (the tests measure every line of this).

    `step(body, t, h, *state, *options)` returns the state one step later. The names of its parameters tell what it
    carries: `R` or `q`, then `Ω`, `Π` or `π`, then what it needs besides, then its options.
    `order` is that of attitude and momentum, with torque; `free_order` that of a free body if it is higher.
    `torque_of_velocity` says that its step asks for `body.torque(t, R, Ω)`, so that a torque may depend on Ω too.
    `start(body, t, h, R, Ω, *options)` makes the first state; without one it is R and the momentum that is carried.
    `of_one_step` says that what it carries belongs to one size of step, so that others cannot follow.
    `undivided` is the method as it is without substeps, which change what it promises.
    `variants` are other names, each for the method with these options; they are among the `aliases` as well.

    A method for two bodies, of the space "se3", has `step(bodies, t, h, *state, *options)` and carries what it likes;
    `start(bodies, t, h, R1, R2, Ω1, Ω2, x1, x2, v1, v2, *options)` makes that of what is given, and
    `view(bodies, state)` tells the same eight of it, and the gravity there.

    A method that does not go by steps of one size has, in place of `step` and `order`, `solve(question, **options)`,
    which answers at given times (see `engine.continuous`), and the `rates(body, t, h, q, Ω)` that it integrates.
    """

    key: str
    name: str = ""
    family: str = "Your own"
    summary: str = ""
    equations: str = ""
    reference: str = ""
    step: Callable[..., Any] | None = None
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
                raise ValueError(f"{self.key}: conserves has {quantity!r}: {motion!r}, which is no word for it")
        if not self.name:
            object.__setattr__(self, "name", self.key)
        object.__setattr__(self, "aliases", tuple(dict.fromkeys((*self.aliases, *self.variants))))
        if (self.step is None) == (self.solve is None) or (self.step is None) != (self.order is None):
            raise ValueError(f"{self.key}: a method has a step and its order, or it has a way to solve and no order")
        if self.step is None:
            return
        names = list(self._takes)
        options = [option.name for option in self.handed_on]
        unused = [option.name for option in self.options if option.name not in options]
        moved = SPACES[self.space].argument
        if names[:3] != [moved, "t", "h"] or names[len(names) - len(options) :] != options:
            raise ValueError(f"{self.key}: step takes ({moved}, t, h, state…, {', '.join(options)}); it has {names}")
        if unused and self.given_options is None:
            raise ValueError(f"{self.key}: step does not take {', '.join(unused)}, and nothing else does")
        if self.space == "se3":
            if self.start is None or self.view is None:
                raise ValueError(
                    f"{self.key}: a method for two bodies tells how its state is made, and what it shows"
                )
            return
        if len(self.carries) < 2 or self.carries[0] not in "Rq" or self.carries[1] not in ("Ω", "Π", "π"):
            raise ValueError(f"{self.key}: a state begins with R or q and Ω, Π or π; this one carries {self.carries}")

    @functools.cached_property
    def _takes(self) -> tuple[str, ...]:
        """The names of the step's parameters."""
        return tuple(inspect.signature(self.step).parameters) if self.step else ()

    @functools.cached_property
    def handed_on(self) -> tuple[Parameter, ...]:
        """The options that the step takes; one that it does not take changes the declaration, by `given_options`."""
        return tuple(option for option in self.options if option.name in self._takes)

    @property
    def given_to_step(self) -> list[tuple[Parameter, Any]]:
        """The options that the step takes, with their values: a number of a frame is divided among its steps."""
        chosen = self.option_values()
        return [(o, chosen[o.name] / self.substeps if o.of_frame else chosen[o.name]) for o in self.handed_on]

    @functools.cached_property
    def carries(self) -> tuple[str, ...]:
        """The names of the variables that the method takes from step to step."""
        if self.step is None:
            return ("q", "Ω") if self.rates else ("R", "Ω")
        return self._takes[3 : len(self._takes) - len(self.handed_on)]

    @property
    def module(self) -> str:
        """Where the method was declared: a module, `__main__` in a notebook, or the path of a plugin."""
        declared: Any = self.step or self.solve
        return getattr(declared, "func", declared).__module__  # a way to solve may be a partial function

    @property
    def adaptive(self) -> bool:
        """Whether the method chooses its own steps, to a tolerance."""
        return self.rates is not None

    @property
    def label(self) -> str:
        """The name with what was chosen, as it can be given to `engine.algorithm` again."""
        options = named((*self.options, *HOW_STEPS_ARE_MADE))
        chosen = ", ".join(f"{name}={options[name].written(value, None)}" for name, value in self.chosen.items())
        composed = f"*{self.composition.key}" if self.composition else ""
        return f"{self.key}{f'({chosen})' if chosen else ''}{'+E' if self.energy_correction else ''}{composed}"

    @property
    def other_names(self) -> list[str]:
        """Its aliases, a variant's with the options that it stands for."""
        labels = {name: find_method(name, space=self.space).label for name in self.variants}
        return [f"{name} {labels[name].removeprefix(self.key)}" if name in labels else name for name in self.aliases]

    def order_on(self, free: bool) -> tuple[int, int] | None:
        """The orders on a free body, or with torque; None for a method that does not go by steps of one size."""
        return (self.free_order or self.order) if free else self.order

    @property
    def order_in_words(self) -> str:
        """The order of attitude and momentum, as it is written in a table."""
        if self.order is None:
            return "adaptive" if self.adaptive else "exact"
        return "/".join(map(str, self.order))

    def __repr__(self) -> str:
        return f"<method {self.label}: {self.name}>"

    def __deepcopy__(self, memo: object) -> Method:
        """The method itself, which nothing changes."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its name, as a function is: the other process has to have declared it."""
        declared = _registry.get((self.space, self.key))
        if declared is None or (declared.step, declared.solve) != (self.step, self.solve):
            raise pickle.PicklingError(f"{self.key} has been declared anew since, and so its name means another")
        return _unpickled, (self.module, self.space, self.label)

    def option_values(self) -> dict[str, Any]:
        """Every option's value: what was chosen, or the default."""
        return {option.name: self.chosen.get(option.name, option.default) for option in self.options}

    @property
    def asked(self) -> tuple[Parameter, ...]:
        """All that can be chosen: its own options, and how its steps are made."""
        by_steps = self.step is not None and self.space == "so3"
        return (*self.options, *(HOW_STEPS_ARE_MADE if by_steps else ()))

    @property
    def single(self) -> bool:
        """Whether steps are made with numbers of 32 bits."""
        return bool(PRECISION.meaning(self.chosen.get(PRECISION.name, PRECISION.default)))

    @property
    def substeps(self) -> int:
        """Into how many steps each Δt is divided, over which the torque is held if there are several."""
        return int(self.chosen.get(SUBSTEPS.name, SUBSTEPS.default))

    @property
    def stages(self) -> tuple[tuple[float, float], ...]:
        """The parts of a step: where in it each begins, and its size."""
        if self.composition is not None:
            return self.composition.stages
        return tuple((i / self.substeps, 1.0 / self.substeps) for i in range(self.substeps))

    def with_options(self, /, **given: Any) -> Method:
        """The method with options chosen; what it promises may change with them."""
        options = named(self.asked)
        for one in HOW_STEPS_ARE_MADE:
            if one.name in given and one not in self.asked and one.taken(given.pop(one.name)) != one.default:
                moves = "moves two" if self.space == "se3" else "takes no steps of a given size"
                raise ValueError(
                    f"{one.name} is chosen for methods that move one body by steps, and {self.key} {moves}"
                )
        given = under_names(options, given, self.key, "option")
        chosen = dict(self.chosen) | {name: options[name].taken(value) for name, value in given.items()}
        for one in HOW_STEPS_ARE_MADE:
            if chosen.get(one.name) == one.default:
                del chosen[one.name]
        own = named(self.options).keys() & given.keys()
        changed = dict(self.given_options(chosen)) if self.given_options and own else {}
        found = dataclasses.replace(self.undivided or self, chosen=chosen, **changed)
        return found if found.substeps == 1 else found._held_over_a_frame()

    def _held_over_a_frame(self) -> Method:
        """The method with what it promises where the torque is held; refused where that makes no sense."""
        if self.composition is not None or self.energy_correction:
            raise ValueError(f"{self.label} is composed or corrected, and its steps are not divided")
        assert self.order is not None
        lower = (min(self.order[0], 1), min(self.order[1], 1))
        return dataclasses.replace(
            self,
            undivided=self,
            order=lower,
            free_order=self.free_order or (self.order if self.order != lower else None),
            torque_evaluations=1,
            needs_rates=0,
            reversible="free" if self.reversible else False,
            symplectic=False,
            conserves={
                quantity: "free" if motion == "tops" else motion
                for quantity, motion in self.conserves.items()
                if motion != "symmetric tops"
            },
        )

    def with_energy_correction(self) -> Method:
        """The method with Buss's energy correction after each step; refused where that makes no sense."""
        if self.space != "so3":
            raise ValueError(f"the energy correction turns one free body, and {self.key} moves two bodies")
        if self.step is None:
            raise ValueError(f"the energy correction follows each step of a given size, and {self.key} takes none")
        if self.substeps > 1:
            raise ValueError(
                f"the energy correction follows each step, and {self.label} divides a frame into several"
            )
        if self.has_history is not None:
            raise ValueError(f"the energy correction does not fit {self.key}, which carries {self.has_history}")
        if self.carries[0] != "R":
            raise ValueError(f"the energy correction turns a rotation matrix; {self.key} carries {self.carries[0]}")
        if self.conserves.get("orthogonality") != "always":
            raise ValueError(f"the energy correction turns a rotation, and {self.key} leaves the rotations")
        conserves = dict(self.conserves) | {"energy": "free"}
        return dataclasses.replace(self, energy_correction=True, conserves=conserves, symplectic=False)

    def composed(self, name: str) -> Method:
        """The method composed to a higher order; refused where that makes no sense."""
        composition = {folded(key): c for key, c in COMPOSITIONS.items()}.get(folded(str(name)))
        if composition is None:
            raise ValueError(f"there is no composition {quoted(name)}; there are {', '.join(COMPOSITIONS)}")
        if self.composition is not None or self.substeps > 1:
            raise ValueError(f"{self.label} is composed already")
        if self.step is None or self.order is None:
            raise ValueError(f"{self.label} takes no steps of a given size that could be composed")
        if self.reversible is not True:
            raise ValueError(f"a symmetric composition needs a time-reversible one-step method; {self.label} is none")
        if self.of_one_step:
            raise ValueError(f"{self.label} carries {self.has_history}, and a composition has steps of several sizes")
        if self.order != (2, 2) or self.free_order is not None:
            highest = max(self.free_order or self.order)
            raise ValueError(f"these compositions raise order two; {self.label} is of order {highest} already")
        evaluations = None if self.torque_evaluations is None else self.torque_evaluations * len(composition.parts)
        return dataclasses.replace(
            self,
            composition=composition,
            order=(composition.order, composition.order),
            torque_evaluations=evaluations,
            reference=f"{self.reference}\n{composition.reference}",
        )


FAMILIES = (
    "Newmark", "Midpoint", "Variational", "Splitting", "Explicit", "Runge–Kutta on the group", "Taylor", "Multistep",
    "Physics engines", "Molecular dynamics and DEM", "Baseline", "Adaptive", "Exact",
)  # fmt: skip
"""The families, in the order in which methods are listed."""

_registry: dict[tuple[str, str], Method] = table()
_by_name: dict[tuple[str, str], Method] = table()
_announced: list[Callable[[], object]] = []


def when_looked_up(load: Callable[[], object]) -> None:
    """Have more methods registered by `load`, once, when a name is not known here or when all are listed."""
    _announced.append(load)


def load_announced() -> None:
    """Register what was announced and not loaded yet."""
    while _announced:
        _announced.pop()()  # taken away first: what is loaded may look up a method itself


def register(method: Method) -> Method:
    """Enter a method under its key and aliases; a name that is taken is refused.

    What a module declares again, as when the cell of a notebook is run once more, replaces the earlier one.
    """
    names = (method.key, *method.aliases)
    for name in names:
        owner = _by_name.get((method.space, folded(name)))
        if owner is not None and (owner.key, owner.module) != (method.key, method.module):
            raise ValueError(f"the name {name!r} belongs to {owner.key} of {owner.module} already")
    for place in [
        place for place, owner in _by_name.items() if (owner.space, owner.key) == (method.space, method.key)
    ]:
        del _by_name[place]
    _registry[method.space, method.key] = method
    _by_name.update({(method.space, folded(name)): method for name in names})
    for name, options in method.variants.items():
        _by_name[method.space, folded(name)] = method.with_options(**options)
    return method


def method(**declaration: Any) -> Callable[[Callable[..., Any]], Method]:
    """Declare the function below as the step of a method and register it (see `Method` for what to declare)."""
    return lambda step: register(Method(step=step, **declaration))


def all_methods(space: str | None = "so3") -> list[Method]:
    """The methods for one body, "so3", or for two, "se3", or all of them: families in the catalogue's order."""
    load_announced()
    order = {family: i for i, family in enumerate(FAMILIES)}
    wanted = [m for m in _registry.values() if m.space in _spaces(space)]
    return sorted(wanted, key=lambda m: (list(SPACES).index(m.space), order.get(m.family, len(order))))


def _spaces(space: str | None) -> tuple[str, ...]:
    """The spaces that are meant."""
    if space is not None and space not in SPACES:
        raise ValueError(f"the space of a method is {' or '.join(SPACES)}; got {quoted(space)}")
    return tuple(SPACES) if space is None else (space,)


def find_method(name: str | Method, /, *, space: str | None = None, **options: Any) -> Method:
    """The method with this key or alias, with options written in the name or given as keywords.

    `space` is that of the problems it is for: "so3", one body with a fixed point, or "se3", two bodies; a few names
    stand in both, and without a space they mean the method for one body.
    """
    spaces = _spaces(space)
    if isinstance(name, Method):
        if name.space not in spaces:
            raise _of_another_space(name)
        return name.with_options(**options) if options else name
    written: dict[str, str] = {}
    energy, compose = False, None
    known = _named(name, spaces) if isinstance(name, str) else None
    if known is None:
        base, written, energy, compose = parsed(name)
        known = _named(base, spaces)
        if known is None:
            load_announced()
            known = _named(base, spaces)
        if known is None:
            elsewhere = _named(base, tuple(SPACES))
            if elsewhere is not None:
                raise _of_another_space(elsewhere)
            raise unknown("method", base, names_in_use(space), [m.key for m in all_methods(space)])
    found = known
    found = found.with_options(**(written | options)) if written or options else found
    found = found.with_energy_correction() if energy else found
    return found.composed(compose) if compose is not None else found


def _unpickled(module: str, space: str, label: str) -> Method:
    """The method of this label; the module that declares it is imported, as it would be for a function of it."""
    if all(part.isidentifier() for part in module.split(".")):  # a plugin's is a path, and is loaded by its owner
        importlib.import_module(module)
    return find_method(label, space=space)


def _named(name: str, spaces: tuple[str, ...]) -> Method | None:
    """The method of this name in the first of the spaces that has one."""
    for space in spaces:
        if (space, folded(name)) in _by_name:
            return _by_name[space, folded(name)]
    return None


def _of_another_space(method: Method) -> ValueError:
    """What to say of a method that is for other problems."""
    if method.space == "so3":
        fit = ", ".join(m.key for m in all_methods("se3"))
        return ValueError(f"{method.key} moves one body, and here are two; the methods for two are {fit}")
    return ValueError(f"{method.key} moves two bodies, and here is one; `polhode list` has the methods for one")


def names_in_use(space: str | None = "so3") -> list[str]:
    """All names as they are written, keys first."""
    methods = all_methods(space)
    return [m.key for m in methods] + [alias for m in methods for alias in m.aliases]
