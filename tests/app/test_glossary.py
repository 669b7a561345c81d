"""The glossary: each word once, and an entry for each technical word of tables, plots and
pictures.
"""

from __future__ import annotations

import pytest

from app.scene.player import MEANINGS
from app.state.choice import FIRST, Choice
from app.state.labs import LABS
from app.state.results import compute
from app.views.dialogs.terms import explain_terms, explain_word
from app.views.plots.time_plots import find_meaning
from engine.text.glossary import GLOSSARY, meaning, names

TERMS = [term for terms in GLOSSARY.values() for term in terms]
TOPS = tuple(Choice(problem, ("NMB",), 0.01, 1.0) for problem in ("slow-top", "magnet"))


def test_each_word_stands_there_once_with_sentences():
    assert len(names()) == sum(1 + len(term.also) for term in TERMS)
    for term in TERMS:
        assert {meaning(name) for name in (term.word, *term.also)} == {term.meaning}, term.word
    assert all(term.meaning.endswith(".") and not term.meaning[0].islower() for term in TERMS)
    assert (
        meaning("Π") != meaning("π")
        and meaning("POLHODE") == meaning("polhode")
        and not meaning("moon")
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("choice", [*FIRST.values(), *TOPS], ids=lambda choice: choice.problem)
def test_every_plot_and_every_column_of_the_ledger_has_a_meaning(choice):
    lab = LABS[choice.space]
    results = compute(choice)
    assert [column.head for column in lab.ledger.columns(results) if not column.means] == []
    if choice.space == "so3":
        quantities = [
            q for group in lab.groups.values() for v in "ΩΠ" for q in group.quantities(results, v)
        ]
        assert [q.title for q in quantities if not find_meaning(q.title)] == []


def test_words_of_a_text_are_explained_where_they_come_first():
    html = explain_terms("The polhode & the herpolhode: a polhode <b>.")
    assert html.count("<button") == 2 and html.count("polhode</button>") == 2
    assert "&amp;" in html and "&lt;b&gt;" in html and html.startswith("The <button")
    assert "<button" not in explain_terms("Nothing here, and no orders of magnitudes.")
    assert (
        explain_word("Symplectic").count(meaning("symplectic")) == 2
        and explain_word("<i>") == "&lt;i&gt;"
    )
    assert all(MEANINGS.values())
