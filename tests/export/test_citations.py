"""Citations: every reference is BibTeX, and `cite` returns what was used, each entry once."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest
import yaml  # Bokeh brings it

import engine
from engine.algorithms.core.composition import COMPOSITIONS
from engine.algorithms.core.tableaux import CROUCH_GROSSMAN, LOW_STORAGE, TABLEAUX
from engine.cli import command as cli
from engine.export.citations import Entry, cite, parse_entries
from engine.text.bibliography import bibtex

ROOT = Path(__file__).parents[2]
EVERYTHING = {one.key: one.reference for one in (*engine.algorithms(), *engine.problems())}
REFERENCES = (
    EVERYTHING
    | {key: composition.reference for key, composition in COMPOSITIONS.items()}
    | {
        key: tableau.source
        for key, tableau in (TABLEAUX | CROUCH_GROSSMAN | LOW_STORAGE).items()
        if tableau.source
    }
    | {"+E": bibtex("Buss2000")}
)
NEEDED = {
    "article": {"author", "title", "journal", "volume", "pages", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "incollection": {"author", "title", "booktitle", "publisher", "year"},
    "book": {"author", "title", "publisher", "year"},
    "phdthesis": {"author", "title", "school", "year"},
    "techreport": {"author", "title", "institution", "year"},
    "software": {"author", "title", "year"},
    "misc": {"author", "title", "year"},
}


def keys(bibtex: str) -> list[str]:
    return [entry.key for entry in parse_entries(bibtex)]


@pytest.mark.parametrize("name", REFERENCES)
def test_every_reference_is_well_formed(name: str) -> None:
    for entry in parse_entries(REFERENCES[name]):
        assert NEEDED[entry.kind] <= set(entry.fields), entry
        assert all(
            value and value.count("{") == value.count("}") for value in entry.fields.values()
        )
        assert entry.fields["year"].isdigit() and entry.fields["year"] in entry.key
        assert parse_entries(str(entry)) == [entry]


@pytest.mark.parametrize("key", [method.key for method in engine.algorithms()])
def test_every_method_has_a_source(key: str) -> None:
    assert parse_entries(engine.algorithm(key).reference)


def test_one_key_is_one_entry() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for reference in REFERENCES.values():
        for entry in parse_entries(reference):
            found[entry.key].add(str(entry))
    assert not [key for key, different in found.items() if len(different) > 1]


def test_one_work_is_one_key() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for reference in REFERENCES.values():
        for entry in parse_entries(reference):
            found[entry.fields.get("doi", entry.fields["title"])].add(entry.key)
    assert not [work for work, different in found.items() if len(different) > 1]


@pytest.mark.parametrize(
    ("problem", "method", "expected"),
    [
        ("free", "NMB", ["KryslEndres2005", "McLachlanZanna2003", "Polhode"]),
        ("lagrange-top", "NMB", ["EngoMarthinsen1998", "KryslEndres2005", "Polhode"]),
        ("asymmetric-top", "AKW", ["AustinKrishnaprasadWang1993", "Polhode"]),
        (
            "free",
            "AKW+E",
            ["AustinKrishnaprasadWang1993", "Buss2000", "McLachlanZanna2003", "Polhode"],
        ),
        (
            "prism",
            "MR2*kahan-li8",
            ["Buss2000", "KahanLi1997", "McLachlan1993", "Polhode", "Reich1994"],
        ),
        ("prism", "RKMK", ["Buss2000", "Kutta1901", "MuntheKaas1998", "Polhode"]),
        (
            "prism",
            "RKMK(tableau=butcher6)",
            ["Buss2000", "Butcher1964", "MuntheKaas1998", "Polhode"],
        ),
        (
            "prism",
            "LOW-STORAGE",
            ["Bazavov2022", "BazavovChuna2021", "Buss2000", "CarpenterKennedy1994", "Polhode"],
        ),
        ("prism", "RKMK(tableau=euler)", ["Buss2000", "MuntheKaas1998", "Polhode"]),
    ],
)
def test_a_run_cites_what_it_used(problem: str, method: str, expected: list[str]) -> None:
    run = engine.simulate(problem, method, steps=1)
    assert keys(cite(run)) == expected
    assert keys(cite(problem, method)) == expected
    assert keys(cite(run.problem, run.method, run)) == expected


def test_every_choice_of_a_tableau_has_its_source() -> None:
    (option,) = engine.algorithm("RKMK").options
    assert {key for key in option.choices if not TABLEAUX[key].source} == {"euler"}


def test_nothing_is_polhode_itself() -> None:
    assert keys(cite()) == ["Polhode"]


def test_the_version_is_that_of_the_run() -> None:
    run = engine.simulate("free", "MR2", steps=1)
    run.provenance["polhode"] = "0.0.7"
    assert (
        next(entry for entry in parse_entries(cite(run)) if entry.key == "Polhode").fields[
            "version"
        ]
        == "0.0.7"
    )


def test_two_works_under_one_key_are_told_apart() -> None:
    works = [
        f"@book{{Same2000, author = {{A}}, title = {{{title}}}, publisher = {{P}}, year = 2000}}"
        for title in "XY"
    ]
    problems = [engine.Problem(J=(1, 2, 3), reference=work) for work in works]
    assert keys(cite(*problems, problems[0])) == ["Polhode", "Same2000", "Same2000a"]


def test_bibtex_as_people_write_it() -> None:
    (entry,) = parse_entries(
        '@Article { K , Author = "{\\"O}ttinger, H." , title={A {B} c}\n, year=1999, }'
    )
    assert entry == Entry(
        "article", "K", {"author": '{\\"O}ttinger, H.', "title": "A {B} c", "year": "1999"}
    )


@pytest.mark.parametrize(
    "text", ["My thesis", "@article{K}", "@article{K, title = {A}", "@article{K, title = {A}} x"]
)
def test_what_is_no_bibtex_is_refused_with_its_owner(text: str) -> None:
    with pytest.raises(ValueError):
        parse_entries(text)
    mine = engine.Problem(J=(1, 1, 1), key="mine", reference=text)
    with pytest.raises(ValueError, match="the reference of mine cannot be cited"):
        cite(mine)


def test_in_the_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cite", "slow-top", "BUSS3+E"]) == 0
    out, err = capsys.readouterr()
    assert out == cite("slow-top", "BUSS3+E") + "\n" and err == ""
    assert cli.main(["cite", "slow-topp"]) == 2
    assert "there is no method or problem 'slow-topp'" in capsys.readouterr().err


def test_every_entry_of_the_bibliography_is_cited():
    keys = re.findall(
        r"^@\w+\{([^,]+),", (ROOT / "engine" / "text" / "references.bib").read_text(), re.MULTILINE
    )
    assert len(set(keys)) == len(keys)
    code = [
        path.read_text(encoding="utf-8")
        for kind in ("py", "toml")
        for path in (ROOT / "engine").rglob(f"*.{kind}")
    ]
    assert [key for key in keys if not any(f'"{key}"' in text for text in code)] == []


def test_the_file_for_citations_says_what_cite_says() -> None:
    (entry,) = parse_entries(cite())
    stated = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {name: str(stated[name]) for name in ("title", "version")} == {
        name: entry.fields[name] for name in ("title", "version")
    }
    assert [f"{{{author['name']}}}" for author in stated["authors"]] == [entry.fields["author"]]
