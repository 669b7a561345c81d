"""Live demos: HTML files in which methods move a body at every touch of a slider, without a server
or a network.

A demo contains the kernels of its methods as WebAssembly (`engine.web`), a kernel of high order as
the reference, and the player and forms of the page. Its setting is in the address, after the #.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import engine
from engine import web
from engine.algorithms import Method
from engine.exact import GOOD_REFERENCE, has_exact
from engine.problems import AnyProblem, Problem
from engine.quantities import Quantity, all_quantities, list_quantities, middle_axis_angle
from engine.text.formatting import finish_sentence

from ..asset_files import (
    SCRIPTS,
    bundle_script,
    fill_page,
    read_styles,
    render_page,
    strip_comments,
)
from ..charts.style import LOOKS
from ..scene import given_rates, one_body, two_bodies
from ..scene.player import MEANINGS
from ..state import LABS, Choice, excerpt, make_field, make_sliders, polhode_version, write_snippet
from ..state.choice import LARGEST_DT, LONGEST, PAGE, SMALLEST_DT
from ..state.error_cells import ATTITUDE
from ..state.ledger import (
    EXACT,
    KEPT,
    LOST,
    ROTATION,
    STATUS,
    ChangeColumn,
    LedgerColumn,
    is_promised,
)
from ..state.results import COLOURS, EXACT_COLOUR, EXACT_LABEL, Results, bound_roundoff
from ..state.view import AUTO, VECTORS

LENGTHS = (-1, 4)
"""The ends of the duration's slider, in powers of ten; a browser makes fewer steps than a server.
"""
POLICY = "script-src {} 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; frame-src 'self' file: blob:"
"""The content policy of a demo, with a place for the sources of further scripts; the preview is a
frame.
"""
PACKED = re.compile("[A-Za-z0-9+/=]{1000,}")
"""A kernel or a mesh in the data."""


@dataclass(frozen=True)
class Demo:
    """A demo, which a notebook displays.

    `page` is its text, in which comments name the `texts` that other demos may share.
    """

    title: str
    page: str
    texts: Mapping[str, str]

    @cached_property
    def html(self) -> str:
        """The demo as one file."""
        return fill_page(self.page, self.texts)

    def save(self, path: str | Path) -> Path:
        """Write the file."""
        path = Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return f"<live demo, {len(self.html.encode()):,} bytes>"

    def _repr_html_(self) -> str:
        """A frame with the demo, which has no access to the notebook."""
        source = escape(self.html, quote=True)
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:900px;border:0" srcdoc="{source}"></iframe>'


class Share:
    """The texts that demos may share."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add(self, text: str) -> str:
        """Add a text; return its name as a comment."""
        name = sha256(text.encode()).hexdigest()[:16]
        self.texts[name] = text
        return f"<!--{name}-->"


class Modules(NamedTuple):
    """The methods of a demo: their data for the script, the methods, and sentences on those that
    were refused.
    """

    data: list[dict[str, Any]]
    methods: list[Method]
    refusals: list[str]


def build_demo(choice: Choice, shape: str = AUTO) -> Demo:
    """The demo of a choice, with this shape of the body.

    Raises
    ------
    ValueError
        If no browser can run any of the methods, with the reasons.
    """
    problem = choice.build_problem()
    modules = build_modules(choice)
    title = (
        f"{problem.name}: {', '.join(one['label'] for one in modules.data) or 'the exact motion'}"
    )
    shared = Share()
    data = json.dumps(list_data(choice, modules, shape), ensure_ascii=False, separators=(",", ":"))
    kernels = SCRIPTS / "core/engine.js"  # whose text is also that of a worker
    script = strip_comments(bundle_script(SCRIPTS / "demo/demo.js", lazy=False, first=kernels))
    own = {
        "NAME": escape(problem.name),
        "SUMMARY": escape(problem.summary),
        "CITATION": escape(engine.cite(problem, *modules.methods)),
        "VERSION": escape(polhode_version()),
        "STYLE": shared.add(read_styles("standalone", "ledger", "demo", "embed")),
        "FORM_STYLE": shared.add(read_styles("field", "form")),
        "PLAYER_STYLE": shared.add(read_styles("player", "arrow-legend")),
        "DATA": PACKED.sub(lambda packed: shared.add(packed[0]), data.replace("<", "\\u003c")),
        "ENGINE": shared.add(strip_comments(bundle_script(kernels, named=True))),
        "SCRIPT": shared.add(script.replace("</script", "<\\/script")),
    }
    return Demo(title, render_page("demo", title, POLICY.format(""), **own), shared.texts)


def build_modules(choice: Choice, own_steps: bool = False) -> Modules:
    """The WebAssembly modules of the methods besides EXACT, also of those that choose their steps
    if `own_steps`; a `ValueError` with the reasons if none runs.
    """
    modules = Modules([], [], [])
    problem = choice.build_problem()
    for label, method, colour in zip(choice.methods, choice.algorithms, COLOURS, strict=False):
        if method.key == EXACT:  # which a demo computes anyway
            continue
        try:
            if method.adaptive and not own_steps:
                raise ValueError(f"{method.label} takes no steps of one size, as those of a demo")
            module = web.module(problem, method, dt=choice.dt, steps=1)
        except ValueError as error:
            modules.refusals.append(f"{choice.names[label]}: {finish_sentence(str(error))}")
        else:
            modules.methods.append(method)
            modules.data.append(
                {
                    "method": label,
                    "label": choice.names[label],
                    "variant": choice.variants.split(label),
                    "colour": colour,
                    "module": pack_module(module),
                    "roundoff": bound_roundoff(method),
                    "promised": [
                        column.of
                        for column in list_changes(problem)
                        if is_promised(method, problem, column.of)
                    ],
                }
            )
    if not modules.data and modules.refusals:
        raise ValueError(f"None of these methods runs in a browser. {' '.join(modules.refusals)}")
    return modules


def list_data(choice: Choice, modules: Modules, shape: str) -> dict[str, Any]:
    """Everything that the script of a demo reads."""
    problem = choice.build_problem()
    lab = LABS[choice.space]
    reference = pack_reference(choice, lab.fine)
    series = reference["module"]["header"]["series"]
    invariants = list_invariants(choice, series)
    error = next(one for one in all_quantities(choice.space) if one.key == lab.error)
    motions = list_motions(choice)
    shown = [*invariants, error, *(one for _, one in motions)]
    if Results(choice, problem, ()).is_free:
        shown.append(middle_axis_angle)
    runs = pack_runs(choice, modules.data, reference, shown)
    given = [one["name"] for one in runs["beginning"]["header"]["given"]]
    return runs | {
        "problem": choice.problem,
        "space": choice.space,
        "page": PAGE[choice.space],
        "alone": [EXACT] if choice.space == Problem.space else [],
        "changes": choice.write_changes(),
        "dt": choice.dt,
        "duration": choice.duration,
        "free": Results(choice, problem, ()).is_free,
        "refused": modules.refusals,
        "fields": list_fields(problem, given),
        "limits": {
            "dt": {"low": SMALLEST_DT, "high": LARGEST_DT},
            "duration": {"low": SMALLEST_DT, "high": LONGEST},
        },
        "looks": [look.describe(dashed=False) for look in LOOKS],
        "good": GOOD_REFERENCE,
        "invariants": [describe_quantity(one, one.key) for one in invariants],
        "error": describe_quantity(error, error.key),
        "motions": [describe_quantity(one, group.lower()) for group, one in motions],
        "ledger": describe_ledger(problem, invariants),
        "words": excerpt.WORDS,
        "longest": excerpt.LONGEST_CAPTION,
        "parts": [(part.word, part.title) for part in excerpt.list_parts(choice) if part.demo],
        "means": MEANINGS if choice.space == "so3" else {},
        "scenes": list_scenes(Results(choice, problem, ()), shape),
        "snippet": write_snippet(
            "{problem}", "{methods}", "{times}", choice.space, has_exact(problem)
        ),
    }


def list_invariants(choice: Choice, series: Iterable[str]) -> list[Quantity]:
    """The changes that a demo shows of what a motion conserves, of the series that its runs have."""
    words = {part.word for part in excerpt.list_parts(choice) if part.demo}
    return [
        one
        for one in list_quantities(choice.build_problem(), fitting=False)
        if one.key in words
        and not one.against_exact
        and {reading.series for reading in one.readings} <= set(series)
    ]


def list_motions(choice: Choice) -> list[tuple[str, Quantity]]:
    """The quantities of the lab's plots that are no errors, and those of plugins, by their groups."""
    lab = LABS[choice.space]
    nothing = Results(choice, choice.build_problem(), ())
    return [
        (name, one.declared)
        for name, group in lab.groups.items()
        for one in group.quantities(nothing, VECTORS[0])
        if not one.error or name not in lab.first_groups
    ]


def describe_quantity(quantity: Quantity, part: str) -> dict[str, Any]:
    """A quantity for the script of a demo, with the word of the part that shows it."""
    return {
        "key": quantity.key,
        "part": part,
        "title": quantity.title,
        "formula": quantity.relative or quantity.symbol,
        "relative": True,
        "exact": quantity.has_exact,
        "log": quantity.error,
    }


def list_changes(problem: AnyProblem) -> list[ChangeColumn]:
    """The columns of a demo's ledger with what motions of a problem may conserve."""
    ledger = LABS[problem.space].ledger
    leading = [column for column in ledger.leading if isinstance(column, ChangeColumn)]
    return [*leading, *ledger.changes(problem), ROTATION]


def describe_ledger(problem: AnyProblem, invariants: Sequence[Quantity]) -> dict[str, Any]:
    """The columns and words of the lab's ledger, and of what a demo measures in another way."""
    ledger = LABS[problem.space].ledger
    series = {
        one.key: list(dict.fromkeys(reading.series for reading in one.readings))
        for one in invariants
    }
    changes = [
        {
            "key": column.key,
            "head": column.head,
            "of": column.of,
            "series": series[column.of],
            "relative": column.relative,
            "from_zero": column.from_zero,
            "sizes": column.sizes,
            "factor": column.factor,
        }
        for column in list_changes(problem)
        if column.of in series
    ]
    of_error = ATTITUDE
    error = LABS[problem.space].error
    if error != ATTITUDE.key:
        of_error = LedgerColumn(ATTITUDE.key, f"{error}\nerror")
    own = LedgerColumn("ns", "least ns\na step"), LedgerColumn("status", "ended")
    others = [{"key": one.key, "head": one.head} for one in (of_error, *ledger.costs, *own)]
    return {
        "columns": [*changes, *others],
        "status": STATUS,
        "kept": KEPT,
        "lost": LOST,
    }


def pack_runs(
    choice: Choice,
    lines: list[dict[str, Any]],
    reference: dict[str, Any] | None,
    shown: Sequence[Quantity],
) -> dict[str, Any]:
    """What a browser needs to run methods and to draw these quantities, each module with its key:
    the methods' lines, the method for the exact motion, the start, and the quantities.
    """
    problem = choice.build_problem()
    return {
        "lines": lines,
        "reference": reference,
        "beginning": pack_module(web.beginning(problem)),
        "quantities": pack_module(web.quantities(shown)),
    }


def list_runs(choice: Choice) -> dict[str, Any]:
    """What the page's browser needs while a person drags; EXACT takes the exact motion of one body.

    `ValueError`, if a module is missing, or if the torque jumps, so that steps of the exact motion
    would have to end there.
    """
    problem = choice.build_problem()
    modules = build_modules(choice, own_steps=True)
    jumps = isinstance(problem, Problem) and problem.action(choice.dt).jumps
    if modules.refusals or jumps:
        raise ValueError(" ".join(modules.refusals) or "the torque jumps")
    packed = {one["method"]: one["module"] for one in modules.data}
    lines = [
        {
            "method": label,
            "label": name,
            "variant": choice.variants.split(label),
            "colour": colour,
            "module": packed.get(label),
        }
        for (label, name), colour in zip(choice.names.items(), COLOURS, strict=False)
    ]
    shown = list_quantities(problem, choice.algorithms, fitting=False)
    exact = _pack_exact_motion(choice) if has_exact(problem) else None
    return pack_runs(choice, lines, exact, shown)


def _pack_exact_motion(choice: Choice) -> dict[str, Any]:
    """The method for the exact motion while a person drags; steps of one size, where the torque has
    no series.
    """
    try:
        return pack_reference(choice, LABS[choice.space].adaptive)
    except ValueError:
        return pack_reference(choice, LABS[choice.space].fine)


def pack_reference(choice: Choice, method: str) -> dict[str, Any]:
    """The method for the exact motion."""
    reference = engine.algorithm(method, space=choice.space)
    module = web.module(choice.build_problem(), reference, dt=choice.dt, steps=1)
    return {
        "label": EXACT_LABEL,
        "method": reference.label,
        "colour": EXACT_COLOUR,
        "module": pack_module(module),
    }


def pack_module(module: web.Module) -> dict[str, Any]:
    """A module in the form that the script reads."""
    return {"header": module.header, "code": encode(module.code), "key": module.key}


def encode(data: bytes) -> str:
    """Bytes, compressed and in base64."""
    return base64.b64encode(zlib.compress(data, 9)).decode()


def list_fields(problem: AnyProblem, names: Iterable[str]) -> list[dict[str, Any]]:
    """The fields of the form: the step, the duration, and these parameters of the problem."""
    dt, duration = make_sliders(problem)
    parameters = (make_field(problem.declarations[name]) for name in names)
    return [asdict(field) for field in (dt, replace(duration, ends=LENGTHS), *parameters)]


def list_scenes(results: Results, shape: str) -> list[dict[str, Any]]:
    """The scenes of the motions, each with its facts and meshes."""
    return SCENES[results.choice.space](results, shape)


def _list_one_body(results: Results, shape: str) -> list[dict[str, Any]]:
    shapes = {
        "poinsot": encode(one_body.pack_shapes(results, "poinsot", shape))
    }  # which include the body
    labels = {
        "poinsot": "Poinsot's construction" if results.is_free else "Traces in space",
        "body": "The body",
    }
    return [
        {
            "label": label,
            "facts": one_body.list_facts(results, kind),
            "shapes": shapes.get(kind, ""),
        }
        for kind, label in labels.items()
    ]


def _list_two_bodies(results: Results, _: str) -> list[dict[str, Any]]:
    facts = two_bodies.list_facts(results, two_bodies.INERTIAL)
    shapes = encode(two_bodies.pack_shapes(results.problem))
    return [{"label": "In space", "facts": facts, "shapes": shapes}]


def _list_given_rates(results: Results, _: str) -> list[dict[str, Any]]:
    facts = given_rates.list_facts(results, "body")
    label = given_rates.LABELS["body"]
    return [{"label": label, "facts": facts, "shapes": encode(given_rates.pack_shapes())}]


SCENES = {"so3": _list_one_body, "se3": _list_two_bodies, "rates": _list_given_rates}
"""What lists scenes, by the space of the problem."""
