"""The pages, their addresses, and the cookies."""

from __future__ import annotations

PAGES = {
    "lab": "Lab",
    "two-bodies": "Two bodies",
    "gyroscope": "Gyroscope",
    "studies": "Studies",
    "papers": "Papers",
    "methods": "Methods",
    "engines": "Engines",
}
"""The pages' names in links (`?page=…`), and their titles; a setting without a page opens the lab.
"""
OPENED = {"simple": "Simple lab", **PAGES}
"""What the plain address can open besides the opening view, and the titles."""
QUESTIONS = {"which": "Which method?", "recorder": "Record a throw"}
"""Pages outside the bar, to which others lead, and their titles."""
THEMES = ("light", "dark")
THEME = "polhode-theme"
"""The cookie with a visitor's theme; without one, the page follows the visitor's system."""
OPENS = "polhode-opens"
"""The cookie with the page that opens by the plain address; without one, it is the opening view."""
BACK = "polhode-back"
"""The cookie of a page that loads again because its connection has broken; it lasts a minute."""

PUBLIC_URL = "POLHODE_PUBLIC_URL"
"""The environment variable with the address at which browsers reach the page; links that are copied
begin with it.
"""


def page_link(page: str) -> str:
    """Return the address of a page, relative to any other."""
    return f"?page={page}"
