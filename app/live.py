"""A live demo: one HTML file in which methods move a body at every touch of a slider, without a server or a network.

It has the methods' kernels as WebAssembly (`engine.web`), a kernel of high order to measure them by, and the page's
own player and forms; what is chosen stands in its address behind the #.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from engine import web
from engine.citations import cite
from engine.exact.reference import METHOD
from engine.spec import Parameter
from engine.wording import sentence

from .bundle import ASSETS, alone, filled, joined, rules, slim
from .model import excerpt
from .model.entries import SLIDERS, entry
from .model.results import COLOURS, EXACT_COLOUR, Results
from .model.session import Choice, snippet_of
from .player import scene, two_bodies
from .player.component import MEANINGS
from .takeaway import polhode_version

FINE = {"so3": METHOD, "se3": "LGVI4"}
"""By the space of a problem the method that stands for the true motion, at steps fine enough."""

QUANTITIES = {
    "so3": (
        ("energy", "Energy", "ΔE / E₀"),
        ("pi", "Momentum in space π", "‖π − π₀‖ / ‖π₀‖"),
        ("casimir", "Casimir |Π|²", "Δ|Π|² / |Π|²₀"),
        ("pi_e3", "Vertical momentum π·e₃", "Δ(π·e₃) / (π·e₃)₀"),
        ("pi_chi", "Momentum along the axis π·χ", "Δ(π·χ) / (π·χ)₀"),
        ("orthogonality", "Orthogonality", "‖RᵀR − 1‖"),
    ),
    "se3": (
        ("energy", "Energy", "ΔE / E₀"),
        ("linear_momentum", "Linear momentum", "‖p − p₀‖"),
        ("angular_momentum", "Angular momentum", "‖π − π₀‖ / ‖π₀‖"),
        ("orthogonality1", "Orthogonality of R₁", "‖R₁ᵀR₁ − 1‖"),
    ),
}
"""By the space: a series, what it is called, and how its departure is written; told of where the motion keeps it."""

LENGTHS = (-1, 4)
"""Of the slider of the duration, in powers of ten: a browser makes fewer steps than a server."""
SCRIPTS = "script-src {} 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; frame-src 'self' file:"
"""What a demo's content policy allows, with the place of scripts that come from elsewhere; the preview is a frame."""
PACKED = re.compile("[A-Za-z0-9+/=]{1000,}")
"""A kernel or a mesh, within the data."""


@dataclass(frozen=True)
class Demo:
    """A demo, which a notebook shows.

    `page` is its text, in which comments name what other demos may have as well: `texts`, each under a name that
    follows from it.
    """

    title: str
    page: str
    texts: Mapping[str, str]

    @cached_property
    def html(self) -> str:
        """All of it, as one file."""
        return filled(self.page, self.texts)

    def save(self, path: str | Path) -> Path:
        """Write the file."""
        path = Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return f"<live demo, {len(self.html.encode()):,} bytes>"

    def _repr_html_(self) -> str:
        """A frame with the demo in it, which cannot reach the notebook."""
        shown = escape(self.html, quote=True)
        return f'<iframe sandbox="allow-scripts" style="width:100%;height:900px;border:0" srcdoc="{shown}"></iframe>'


def made(choice: Choice) -> Demo:
    """The demo that begins with a choice.

    Raises
    ------
    ValueError
        If there is no method among those chosen that a browser can run, with the reasons.
    """
    problem = choice.built()
    found: list[dict[str, Any]] = []
    refused = []
    for label, colour in zip(choice.methods, COLOURS, strict=False):
        try:
            module = web.module(problem, choice.method(label), dt=choice.dt, steps=1)
        except ValueError as error:
            refused.append(f"{label}: {sentence(str(error))}")
        else:
            found.append({"label": label, "colour": colour, "module": packed(module)})
    if not found:
        raise ValueError(f"None of these methods runs in a browser. {' '.join(refused)}")
    fine = choice.method(FINE[choice.space])
    begins = web.beginning(problem)
    told = {
        "problem": choice.problem,
        "space": choice.space,
        "changes": choice.written(),
        "dt": choice.dt,
        "duration": choice.duration,
        "methods": found,
        "refused": refused,
        "reference": {
            "label": fine.label,
            "colour": EXACT_COLOUR,
            "module": packed(web.module(problem, fine, dt=choice.dt, steps=1)),
        },
        "beginning": packed(begins),
        "fields": fields(problem.declared, begins.header["given"]),
        "quantities": [
            {"name": name, "title": title, "symbol": symbol, "part": name.rstrip("1")}
            for name, title, symbol in quantities(choice)
        ],
        "words": excerpt.WORDS,
        "longest": excerpt.LONGEST_CAPTION,
        "parts": excerpt.of_demos(choice),
        "means": MEANINGS if choice.space == "so3" else {},
        "scenes": scenes(Results(choice, problem, (), None, "")),
        "snippet": snippet_of("{problem}", "{methods}", "{times}", exact=choice.space == "so3"),
    }
    title = f"{problem.name}: {', '.join(one['label'] for one in found)}"
    texts: dict[str, str] = {}

    def apart(text: str) -> str:
        """The name of a text, as a comment."""
        name = sha256(text.encode()).hexdigest()[:16]
        texts[name] = text
        return f"<!--{name}-->"

    data = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    own = {
        "NAME": escape(problem.name),
        "SUMMARY": escape(problem.summary),
        "CITATION": escape(cite(problem, *(choice.method(one["label"]) for one in found))),
        "VERSION": escape(polhode_version()),
        "STYLE": apart(rules("alone", "ledger", "demo", "embed")),
        "FORM_STYLE": apart(rules("field", "form")),
        "DATA": PACKED.sub(lambda found: apart(found[0]), data),
        "ENGINE": apart(slim(joined(ASSETS / "engine.js"))),
        "SCRIPT": apart(slim(joined(ASSETS / "demo.js", later=False)).replace("</script", "<\\/script")),
    }
    return Demo(title, alone("demo", title, SCRIPTS.format(""), **own), texts)


def quantities(choice: Choice) -> list[tuple[str, str, str]]:
    """What may be told of: energy, the problem's further integrals, and the others."""
    energy, *others = QUANTITIES[choice.space]
    further = ((one.key, one.title, one.changes[1]) for one in choice.built().integrals)
    return [energy, *further, *others]


def packed(module: web.Module) -> dict[str, Any]:
    """A module as the script reads it."""
    return {"header": module.header, "code": base64.b64encode(module.code).decode()}


def fields(declared: Mapping[str, Parameter], given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What can be changed, as the form takes it: the step, the duration, and the numbers that begin a run."""
    dt, duration = SLIDERS
    shorter = replace(duration, ends=LENGTHS)
    return [asdict(field) for field in (dt, shorter, *(entry(declared[one["name"]]) for one in given))]


def scenes(results: Results) -> list[dict[str, Any]]:
    """What is drawn of the motions, each with its facts and meshes."""
    if results.choice.space == "se3":
        masses = {"masses": [results.problem.body1.mass, results.problem.body2.mass]}
        J = {"J1": results.problem.body1.J.ravel().tolist(), "J2": results.problem.body2.J.ravel().tolist()}
        shapes = base64.b64encode(two_bodies.shapes(results.problem)).decode()
        return [
            {
                "label": "In space",
                "facts": two_bodies.facts(results, two_bodies.INERTIAL) | masses | J,
                "shapes": shapes,
            }
        ]
    shapes = base64.b64encode(scene.shapes(results, "poinsot")).decode()  # which has the body as well
    labels = {"poinsot": "Poinsot's construction" if results.free else "Traces in space", "body": "The body"}
    J0 = {"J0": results.problem.J.ravel().tolist()}
    return [
        {"label": label, "facts": scene.facts(results, kind) | J0, "shapes": shapes if kind == "poinsot" else ""}
        for kind, label in labels.items()
    ]
