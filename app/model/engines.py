"""An engine's rule with a free body at a frame rate: what becomes of it, and the rule that cures it."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import engine
from engine.algorithms.method import HOW_STEPS_ARE_MADE, PRECISION, SUBSTEPS, Method
from engine.checks import Array
from engine.listing import NotWritten, lines_of, pseudo_code, python
from engine.problems.problem import DT
from engine.studies.engines import AfterATime, after, turn_of
from engine.studies.stored import stored_speeds
from engine.wording import listed, sentence, short

from . import session
from .catalogue import Found, constant
from .entries import FormField, entry, said
from .presets import ABOUT_THE_GREATEST_AXIS, ABOUT_THE_MIDDLE_AXIS
from .programs import PROGRAMS, Program
from .quantities import Curve, Group, Quantity, length
from .results import Ran, Results
from .session import Choice, Refused
from .teaching import OF_A_HANDLE, OF_A_RACKET

OWN = "own"


@dataclass(frozen=True)
class NamedBody:
    """A free body with a start, and what it looks like."""

    key: str
    title: str
    start: Mapping[str, tuple[float, ...]]
    shape: str = "box"


BODIES = (
    NamedBody("tumbling", "A block that tumbles", {"J": (1.0, 2.0, 2.8), "Omega0": (1.2, 1.9, 1.5)}),
    NamedBody("middle", "A block thrown about its middle axis", ABOUT_THE_MIDDLE_AXIS),
    NamedBody("stable", "A block spun about its stable axis", ABOUT_THE_GREATEST_AXIS),
    NamedBody("handle", "A T-handle, as in orbit", OF_A_HANDLE | {"Omega0": (0.01, 3.0, 0.0)}, "T-handle"),
    NamedBody("racket", "A tennis racket", OF_A_RACKET | {"Omega0": (0.05, 6.0, 0.0)}, "racket"),
)
"""What there is to begin with; any other moments and start can be typed."""

PROGRAM = "bullet"
"""What is looked at if nothing is asked for."""
FIRST = Choice("custom", (PROGRAM,), 1 / 60, 100.0).with_changes(**BODIES[0].start)
DURATIONS = (10.0, 100.0)
RATES = ("30 Hz", "60 Hz", "120 Hz", "240 Hz", "1000 Hz")
SAME_COST = 1.6
"""A rule costs the same as another if a step takes at most so many times as long."""
MOST_TRIED = 3
"""Rules that are run on the body to find the one that cures."""
MOST_LINES = 20
"""Of a rule that is proposed to be pasted."""
SOUND, SOUND_TURN = 1e-3, math.radians(0.1)
"""So little may energy and length of momentum change, and its direction, for a rule to be called sound here."""
STEADY = 1e-12
"""JΩ × Ω over the product of both lengths, below which it is roundoff."""
LEAVES = 5.0
"""Times the first energy, or the first momentum, beyond which a curve is not drawn."""


@dataclass(frozen=True)
class Asked:
    """What a visitor wants to see: a program and its flags, and with them a choice of one method on a free body."""

    program: str
    choice: Choice

    @property
    def rule(self) -> Method:
        """The rule that is looked at."""
        return engine.algorithm(self.choice.methods[0])

    @property
    def about(self) -> Program | None:
        """The program, if the rule is still the one that it has."""
        found = PROGRAMS.get(self.program)
        return found if found is not None and plain(found.method).label == plain(self.rule).label else None

    @property
    def title(self) -> str:
        """What is looked at, in a few words."""
        found = PROGRAMS.get(self.program)
        if found is None:
            return self.rule.label
        return f"{found.title} ({found.flags})" if self.about else f"{found.title}, changed"

    @property
    def body(self) -> str:
        """The key of the body if it has a name here."""
        now = dict(self.choice.changes)
        return next((one.key for one in BODIES if one.start == now), OWN)

    def tried(self) -> Choice:
        """The choice with the rules beside it of which one may cure."""
        return session.checked(
            replace(self.choice, methods=(self.rule.label, *(m.label for m in candidates(self.rule))))
        )

    def query(self) -> dict[str, str]:
        """The words of a link."""
        words = {"page": "engines"} | ({"engine": self.program} if self.program else {}) | self.choice.query()
        return words | {"dt": rate(self.choice.dt)}

    # ------------------------------------------------------------------ the form

    def fields(self) -> list[FormField]:
        """What can be asked for, besides the program."""
        problem = self.choice.built()
        flags = [replace(entry(option), name=f"flag {option.name}") for option in self.rule.options]
        durations = [f"{t:g}" for t in dict.fromkeys((*DURATIONS, self.choice.duration))]
        bodies = [*(one.key for one in BODIES), OWN]
        return [
            *([FormField("of the rule", "Its rule", kind="words")] if flags else []),
            *flags,
            FormField("of frames", "Its frames", kind="words"),
            FormField("rate", "Frame rate", f"Like {RATES[1]}, or a step, like 1/60."),
            FormField("duration", "How long", kind="menu", options=durations, words=[f"{t} s" for t in durations]),
            *(replace(entry(one), name=f"flag {one.name}") for one in (SUBSTEPS, PRECISION)),
            FormField("of the body", "The body", kind="words"),
            FormField(
                "body", "Body", kind="menu", options=bodies, words=[*(one.title for one in BODIES), "Your own"]
            ),
            *(entry(problem.declared[name]) for name in ("J", "Omega0")),
        ]

    def says(self) -> dict[str, str]:
        """What the fields say."""
        problem, rule = self.choice.built(), self.rule
        values = rule.option_values() | {
            one.name: rule.chosen.get(one.name, one.default) for one in HOW_STEPS_ARE_MADE
        }
        asked = {f"flag {one.name}": said(one, values[one.name]) for one in rule.asked}
        own = {name: said(problem.declared[name], problem.value(name)) for name in ("J", "Omega0")}
        times = {"rate": rate(self.choice.dt), "duration": f"{self.choice.duration:g}"}
        return asked | own | times | {"body": self.body}

    def changed(self, name: str, text: str) -> Asked:
        """The same with something else in a field; `Refused` if that cannot be had."""
        if name.startswith("flag "):
            try:
                rule = self.rule.with_options(**{name.removeprefix("flag "): text})
            except ValueError as error:
                raise Refused(name, sentence(str(error))) from None
            return self._with(name, replace(self.choice, methods=(rule.label,)))
        if name == "rate":
            return self._with(name, replace(self.choice, dt=typed_rate(text)))
        if name == "duration":
            return self._with(name, replace(self.choice, duration=float(text)))
        if name == "body":
            named = [one for one in BODIES if one.key == text]
            return self._with(name, self.choice.with_changes(**named[0].start)) if named else self
        try:
            value = self.choice.built().declared[name].typed(text)
            return self._with(name, self.choice.with_changes(**{name: value}))
        except ValueError as error:
            raise Refused(name, sentence(str(error))) from None

    def _with(self, field: str, choice: Choice) -> Asked:
        try:
            return replace(self, choice=free(session.checked(choice)))
        except Refused as refused:
            raise Refused(field, str(refused)) from None


def free(choice: Choice) -> Choice:
    """The choice, if its body turns and is free; else refused."""
    if not choice.built().Omega0.any():
        raise Refused("Omega0", "A body at rest stays there; give it an angular velocity.")
    return choice


def of_program(key: str, before: Choice = FIRST) -> Asked:
    """A program with its flags and its steps in a frame; frame rate, precision and body as they were before."""
    precision = before.method(before.methods[0]).chosen.get(PRECISION.name, PRECISION.default)
    label = PROGRAMS[key].method.with_options(precision=precision).label
    return Asked(key, session.checked(replace(before, methods=(label,))))


def plain(method: Method) -> Method:
    """A method with its own options alone, as a program has it."""
    return method.with_options(**{one.name: one.default for one in HOW_STEPS_ARE_MADE})


def rate(dt: float) -> str:
    """A step as frames in a second, where they are whole; else as it is."""
    frames = round(1 / dt)
    return f"{frames} Hz" if frames and math.isclose(frames * dt, 1.0, rel_tol=1e-9) else DT.written(dt)


def typed_rate(text: str) -> float:
    """A step from frames in a second, like 60 or 60 Hz, or as a step is written; `Refused` if it is none."""
    try:
        if text.strip().isdigit() and int(text) > 0:
            return 1 / int(text)
        return float(DT.typed(text))
    except ValueError as error:
        raise Refused("rate", sentence(str(error))) from None


def from_query(query: Mapping[str, str]) -> tuple[Asked, list[str]]:
    """What a link asks for, and what of it could not be had; for that stands what the page begins with."""
    key, notices = query.get("engine", ""), []
    if key not in PROGRAMS:
        notices += [f"There is no engine {key[:30]!r} here."] if key else []
        key = "" if "methods" in query else PROGRAM
    begun = of_program(key or PROGRAM).choice
    if query.get("problem", "custom") != "custom":
        notices.append("problem: here a free body is looked at; J and Omega0 tell which.")
    words = {name: text for name, text in query.items() if name not in ("engine", "problem")}
    choice, more = session.from_query(begun.query() | {"dt": rate(begun.dt)} | words)
    if len(choice.methods) > 1:
        more.append(f"One rule is looked at here: {choice.methods[0]}.")
        choice = replace(choice, methods=choice.methods[:1])
    asked = Asked(key, choice)
    wrong = why_not(asked)
    return (of_program(PROGRAM), [*notices, *more, wrong]) if wrong else (asked, [*notices, *more])


def why_not(asked: Asked) -> str:
    """Why the page cannot show what is asked for; empty if it can."""
    if asked.rule.adaptive or asked.rule.step is None:
        return f"{asked.rule.label} takes no steps of one size, as engines do."
    try:
        free(asked.choice)
        asked.tried()
    except Refused as refused:
        return str(refused)
    return ""


# ------------------------------------------------------------------------------------------------- the cure


@functools.lru_cache(maxsize=1)
def curing() -> tuple[Method, ...]:
    """Rules that an engine could take in place of its own, those whose energy does not drift first, then by error.

    They ask for the torque alone, begin anew at each step, are of second order with a torque at least, keep the
    momentum of a free body in space, and are written in a few lines.
    """
    found = [m for m in engine.algorithms() if _could_cure(m)]
    return tuple(sorted(found, key=lambda m: (not holds(m), constant(m, Found(m.key), "attitude", "free").sort)))


def _could_cure(m: Method) -> bool:
    if m.order is None or min(m.order) < 2 or m.conserves.get("pi") is None:
        return False
    if m.needs_rates or m.has_history or not m.self_starting or cost(m) is None:
        return False
    try:
        return lines_of(m) <= MOST_LINES
    except NotWritten:
        return False


def holds(m: Method) -> bool:
    """Whether the energy of a free body does not drift, as declared."""
    return "energy" in m.conserves or m.symplectic


def cost(m: Method) -> float | None:
    """Nanoseconds of a step with a torque, as recorded of the method with its default options."""
    ns: float | None = stored_speeds()["methods"].get(m.key, {}).get("slow-top")
    return ns


def candidates(rule: Method) -> list[Method]:
    """The rules that are tried: of those of the same cost the first; if there are none, the cheapest that holds."""
    how = {name: value for name, value in rule.chosen.items() if name in [one.name for one in HOW_STEPS_ARE_MADE]}
    others = [m for m in curing() if m.key != rule.key]
    own = cost(rule)
    found = [m for m in others if own is not None and cost(m) <= SAME_COST * own]  # type: ignore[operator]
    cheapest = sorted((m for m in others if holds(m)), key=lambda m: cost(m) or math.inf)
    return [m.with_options(**how) for m in (found or cheapest[:1])[:MOST_TRIED]]


@dataclass(frozen=True, eq=False)
class Told:
    """What came of it: the results of the rule and of its cure, and the same in numbers.

    `cure` is None if the rule needs none: then it is sound, and no other came nearer to the exact motion.
    """

    asked: Asked
    results: Results
    rule: Ran
    became: AfterATime
    cure: Ran | None
    cured: AfterATime | None


def told(asked: Asked, found: Results) -> Told | None:
    """What there is to tell of results; nothing, if the rule has no run of a step at least."""
    rule, *others = found.lines
    became = what_became(rule)
    if not isinstance(rule, Ran) or became is None:
        return None
    ends = [(line, what_became(line)) for line in others]
    tried = [(line, end) for line, end in ends if isinstance(line, Ran) and end is not None]
    best = min(tried, key=lambda pair: rank(*pair), default=None)
    if best is None or (is_sound(rule, became) and not best[1].attitude < became.attitude):
        best = None
    lines = (rule, best[0]) if best else (rule,)
    shown = replace(
        found,
        choice=replace(found.choice, methods=tuple(line.label for line in lines)),
        lines=tuple(replace(line, colour=colour) for line, colour in zip(lines, COLOURS, strict=False)),
    )
    of_rule, *of_cure = shown.runs
    return Told(asked, shown, of_rule, became, *((of_cure[0], best[1]) if best else (None, None)))


COLOURS = ("#D55E00", "#0072B2")
"""Of the rule and of its cure."""


def what_became(line: Any) -> AfterATime | None:
    """What became of the body by a method, at the end of its run."""
    if not isinstance(line, Ran) or len(line.run) < 2 or line.error is None:
        return None
    return after(line.run, line.error, len(line.run) - 1)


def rank(line: Ran, end: AfterATime) -> tuple[bool, bool, float]:
    """Less is better: a run that came to its end, an energy that does not drift, and then the attitude."""
    off = end.attitude if math.isfinite(end.attitude) else 0.0
    return line.run.status != "done", not holds(line.run.method), off


def is_sound(line: Ran, end: AfterATime) -> bool:
    """Whether a free body keeps what it should, within what `SOUND` allows."""
    off = max(abs(end.energy - 1.0), abs(end.length - 1.0))
    return line.run.status == "done" and off < SOUND and end.swung < SOUND_TURN


# ------------------------------------------------------------------------------------------------- in words


def verdict(told: Told) -> str:
    """What becomes of the body, in sentences."""
    run, end = told.rule.run, told.became
    T = short(run.t[-1], 3)
    if run.status != "done":
        said = [f"At {rate(run.dt)} {ended(run)}"]
    else:
        said = [f"After {T} s at {rate(run.dt)} {became(end)}."]
        if end.stopped >= 0:
            said.append(settled(end))
        elif end.axis and not is_sound(told.rule, end):
            unstable = ", which is unstable" if end.axis == "middle" else ""
            said.append(f"Its energy is that of a spin about its axis of {end.axis} inertia{unstable}.")
        if math.isfinite(end.attitude):
            said.append(f"It is {angle(end.attitude)} off the exact attitude.")
        said += [*taken(run), *orders(run.method)]
    if run.method.option_values().get("gyroscopic") == "off":
        said.append(without_gyroscopic_term(run.problem))
    return " ".join([*said, *another_step(told.asked)])


def another_step(asked: Asked) -> list[str]:
    """What step the program takes by default, if that is known and is another."""
    defaults = asked.about.defaults if asked.about else ()
    steps = [one.value for one in defaults if one.option == "dt" and not math.isclose(one.value, asked.choice.dt)]
    return [f"By default {asked.about.title} takes steps of {short(step)} s." for step in steps if asked.about]


def settled(end: AfterATime) -> str:
    """When the body came to stay near an axis, and what the exact motion does."""
    spins = f"spins about its axis of {end.axis} inertia" if end.axis else "stays near one of its axes"
    since = f"From t = {short(end.stopped, 3)} s on it" if end.stopped else "It"
    if not end.should_tumble:
        exact = f"stays within {angle(end.exact_angle)} of its axis of {end.exact_axis} inertia"
        return f"{since} {spins}; the exact motion {exact}."
    tumbles = f"{since} tumbles no more" if end.stopped else f"{since} never tumbles"
    return f"{tumbles}{f' and {spins}' if end.axis else ''}; the exact motion goes on tumbling."


def without_gyroscopic_term(problem: Any) -> str:
    """What it means for this start that JΩ × Ω is left out: it is constant in the body then, and may be none."""
    J, Ω = problem.J, problem.Omega0
    if np.linalg.norm(np.cross(J @ Ω, Ω)) < STEADY * np.linalg.norm(J @ Ω) * np.linalg.norm(Ω):
        return "It leaves out the gyroscopic term JΩ × Ω, which is zero for this spin about a principal axis."
    return "Without the gyroscopic term this is no rigid body's motion, however small the step."


def taken(run: Any) -> list[str]:
    """What damping and a cap take from the velocity, which is no error of the rule."""
    method, said = run.method, []
    values = method.option_values()
    c, fastest = values.get("damping", 0.0), np.linalg.norm(run.problem.Omega0)
    if c > 0.0:
        left = max(1.0 - c, 0.0) if values.get("damped") == "power" else max(1.0 - c * run.dt / method.substeps, 0.0)
        times = run.t[-1] * (1.0 if values.get("damped") == "power" else method.substeps / run.dt)
        said.append(
            f"Its angular damping of {short(c)} a second alone leaves {short(left**times, 2)} times |L|; it can be "
            "turned off."
        )
    caps = [values.get("max_speed", 0.0), values.get("max_turn", 0.0) / run.dt]
    said += [f"Its cap of {short(most, 3)} rad/s cuts the first velocity." for most in caps if 0.0 < most < fastest]
    return said


def orders(method: Method) -> list[str]:
    """The orders of attitude and momentum of a free body, if they differ; they are declared, and tested."""
    order = method.order_on(free=True)
    if order is None or order[0] == order[1]:
        return []
    return [f"Its attitude is of order {order[0]} in the step, its angular velocity of order {order[1]}."]


def ended(run: Any) -> str:
    """How a run ended that did not come to its end."""
    T, doubled = short(run.t[-1], 3), np.flatnonzero(run.energy > 2 * run.energy[0])
    if run.status != "diverged" or not len(doubled):
        return f"the run ends at t = {T} s: {sentence(run.messages[-1] if run.messages else run.status)}"
    return (
        f"it blows up: at t = {short(run.t[doubled[0]], 3)} s the body has twice its energy, and from t = {T} s on "
        "there are no numbers for it any more."
    )


def became(end: AfterATime) -> str:
    """What a free body should keep, and what came of it."""
    parts = {"energy": end.energy, "|L|": end.length}
    kept = [name for name, value in parts.items() if abs(value - 1.0) < SOUND]
    lost = [f"{short(value, 4)} times its {name}" for name, value in parts.items() if name not in kept]
    said = [f"has {listed(lost)}"] if lost else []
    said += [f"keeps {listed(kept)} within {100 * SOUND:g} %"] if kept else []
    if end.swung < SOUND_TURN:
        said.append(f"has L point where it did, within {math.degrees(SOUND_TURN):g}°")
    else:
        said.append(f"has L point up to {angle(end.swung)} away from where it did")
    return f"the body {listed(said)}"


def angle(radians: float) -> str:
    """An angle in degrees, to two digits; next to nothing is none."""
    return f"{short(math.degrees(radians), 2)}°" if radians > 1e-9 else "0°"


def why(told: Told) -> str:
    """Why this rule is proposed, or why none is."""
    rule = told.rule.run.method
    own, tried = cost(rule), candidates(rule)
    if told.cure is None or told.cured is None:
        return (
            f"{listed(m.key for m in tried)}, the best of about the same cost, "
            f"{'come' if len(tried) > 1 else 'comes'} no nearer to the exact motion."
        )
    cure = told.cure.run.method
    assert cure.order is not None
    keeps = "It keeps a free body's momentum in space to roundoff"
    if "energy" in cure.conserves:
        keeps += ", and its energy"
    elif cure.symplectic:
        keeps += ", and is symplectic: energy swings and does not drift"
    else:
        firm = min((m for m in curing() if holds(m)), key=lambda m: cost(m) or math.inf)
        keeps += f"; its energy may drift, as with all such rules of this cost here: {firm.key}'s does not, "
        keeps += f"for {cost(firm):.0f} ns a step"
    how = "solves an equation in each step" if cure.implicit else "is explicit"
    beside = [m.key for m in tried if m.key != cure.key]
    than = f" It came nearer to the exact motion here than {listed(beside)}, the next best." if beside else ""
    ns = f"{cost(cure):.0f} ns a step" + (f", where {rule.key} takes {own:.0f}" if own is not None else "")
    dearer = own is not None and (cost(cure) or 0.0) > SAME_COST * own
    least = "; no rule does that for less" if dearer else ""
    held = " that is held over a frame" if cure.substeps > 1 else ""
    return (
        f"{keeps}. It {how}, is of order {min(cure.order)} with a torque{held} as well, and asks for nothing but the "
        f"torque. It takes {ns}, as recorded on a top{least}.{than}"
    )


COLUMNS = (
    ("energy", "energy,\ntimes the first"),
    ("length", "|L|,\ntimes the first"),
    ("swung", "direction of L,\noff at most"),
    ("axis", "energy of a\nspin about"),
    ("stopped", "stops\ntumbling"),
    ("attitude", "attitude,\noff at the end"),
    ("order", "order,\nattitude/Π"),
    ("cost", "ns\na step"),
)
"""Of the table: what is told of each run, and its head, in two lines."""
EXACT = {"energy": "1", "length": "1", "swung": "0°", "attitude": "0°"}
"""The same of the exact motion."""


def row(line: Ran, end: AfterATime) -> dict[str, str]:
    """What a run came to, as a table has it."""
    method = line.run.method
    ns, order = cost(method), method.order_on(free=True)
    ended = line.run.status != "done"
    return {
        "energy": short(end.energy, 5),
        "length": short(end.length, 5),
        "swung": angle(end.swung),
        "axis": f"{end.axis} axis" if end.axis and not ended else "none",
        "stopped": f"t = {short(end.stopped, 3)}" if end.stopped >= 0 and end.should_tumble else "never",
        "attitude": angle(end.attitude) if math.isfinite(end.attitude) else "–",
        "order": "/".join(map(str, order)) if order and any(order) else "none",
        "cost": f"{ns:.0f}" if ns is not None else "–",
    }


# ------------------------------------------------------------------------------------------------- plots


def quantities(results: Results, vector: str) -> list[Quantity]:
    """What a free body keeps, as parts of the first, and how far it is from where it should be."""
    exact = results.exact
    t = exact.t if exact is not None else np.zeros(0)

    def ratio(title: str, symbol: str, of: Any) -> Quantity:
        def curve(line: Ran) -> Curve:
            values = of(line.run)
            return line.run.t, within(values / values[0])

        return Quantity(title, symbol, curve, exact=(t, np.ones(len(t))), error=False)

    return [
        ratio("Energy", "E / E₀", lambda run: run.energy),
        ratio("Length of the momentum", "|L| / |L₀|", lambda run: length(run.pi)),
        Quantity(
            "Direction of the momentum",
            "angle from the first, °",
            lambda line: (line.run.t, np.degrees(turn_of(line.run.pi))),
            exact=(t, np.zeros(len(t))),
            error=False,
        ),
        Quantity(
            "Attitude",
            "angle to the exact motion, °",
            lambda line: (line.error.t, np.degrees(line.error.attitude)) if line.error is not None else None,
            exact=(t, np.zeros(len(t))),
            error=False,
        ),
    ]


def within(values: Array) -> Array:
    """The values until they leave the plot."""
    beyond = np.flatnonzero(~(np.abs(values) < LEAVES))
    return np.where(np.arange(len(values)) < (beyond[0] if len(beyond) else len(values)), values, np.nan)


GROUPS = {"What becomes of it": Group(quantities, ())}


# ------------------------------------------------------------------------------------------------- to begin with


@dataclass(frozen=True)
class Beginning:
    """Something to look at first: its title, and what is asked."""

    key: str
    title: str
    asked: Asked


def beginnings() -> tuple[Beginning, ...]:
    """What there is to begin with."""

    def of(key: str, body: str) -> Asked:
        return of_program(key).changed("body", body)

    def undamped(key: str, body: str) -> Asked:
        return of(key, body).changed("flag damping", "0")

    return (
        Beginning("dzhanibekov", "Dzhanibekov: a block that should turn over", undamped("godot", "middle")),
        Beginning("unstable", "It ends on its unstable axis", undamped("jolt", "stable")),
        Beginning("stops", "It stops tumbling", of("ode", "handle")),
        Beginning("blows-up", "It blows up", of("mujoco-euler", "tumbling")),
        Beginning("rk4", "RK4 is not of fourth order", of("mujoco-rk4", "tumbling")),
    )


SIX = ("godot(damping=0)", "jolt(damping=0)", "bullet", "ode", "bepu-momentum", "mujoco-midpoint")
"""Engines that differ, to be compared on one body, without damping."""


def six(asked: Asked) -> dict[str, str]:
    """The words of a link to the study of six engines on the same body."""
    choice = asked.choice
    words = {"page": "studies", "study": "engines", "problem": "custom", "methods": ",".join(SIX)}
    how = {one.name: asked.rule.chosen[one.name] for one in HOW_STEPS_ARE_MADE if one.name in asked.rule.chosen}
    times = {"dt": rate(choice.dt), "duration": f"{choice.duration:g}"}
    return words | choice.written() | times | {name: str(value) for name, value in how.items()}


# ------------------------------------------------------------------------------------------------- to paste


def listings(line: Ran) -> tuple[str, str] | None:
    """A rule in Python and as pseudo-code, with the body and its start; None if it is not written out."""
    problem, run = line.run.problem, line.run
    moments, axes = problem.principal
    try:
        program = python(
            run.method, moments, axes.T @ problem.Omega0, run.dt, round(run.t[-1] / run.dt), problem.R0 @ axes
        )
        return program, pseudo_code(run.method)
    except NotWritten:
        return None
