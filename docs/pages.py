"""Pages generated from the registries: methods, problems, studies, the papers and the shell."""

from __future__ import annotations

import argparse
import inspect
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import figures
import numpy as np

import engine
from engine import papers, studies
from engine.algorithms import FixedStep
from engine.algorithms.core import description
from engine.algorithms.core.method import Method
from engine.cli import command as cli
from engine.cli.console import EXIT_CODES
from engine.cli.run import EXAMPLES
from engine.compiler.frontend import refusal
from engine.export.citations import Entry, list_authors, parse_bibtex, parse_entries
from engine.parameters.parameter import Parameter, Words
from engine.problems.problem import AnyProblem
from engine.simulation.systems import SYSTEMS
from engine.studies import Study
from engine.studies.core.stored import FINDING_FIELDS, recorded_with, stored_properties
from engine.studies.core.test_problems import PROBLEMS
from engine.text import glossary
from engine.text.formatting import format_measured, format_powers, show

LESSONS = Path(__file__).parents[1] / "assets" / "lessons"


def write(folder: Path) -> None:
    """Write the pages into Sphinx's folder; unchanged files keep their time, so that they are not
    built again.
    """
    measured = stored_properties()
    texts = {"methods/index.md": method_index(), "problems/index.md": problem_index()}
    texts |= {"shell.md": shell_page(), "papers.md": papers_page(), "studies.md": studies_page()}
    texts |= {
        "glossary.md": glossary_page(),
        "refused.txt": refusal_table(),
        "lessons.txt": lesson_table(),
        "withstands.md": withstands_page(),
        "peers.md": peers_page(),
    }
    texts |= {"developer/mutations.md": mutations_page()}
    texts |= {
        f"methods/{m.key}.md": method_page(m, measured.get(m.key, ())) for m in engine.algorithms()
    }
    texts |= {
        f"methods/{page_name(m)}.md": method_page(m, ())
        for space in SUFFIXES
        for m in engine.algorithms(space)
        if SUFFIXES[space]
    }
    texts |= {f"problems/{p.key}.md": problem_page(p) for p in engine.problems(None)}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for old in (*folder.glob("methods/*.md"), *folder.glob("problems/*.md")):
        if old.relative_to(folder).as_posix() not in texts:
            old.unlink()


# ----------------------------------------------------------------- Markdown


def plain(text: object) -> str:
    """Escape a text for Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>|$#])", r"\\\1", " ".join(str(text).split()))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; its cells are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def fence(text: str, kind: str) -> str:
    """Return a fenced block."""
    return f"```{kind}\n{text.strip(chr(10))}\n```"


def section(title: str, *blocks: str) -> list[str]:
    """Return a section; no blocks if it is empty."""
    return [f"## {title}", *filter(None, blocks)] if any(blocks) else []


def page(*blocks: str) -> str:
    """Join blocks into a page."""
    return "\n\n".join(filter(None, blocks)) + "\n"


def join_code(names: Iterable[str]) -> str:
    """Join names as code, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


def equations(latex: str) -> str:
    """The equations of a method or a problem."""
    return fence(inspect.cleandoc(latex), "{math}") if latex else ""


def source(function: Any) -> str:
    """Return the source of a function below its decorator, with its place."""
    found = description.find_source(function)
    assert found is not None, function
    return f"`{found.where}`:\n\n{fence(found.text, 'python')}"


# ----------------------------------------------------------------- references


def citation(entry: Entry) -> str:
    """Format an entry as a line of a bibliography."""
    fields = {name: plain(parse_bibtex(value)) for name, value in entry.fields.items()}
    where = (
        fields.get("journal")
        or fields.get("booktitle")
        or fields.get("school")
        or fields.get("institution")
    )
    parts = [plain(list_authors(entry)), fields["title"]]
    if where:
        parts.append(f"*{where}*" + (f" **{fields['volume']}**" if "volume" in fields else ""))
    parts += [fields[name] for name in ("pages", "publisher") if name in fields]
    line = ", ".join(parts) + f" ({fields['year']})."
    return f"{line} [doi](https://doi.org/{entry.fields['doi']})" if "doi" in fields else line


def sources(reference: str) -> str:
    """Return a reference as text and as BibTeX."""
    found = parse_entries(reference)
    read_lines = "\n".join(f"- {citation(entry)}" for entry in found)
    return page(read_lines, fence("\n\n".join(map(str, found)), "bibtex")) if found else ""


# ----------------------------------------------------------------- words


def glossary_page() -> str:
    """Return the glossary: the explanations of technical words on the page."""

    def entry(term: glossary.Term) -> str:
        also = f" Also: {', '.join(map(plain, term.also))}." if term.also else ""
        return f"**{plain(term.word)}**\n: {plain(term.meaning)}{also}"

    parts = [[f"## {group}", *map(entry, terms)] for group, terms in glossary.GLOSSARY.items()]
    return page("# Glossary", GLOSSARY_WORDS, *(block for part in parts for block in part))


GLOSSARY_WORDS = (
    "What the page says of these words where they are underlined by dots: point at one, go to it, "
    "or touch it."
)

# ----------------------------------------------------------------- methods


def method_page(method: Method, findings: Sequence[Sequence[str]]) -> str:
    """Return the page of one method."""
    head = [("Also called", join_code(method.other_names))] if method.aliases else []
    facts = {label: plain(words) for label, words in description.describe_method(method)}
    facts["Family"] = f"[{method.family}](index.md#{anchor(description.find_heading(method))})"
    options = [
        (f"`{o.name}`", plain(o.doc), plain(o.range), value(o, o.default)) for o in method.options
    ]
    return page(
        f"# {plain(method.key)}",
        f":::{{container}} lead\n{plain(method.name)}\n:::",
        plain(method.summary),
        table(("", ""), [*head, *facts.items()]),
        *section("Equations", equations(method.equations)),
        *section("Why", *map(plain, method.why)),
        *section("Live", live(method)),
        *section(
            "What it does",
            f"```{{raw}} html\n{figures.errors_of(method)}\n```",
            FIGURE_WORDS[method.space],
        ),
        *section("What it keeps", describe_conservation(method)),
        *section("Declared and measured", comparison_blocks(findings)),
        *section(
            "Options",
            table(("name", "what it is", "values", "default"), options) if options else "",
        ),
        *section("Source", source(method.step) if isinstance(method, FixedStep) else ""),
        *section("References", sources(method.reference)),
    )


BESIDE = {"so3": ("NMB", "AKW"), "se3": ("LGVI", "RK2")}
NO_DEMO = "Demos show bodies that move by themselves, and no given rates."
OF_HIGH_ORDER = "RK4-QUAT", "RKMK"
"""The reference method of each demo, and another for the reference itself."""


def live(method: Method) -> str:
    """Return a demo of a method beside a known one, on a slow top, a free body or two dumbbells."""
    if method.space not in BESIDE:
        return NO_DEMO
    if not isinstance(method, FixedStep):
        return "It does not go by steps of one size, as the demos of these pages do: there is none of it."
    high = method.space == "so3" and min(method.order or (1,)) > 2
    first, second = OF_HIGH_ORDER if high else BESIDE[method.space]
    other = second if method.key == first else first
    return demo(
        demo_problem(method),
        (method.key, other),
        "Drag Δt, and see what becomes of the errors; Play moves the bodies.",
    )


def demo_problem(method: Method) -> str:
    """Return the problem of a method's demo: one with a torque, if the method accepts it."""
    if method.space == "se3":
        return "dumbbells"
    top = engine.problem("slow-top")
    return "free" if SYSTEMS[top.space].why_not(top, method, top.dt) else "slow-top"


def demo(problem: str, methods: Sequence[str], *values: str, **times: float) -> str:
    """Return a live demo with its caption (`demos.py`)."""
    options = [f":{name}: {value:g}" for name, value in times.items()]
    return fence("\n".join([*options, *values]), f"{{demo}} {problem} {' '.join(methods)}")


FIGURE_WORDS = {
    "so3": "The largest relative error in each part of the time. The step is the problem's own: a half on the free "
    "body, about 28° a step; a hundredth on the slow top, about 3° a step. What lies on the floor is roundoff.",
    "se3": "The largest relative error in each part of the time, with the problem's own step of 0.002; an adaptive "
    "method has its own tolerance. What lies on the floor is roundoff.",
    "rates": "The largest error in each part of the time, under coning at 50 Hz with 1,000 steps in a unit of time.",
}

SUFFIXES = {"so3": "", "se3": "-two-bodies", "rates": "-given-rates"}
"""What the names of methods' pages end with, by the space of the method."""


def page_name(method: Method) -> str:
    """Return the name of a method's page; some keys name a method in each of several spaces."""
    return f"{method.key}{SUFFIXES[method.space]}"


def describe_conservation(method: Method) -> str:
    """Return what a method conserves to roundoff, and when."""
    rows = [(plain(quantity), when) for _, quantity, when in description.describe_conserved(method)]
    return table(("to roundoff", "when"), rows) if rows else "Nothing to roundoff."


def comparison_blocks(findings: Sequence[Sequence[str]]) -> str:
    """Return declared beside measured properties, and each contradiction in a sentence."""
    found = [dict(zip(FINDING_FIELDS, line, strict=True)) for line in findings]
    wrong = [
        f"- {plain(format_powers(one['contradiction']))}" for one in found if one["contradiction"]
    ]
    rows = []
    for name in dict.fromkeys(one["property"] for one in found):
        same = [one for one in found if one["property"] == name]
        titles = [name] + [""] * (len(same) - 1)
        rows += [
            tuple(
                map(
                    plain,
                    (title, one["on"], one["declared"] or "–", format_powers(one["measured"])),
                )
            )
            for title, one in zip(titles, same, strict=True)
        ]
    warning = ":::{warning}\n" + "\n".join(wrong) + "\n:::" if wrong else ""
    own = "; ".join(f"“{key}” is {problem.name}" for key, problem in PROBLEMS.items())
    return (
        page(warning, table(("property", "on", "declared", "measured"), rows), f"{own}.")
        if rows
        else ""
    )


def anchor(title: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def method_index() -> str:
    """The catalogue."""
    methods = engine.algorithms(None)
    head = ("", "", "order", "torques", "solves", "reversible", "symplectic")
    blocks = [
        "# Methods",
        f"{len(methods)} methods, by families, those for two bodies and for given rates below. The order is that of "
        "the attitude and of the momentum; torques are counted for each step, or the forces between two bodies, or "
        "rates. (yes): under a condition, which the method's page states.",
        "`NAME+E` adds Buss's energy correction, for free bodies. `NAME*yoshida4`, or `suzuki4`, `kahan-li6`, "
        "`kahan-li8`, composes a reversible method of order two to order four, six or eight.",
    ]
    for family in dict.fromkeys(map(description.find_heading, methods)):
        rows = [
            (f"[{plain(m.key)}]({page_name(m)}.md)", plain(m.name), *description.list_cells(m))
            for m in methods
            if description.find_heading(m) == family
        ]
        blocks += [f"## {family}", table(head, rows)]
    return page(*blocks, hidden_tree([page_name(method) for method in methods]))


def hidden_tree(keys: Sequence[str]) -> str:
    """The pages of a folder, for the side bar."""
    return "```{toctree}\n:hidden:\n\n" + "\n".join(keys) + "\n```"


# ----------------------------------------------------------------- problems


def problem_page(problem: AnyProblem) -> str:
    """Return the page of one problem."""
    parameters = [
        (
            f"`{p.name}`",
            plain(p.doc),
            plain(p.unit),
            plain(p.range),
            value(p, problem.value(p.name)),
        )
        for p in problem.declarations.values()
    ]
    invariants = "\n".join(
        f"- {plain(words)}" for _, words in description.describe_invariants(problem)
    )
    aliases = f"Also called {join_code(problem.aliases)}." if problem.aliases else ""
    return page(
        f"# {plain(problem.key)}",
        f":::{{container}} lead\n{plain(problem.name)}\n:::",
        plain(problem.summary),
        aliases,
        *section("Equations", equations(problem.equations)),
        *section("Live", live_problem(problem)),
        *section("The motion", f"```{{raw}} html\n{figures.motion_of(problem)}\n```"),
        *section("What the motion keeps", invariants),
        *section("Parameters", table(("name", "what it is", "unit", "values", "here"), parameters)),
        *section("Source", *map(source, problem.functions)),
        *section("References", sources(problem.reference)),
    )


SUIT = {"so3": ("NMB", "DMV", "RK4-QUAT"), "se3": ("LGVI", "RK2")}
SUIT_BETTER = {
    "book-toss": ("NMB", "SW"),
    "prism": ("BUSS3+E", "MR4", "RK4-QUAT"),
    "magnet": ("VLV", "SW"),
}
"""The methods of a problem's demo."""
BEGINNING = {"magnet": 100.0}
"""Shorter durations for the demos of problems that would take too many steps."""


def live_problem(problem: AnyProblem) -> str:
    """A demo of a problem by two or three methods."""
    if problem.space not in SUIT:
        return NO_DEMO
    methods = SUIT_BETTER.get(problem.key, SUIT[problem.space])
    times = {"duration": BEGINNING[problem.key]} if problem.key in BEGINNING else {}
    return demo(
        problem.key,
        methods,
        "Drag Δt, and see which of the methods bears it; Play moves the body.",
        **times,
    )


def value(parameter: Parameter, given: Any) -> str:
    """A parameter's value."""
    if isinstance(parameter.kind, Words):
        return f"`{parameter.format(given)}`" if given != "" else "nothing"
    numbers = np.asarray(parameter.kind.reduce(given), dtype=float)
    if numbers.ndim == 0:
        return figures.format_number(float(numbers))
    rows = [", ".join(map(figures.format_number, row)) for row in np.atleast_2d(numbers)]
    return f"({'; '.join(rows)})"


def problem_index() -> str:
    """The list of problems, by groups."""
    blocks = ["# Problems", "The step and the duration are the defaults of a run."]
    problems = engine.problems(None)
    for group in dict.fromkeys(problem.group for problem in problems):
        rows = [
            (
                f"[{plain(p.key)}]({p.key}.md)",
                plain(p.name),
                f"{p.dt:g}",
                f"{p.duration:g}",
                plain(p.summary),
            )
            for p in problems
            if p.group == group
        ]
        blocks += [f"## {plain(group)}", table(("", "", "step", "duration", ""), rows)]
    return page(*blocks, hidden_tree([problem.key for problem in problems]))


# ----------------------------------------------------------------- what cannot be compiled


def refusal_table() -> str:
    """Return the table of what compiled code refuses, and the alternatives, in the words of the
    refusals.
    """
    rows = [
        (plain(word), plain(instead))
        for word, instead in dict.fromkeys(map(tuple, refusal.SYNTAX.values()))
    ]
    rows += [(f"`{what}`", plain(instead)) for what, instead in refusal.OPERATIONS.items()]
    rows += [(f"`{name}`", plain(instead)) for name, instead in refusal.FUNCTIONS.items()]
    return table(("", "what works"), rows) + "\n"


# ----------------------------------------------------------------- the lessons


LESSON_PAGES = "page=two-bodies&", "page=gyroscope&"
"""The words of a link to a lesson beside another page than the lab."""


def lesson_table() -> str:
    """Return the table of the included lessons: title, link, and the paragraph that begins each."""
    rows = []
    for path in sorted(LESSONS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        title, about = text.partition("\n## ")[0].removeprefix("# ").split("\n", 1)
        page = next((name for name in LESSON_PAGES if name in text), "")
        link = f"`?{page}lesson={path.stem.partition('-')[2]}`"
        rows.append((title, link, " ".join(about.split())))
    return table(("lesson", "link", "about"), rows) + "\n"


# ----------------------------------------------------------------- the studies


def studies_page() -> str:
    """Return the page of the studies: their subjects, arguments and calls."""
    every = studies.registered()
    rows = [
        (f"[{plain(one.key)}](#{anchor(one.title)})", plain(one.title), plain(one.sentence))
        for one in every
    ]
    return page(
        "# Studies",
        "A study makes more than one run. There are three ways to start it: a function of `engine.studies`, `polhode "
        "study`, and the page Studies. The result has a `conclusion` in sentences and a table, `to_frame()`. A study "
        "reports its progress; if you cancel it, the result contains the measurements so far.",
        table(("", "", ""), rows),
        *(block for one in every for block in section(one.title, *study_blocks(one))),
    )


def study_blocks(one: Study) -> list[str]:
    """Return the section of one study."""
    methods = "one method" if one.most == 1 else f"up to {one.most} methods on the page"
    without = f"; without any, {one.without}" if one.without else ""
    also = join_code((*(f"studies.{name}" for name in one.aliases), *one.old_words))
    takes = inspect.signature(one.function).parameters.values()
    call = inspect.Signature([parameter.replace(annotation=parameter.empty) for parameter in takes])
    head = ("argument", "what it is", "values", "default")
    rows = [
        (
            f"`{a.name}`",
            plain(a.doc),
            plain(a.range),
            f"`{a.format(a.default)}`" if a.default is not None else "",
        )
        for a in one.arguments
    ]
    about = (one.function.__doc__ or "").partition("\n\nParameters\n")[0]
    problem = "free" if one.spaces[0] == "so3" else "dumbbells"
    example = f"polhode study {one.key} {problem} {one.example[0]}"
    example += "".join(f" --{a.name.replace('_', '-')} {a.kind.example}" for a in one.needed())
    return [
        *(plain(text).replace("\\`", "`") for text in about.split("\n\n")),
        f"It takes {methods}{without}. {f'Also understood: {also}.' if also else ''}",
        table(head, rows),
        fence(f"studies.{one.name}{call}", "text"),
        fence(example, "sh"),
    ]


# ----------------------------------------------------------------- the papers


def papers_page() -> str:
    """Return the page of the papers: the recorded verdict on each claim with its measured
    figures.
    """
    verdicts = papers.load_verdicts().measured
    of_claims = [m.claim.reference for m in verdicts]
    of_numbers = [one.reference for one in papers.comparisons()]
    return page(
        "# The papers",
        f":::{{container}} lead\nWhat the papers claim, measured: {count_verdicts(verdicts)}.\n:::",
        "A claim is reproduced if all that it requires of the figures holds, refuted if nothing does. `polhode "
        "papers` measures all of them again in a minute; here stands what was recorded with "
        f"{plain(recorded_with())}.",
        claims_table(verdicts),
        *(block for m in verdicts for block in section(m.claim.key, *claim_blocks(m))),
        *section("Figures", FIGURES_WORDS, table(("", "where", "what it shows"), figure_rows())),
        *section("Others' numbers", OTHERS_WORDS, *map(comparison_text, papers.comparisons())),
        *section("References", *map(sources, dict.fromkeys([*of_claims, *of_numbers]))),
    )


def let_break(text: str) -> str:
    """Let long paths and names of code break between their parts."""
    return re.sub(
        r"\S{20,}",
        lambda name: re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[_/])", "\u200b", name[0]),
        text,
    )


def claims_table(verdicts: Sequence[papers.Measured]) -> str:
    """Return a row for each claim."""
    rows = [
        (
            f"[{plain(m.claim.key)}](#{anchor(m.claim.key)})",
            f"{m.verdict}, {m.holding} of {len(m.claim.paper)}",
            let_break(plain(f"{m.claim.says} ({m.claim.source}, {m.claim.where})")),
            plain(m.claim.reason),
        )
        for m in verdicts
    ]
    return table(("", "verdict", "the paper says", "why"), rows)


OTHERS_WORDS = (
    "Numbers that others published, and the lab's. They agree within a tolerance; they differ if the lab has them in "
    "another setting; else they are wrong. The page Papers, "
    "`polhode papers --others` and `engine.papers.compare()` compute all of them anew."
)


def comparison_text(one: papers.Comparison) -> str:
    """Return the numbers of a source for one motion, compared while the page is made."""
    rows = [
        (
            plain(c.numbers.who),
            plain(c.numbers.what),
            f"{format_measured(c.difference)} {c.numbers.unit}".rstrip(),
            f"{show(c.numbers.tolerance)} {c.numbers.unit}".rstrip(),
            c.verdict,
            plain(c.sentence),
        )
        for c in one.compare()
    ]
    return page(
        f"### {one.title}",
        f"{plain(one.about)} From {plain(one.where)}. The lab: {plain(one.known)} Terms: {plain(one.terms)}",
        table(("", "", "difference", "tolerance", "verdict", ""), rows) if rows else "",
    )


FIGURES_WORDS = (
    "The papers' plots and tables can be computed anew: `polhode papers KEY --figures --out FILE.csv`, or "
    "`engine.papers.find_figure(KEY).curves()`, give their points beside the papers' own numbers."
)


def count_verdicts(verdicts: Sequence[papers.Measured]) -> str:
    """Count the words."""
    words = [m.verdict for m in verdicts]
    return ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))


def claim_blocks(m: papers.Measured) -> list[str]:
    """Return how a claim is measured, its figures beside the paper's requirements, and why some do
    not hold.
    """
    head = ("figure", "the paper", "measured", "")
    words = {True: "holds", False: "does not hold", None: ""}
    rows = [
        (
            plain(name),
            plain(m.claim.paper.get(name, "–")),
            plain(value if isinstance(value, str) else figures.format_number(value)),
            words[holds],
        )
        for name, value, holds in m.rows()
    ]
    why = "\n".join(f"- {plain(name)}: {plain(text)}" for name, text in m.claim.why.items())
    return [plain(m.claim.how), why, table(head, rows)]


def figure_rows() -> list[tuple[str, str, str]]:
    """A row for each figure and table."""
    return [
        (f"`{f.key}`", plain(f"{f.source}, {f.where}"), plain(f"{f.title}. {f.plotted} {f.see}"))
        for f in papers.figures()
    ]


# ----------------------------------------------------------------- faults

WITHSTOOD = Path(__file__).with_name("withstands.json")
"""The record of `python -m tests.faults --long`."""


def withstands_page() -> str:
    """Return the page of the faults tried on the project, and the number of failures."""
    rows = json.loads(WITHSTOOD.read_text(encoding="utf-8"))
    cases, failures = (sum(row[name] for row in rows.values()) for name in ("cases", "failures"))
    lines = [
        (
            plain(key),
            plain(row["what"]),
            *(f"{row[name]:,}" for name in ("cases", "failures", "seconds", "growth")),
        )
        for key, row in rows.items()
    ]
    return page(
        "# What it withstands",
        f":::{{container}} lead\nIn {cases:,} cases of damage, loss and nonsense, {failures:,} failed.\n:::",
        "A case passes if it ends in an answer: the right result, or a refusal in one sentence. It fails on a "
        "traceback, on a wrong number, on half a file, if it takes more than 20 seconds of processor time, or if a "
        "server that is tried stops answering. A crash of the library that reads meshes counts as an answer: it ends "
        "the process of that file alone, and the page reports that the file is damaged.",
        table(("", "what happens", "cases", "failures", "seconds", "MB more"), lines),
        "The last column is the growth of memory after the first cases: of the server where one is tried, and of the "
        "process that tries the cases otherwise.",
        "Each change is tested with a few of these cases. To run all of them, and more for an hour:",
        fence("python -m tests.faults --long", "sh"),
    )


# ----------------------------------------------------------------- other integrators

TIMED = Path(__file__).with_name("peers.json")
"""The record of `python -m benchmarks.peers --record`."""
DRAWN = ("Polhode TAYLOR", "heyoka")
"""The contestants of the figure."""


def peers_page() -> str:
    """Return the page of the time to an accuracy, of the engine's methods and of other
    integrators.
    """
    record = json.loads(TIMED.read_text(encoding="utf-8"))
    times = record["microseconds"]
    targets = ("1e-06", "1e-08", "1e-10", "1e-12")
    rows = [
        (plain(problem), plain(name), *(f"{found[t]:g}" if t in found else "–" for t in targets))
        for problem, contestants in times.items()
        for name, found in contestants.items()
    ]
    versions = ", ".join(f"{name} {v}" for name, v in record["host"]["versions"].items() if v)
    return page(
        "# Other integrators",
        "The processor time of a call to the final attitude of seven motions, in microseconds, at the coarsest step or "
        "tolerance with which its error is below that of the column. The calls alternate in one process. Each "
        "integrator has the quaternion and Ω, or two rows of R and Ω, and the figure shows the faster.",
        f"```{{raw}} html\n{figures.times_of(times, DRAWN)}\n```",
        table(("motion", "integrator", *(show(float(t)) for t in targets)), rows),
        f"Versions: {versions}. Recorded on {record['host']['cores']} cores with vectors of "
        f"{record['host']['bits']} bits, at a load of {record['host']['load']:g}. To measure it on your machine:",
        fence("python -m benchmarks.peers", "sh"),
    )


# ----------------------------------------------------------------- mutations

MUTATED = Path(__file__).with_name("mutations.json")
"""The record of `python -m tests.mutations --table`, with an answer to each survivor."""


def mutations_page() -> str:
    """Return the page of the random changes to the product, and the test that found each."""
    blocks = [
        "# Mutations",
        "Each row is one random change to the product, and the test that fails with it. A new test has found what "
        "survived at first; an equivalent change alters nothing that can be observed.",
    ]
    for options, rows in json.loads(MUTATED.read_text(encoding="utf-8")).items():
        at_once = sum(row["at_once"] for row in rows)
        lines = [
            (
                plain(f"{row['path']}, {row['function'] or 'module'}"),
                f"`{row['change']}`".replace("|", r"\|"),
                plain(row["by"].partition("[")[0] or "survives"),
                plain(("" if row["at_once"] else "Survived at first. ") + row["answer"]),
            )
            for row in rows
        ]
        blocks += [
            fence(f"python -m tests.mutations {options} --table", "sh"),
            f"{at_once} of {len(rows)} were found at once.",
            ":::{container} fitting",
            table(("where", "change", "found by", "answer"), lines),
            ":::",
        ]
    return page(*blocks)


# ----------------------------------------------------------------- the shell


def shell_page() -> str:
    """Return the page of the command `polhode`, from its parser."""
    _, parsers = cli.parsers()
    blocks = [
        "# The shell",
        inspect.cleandoc(cli.__doc__ or "").partition("\n")[0],
        fence(EXAMPLES, "text"),
    ]
    for name, parser in parsers.items():
        blocks += [
            f"## polhode {name}",
            parser.description or "",
            fence(parser.usage or "", "text"),
        ]
        rows = [
            (argument_syntax(action), plain(meaning(action)))
            for action in parser._actions
            if action.dest != "help"
        ]
        blocks.append(table(("", ""), rows))
    return page(*blocks, "## Exit codes", fence(EXIT_CODES, "text"))


def meaning(action: argparse.Action) -> str:
    """Return the help of an argument; for a deprecated name, the present one."""
    earlier = action.help == argparse.SUPPRESS
    return (
        f"earlier name of --{action.dest.replace('_', '-')}"
        if earlier
        else (action.help or "").replace("%%", "%")
    )


def argument_syntax(action: argparse.Action) -> str:
    """Return the syntax of an argument."""
    taken = "" if action.nargs == 0 else str(action.metavar or action.dest)
    forms = [f"{name} {taken}".strip() for name in action.option_strings] or [taken]
    return join_code(form.replace("|", r"\|") for form in forms)
