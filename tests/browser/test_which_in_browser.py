"""The page Which method? in the browser: the way to it, a change by the keyboard, and its looks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from test_appearance import PHONE, needs_axe, switch_theme, violations

expect = pytest.importorskip("playwright.sync_api").expect


def test_the_first_view_leads_to_an_answer_that_follows_the_menus(lab: Any) -> None:
    lab.load(f"{lab.server}?page=start")
    lab.page.get_by_role("link", name="Which method should I use?").click()
    answer = lab.page.locator(".card h2")
    expect(answer).to_have_text(re.compile("Runge–Kutta 4"))
    lab.pick("What must be kept?", "the shape of the flow (symplectic)")
    lab.pick("How exact, or how cheap?", "the cheapest that does not drift")
    expect(answer).to_have_text(re.compile("McLachlan–Reich"))
    expect(lab.page).to_have_url(re.compile("page=which&acts=nothing&keep=shape&exact=cheap"))
    lab.page.get_by_role("link", name="All methods that fit").click()
    expect(lab.page.locator(".count")).to_have_text(re.compile("of"))
    lab.forget()


@needs_axe
def test_the_question_fits_a_phone_and_axe_finds_nothing_serious(lab: Any) -> None:
    page = lab.page
    lab.load(f"{lab.server}?page=which")
    expect(page.locator(".card h2")).to_be_visible()
    try:
        assert violations(lab) == []
        switch_theme(lab)
        page.set_viewport_size({"width": PHONE, "height": 844})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        assert violations(lab) == []
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.context.clear_cookies()
        lab.forget()
