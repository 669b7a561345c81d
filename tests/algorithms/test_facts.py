"""The description of a method and its source are the same in the shell and on the page."""

from __future__ import annotations

import html
import re

import pytest

import engine
from app.views.tables.method_card import method_html
from engine.algorithms import use_short_names
from engine.algorithms.core import description
from engine.algorithms.core.method import Method
from engine.cli.cards import card, source
from engine.cli.console import Style

METHODS = engine.algorithms() + engine.algorithms("se3")
PLAIN = Style(None)


def words(text: str) -> str:
    return " ".join(html.unescape(text).split())


@pytest.mark.parametrize("method", METHODS, ids=lambda method: f"{method.key}, {method.space}")
def test_the_shell_and_the_page_tell_the_same(method: Method) -> None:
    shell = words(" ".join(card(method, PLAIN)))
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", method_html(method.label, method.space))
    page = {re.sub("<.*?>", "", label): value for label, value in found}
    report = description.describe_method(method)
    assert len(dict(report)) == len(report) >= 8 and all(value for _, value in report)
    for label, value in report:
        assert f"{label[0].lower()}{label[1:]} {words(value)}" in shell
        assert words(page[label]) == words(value)
    card_of_page = words(method_html(method.label, method.space))
    for sentence in method.why:
        assert words(sentence) in shell
        assert words(use_short_names(sentence, method.space)) in card_of_page
    for one in description.find_sources(method):
        assert words(one.text) in words(" ".join(source(method, PLAIN)))


def test_the_source_of_a_function_is_found_below_its_decorator() -> None:
    found = description.find_source(engine.algorithm("NMB").step)
    assert (
        found is not None
        and found.text.startswith("def ")
        and "@" not in found.text.partition("def")[0]
    )
    assert description.find_source(len) is None
    method = next(m for m in METHODS if isinstance(m.reversible, str))
    assert (
        description.format_property(method.reversible).startswith("yes, ")
        and description.format_property(False) == "no"
    )
