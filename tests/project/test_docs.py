"""The documentation: it builds without a warning, covers every method and problem, and loads
nothing remote.
"""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from timeouts import TIMEOUT

import engine
from benchmarks.motions import TASKS
from engine import papers, studies
from engine.algorithms import FixedStep
from engine.algorithms.core.description import describe_method
from engine.cli import command as cli
from engine.compiler.frontend import refusal
from engine.studies.core.stored import stored_properties
from engine.text.formatting import format_powers

pytestmark = pytest.mark.exhaustive
"""Sphinx takes half a minute to build it."""

ROOT = Path(engine.__file__).resolve().parents[1]
METHODS = engine.algorithms()
PROBLEMS = engine.problems()
FOR_TWO = engine.algorithms("se3")
OF_TWO = engine.problems("se3")


SPHINX = (
    "import gc, sys; gc.disable(); from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"
)
"""`python -m sphinx`, without garbage collection, which would take a fifth of its time."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, built strictly from a copy, so that generated files stay outside the project."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copytree(
        ROOT / "docs",
        folder / "docs",
        ignore=shutil.ignore_patterns("methods", "problems", "_build", "__pycache__"),
    )
    shutil.copytree(ROOT / "assets", folder / "assets")
    shutil.copy(ROOT / "README.md", folder)
    built = folder / "site"
    command = [
        sys.executable,
        "-c",
        SPHINX,
        "-W",
        "--keep-going",
        "-n",
        "-q",
        folder / "docs",
        built,
    ]
    ended = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, timeout=TIMEOUT
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return built


LOADS = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "image": "href",
    "use": "href",
}
"""The attribute by which a tag loads something."""


def plain(text: str) -> str:
    """Return a text on one line, without markup of code or places where a line may break, with
    straight quotation marks.
    """
    text = text.replace("`", "").replace("\u200b", "")
    return " ".join(text.translate(str.maketrans("’“”", '\'""')).split())


class Page(HTMLParser):
    """The links of a page, what it loads, its anchors and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.tags: list[str] = []
        self.frames: list[dict[str, str]] = []
        self.curves = 0
        self.words: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.text = plain(" ".join(self.words))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.frames += [given] if tag == "iframe" else []
        self.curves += tag == "polyline" and given.get("class", "").startswith("line")
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") not in (
            "next",
            "prev",
            "index",
            "search",
            "genindex",
        ):
            self.loads.append(given.get("href", ""))
        if tag in LOADS:
            self.loads.append(given.get(LOADS[tag], ""))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_method_has_a_page_with_all_of_it(site: Path, pages: dict[Path, Page]) -> None:
    for method in METHODS + FOR_TWO:
        name = method.key if method.space == "so3" else f"{method.key}-two-bodies"
        page = pages[site / "methods" / f"{name}.html"]
        reports = [value for _, value in describe_method(method)]
        reports += [
            method.name,
            method.summary,
            *method.aliases,
            *(option.name for option in method.options),
        ]
        for text in reports:
            assert plain(text) in page.text, (method.key, text)
        assert "math" in page.tags and page.curves, method.key
        if isinstance(method, FixedStep):
            step = method.step.__name__
            assert "".join(f"def {step}(".split()) in "".join(page.text.split()), method.key
        assert f"{name}.html" in pages[site / "methods" / "index.html"].links
        assert len(page.frames) == isinstance(method, FixedStep), (
            "what goes by steps of one size has a live demo"
        )


def test_every_method_is_measured(site: Path, pages: dict[Path, Page]) -> None:
    measured = stored_properties()
    assert list(measured) == [method.key for method in METHODS], (
        "run `python docs/measure.py`, with the new keys"
    )
    for key, findings in measured.items():
        text = pages[site / "methods" / f"{key}.html"].text
        assert findings and all(format_powers(line[3]) in text for line in findings), key


def test_every_claim_and_every_figure_of_the_papers_is_told(
    site: Path, pages: dict[Path, Page]
) -> None:
    page = pages[site / "papers.html"]
    for measured in papers.load_verdicts().measured:
        claim = measured.claim
        for text in (
            claim.key,
            claim.where,
            claim.says,
            claim.reason,
            claim.how,
            *claim.names,
            *claim.why.values(),
        ):
            assert plain(text) in page.text, (claim.key, text)
        assert f"#{claim.key}" in page.links and claim.key in page.anchors
        assert f"{measured.holding} of {len(claim.paper)}" in page.text
    for figure in papers.figures():
        assert figure.key in page.text and plain(figure.see) in page.text, figure.key


def test_every_problem_has_a_page_with_all_of_it(site: Path, pages: dict[Path, Page]) -> None:
    for problem in PROBLEMS + OF_TWO:
        page = pages[site / "problems" / f"{problem.key}.html"]
        for text in (problem.name, problem.summary, *problem.aliases, *problem.parameters):
            assert plain(text) in page.text, (problem.key, text)
        assert "math" in page.tags and page.curves == (4 if problem.space == "so3" else 3), (
            problem.key
        )
        assert f"{problem.key}.html" in pages[site / "problems" / "index.html"].links
        assert len(page.frames) == 1, problem.key


def test_a_live_demo_is_loaded_when_it_comes_into_view(site: Path, pages: dict[Path, Page]) -> None:
    assert len(pages[site / "how-to" / "choose.html"].frames) == 1
    for path, page in pages.items():
        for frame in page.frames:
            assert frame["loading"] == "lazy" and frame["title"].startswith("Live: "), path.name
            assert frame["src"].partition("#")[0] in page.links, "without a frame there is a link"


def test_every_study_is_told_with_its_arguments(site: Path, pages: dict[Path, Page]) -> None:
    page = pages[site / "studies.html"]
    for study in studies.registered():
        for text in (
            study.key,
            study.title,
            study.sentence,
            *(argument.doc for argument in study.arguments),
        ):
            assert plain(text) in page.text, (study.key, text)
        assert f"studies.{study.name}(" in page.text


def test_every_trial_of_a_fault_is_shown(site: Path, pages: dict[Path, Page]) -> None:
    recorded = json.loads((ROOT / "docs" / "withstands.json").read_text(encoding="utf-8"))
    sources = [
        path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "faults").glob("*.py")
    ]
    trials = r"\n@trial\([^@]*?\)\ndef (\w+)\(folder: Path\)"
    names = [name for text in sources for name in re.findall(trials, text)]
    assert recorded.keys() == {name.replace("_", " ") for name in names} and len(recorded) > 10
    text = pages[site / "withstands.html"].text
    for key, row in recorded.items():
        assert key in text and f"{row['cases']:,}" in text


def test_every_integrator_that_was_timed_is_shown(site: Path, pages: dict[Path, Page]) -> None:
    recorded = json.loads((ROOT / "docs" / "peers.json").read_text(encoding="utf-8"))
    assert list(recorded["microseconds"]) == [task.key for task in TASKS]
    text = pages[site / "peers.html"].text
    for problem, contestants in recorded["microseconds"].items():
        assert problem in text and {"Polhode TAYLOR"} < contestants.keys()
        assert all(f"{x:g}" in text for times in contestants.values() for x in times.values())


def test_every_mutation_is_shown_with_the_test_that_found_it(
    site: Path, pages: dict[Path, Page]
) -> None:
    path = site / "developer" / "mutations.html"
    text = pages[path].text
    recorded = json.loads((ROOT / "docs" / "mutations.json").read_text("utf-8"))
    assert path.read_text("utf-8").count('<div class="fitting docutils container">') == len(
        recorded
    )
    for row in chain.from_iterable(recorded.values()):
        assert plain(row["change"]) in text and plain(row["answer"]) in text
        assert row["by"] or row["answer"], f"nothing answers {row}"


def test_every_public_name_is_in_the_api(site: Path, pages: dict[Path, Page]) -> None:
    anchors = pages[site / "reference" / "api.html"].anchors
    names = [name for name in engine.__all__ if not inspect.ismodule(getattr(engine, name))]
    assert [name for name in names if f"engine.{name}" not in anchors] == []


def test_every_refusal_is_told_with_what_works_instead(site: Path, pages: dict[Path, Page]) -> None:
    text = pages[site / "reference" / "compiled.html"].text
    for name, works in (
        *refusal.SYNTAX.values(),
        *refusal.OPERATIONS.items(),
        *refusal.FUNCTIONS.items(),
    ):
        assert name in text and works in text, (name, works)


def test_every_command_and_option_is_told(site: Path, pages: dict[Path, Page]) -> None:
    text = pages[site / "shell.html"].text
    for name, parser in cli.parsers()[1].items():
        assert f"polhode {name}" in text
        assert all(option in text for option in parser.options if option not in ("-h", "--help"))


def test_every_link_and_anchor_resolves(site: Path, pages: dict[Path, Page]) -> None:
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                assert parts.scheme == "https" and parts.netloc, f"{path.name}: {link}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path.name}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, f"{path.name}: {link}"
            checked += 1
    assert checked > 20 * len(METHODS)


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for load in page.loads:
            if load == "data:,":
                continue
            parts = urlsplit(load)
            assert not parts.scheme and not parts.netloc, f"{path.name} loads {load}"
            assert (path.parent / unquote(parts.path)).exists(), f"{path.name} loads {load}"
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert "url(http" not in text.replace('"', "").replace("'", "") and "@import" not in text, (
            style.name
        )
        assert "url(//" not in text, style.name


def test_no_equation_was_left_as_it_was_written(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        if path.parent.name in ("methods", "problems"):
            prose, *blocks = path.read_text(encoding="utf-8").split(
                "<pre>"
            )  # sources keep the LaTeX of their docstrings
            prose += "".join(block.partition("</pre>")[2] for block in blocks)
            assert "merror" not in page.tags and r"\frac" not in prose and r"\quad" not in prose, (
                path.name
            )
