"""The pages, their addresses, and the cookie of the theme."""

from __future__ import annotations

PAGES = {
    "lab": "Lab",
    "two-bodies": "Two bodies",
    "studies": "Studies",
    "papers": "Papers",
    "methods": "Methods",
    "engines": "Engines",
}
"""The pages' names in links (`?page=…`), and their titles; a link without a page opens the lab."""
THEMES = ("light", "dark")
THEME = "polhode-theme"
"""The cookie with a visitor's theme; without one, the page follows the visitor's system."""


def page_link(page: str) -> str:
    """Return the address of a page, relative to any other."""
    return "?" if page == "lab" else f"?page={page}"
