"""Invalid and unusual texts for fields that expect a name or a number."""

from __future__ import annotations

ODD = (
    "", " ", "\t\n", ",", ",,", "1,,2", "1,2,", ";", "nan", "-nan", "inf", "-inf", "Infinity", "-0", "1e400",
    "1e-400", "9" * 40, "1" + "0" * 5000, "0x10", "1_000", "1.2.3", "1e", "--", "-", "+", "=", "==", "dt=dt=1", "1=2",
    "٣", "１", "½", "−1", "∞", "1\u00a02", "\u202e1", "\ufeff1", "\0", "1\0", "\x1b[31m", "\ud800", "é" * 30, "Ω",
    "'", '"', "`", "\\", "%", "%s", "{}", "{0}", "{x", "(", ")", "()", "(((", "free(", "free()", "NMB(", "MR2(axes=)",
    "MR2(axes=231,axes=123)", "MR2(=)", "NMB*", "NMB+", "NMB+E+E", "NMB*yoshida4*yoshida4", "*", "NMB,,NMB",
    "(" * 10_000, "[" * 10_000 + "]" * 10_000, "(" * 10_000 + "1" + ")" * 10_000, "1," * 5000, "a" * 1_000_000,
    "a" * 300, "a" * 3500, "9" * 3500, "1," * 1700, "a,b," * 800, "(" * 3500, "NMB(" * 800, "é" * 500,
    "<img src=x onerror=alert(1)>", "</script>", "&lt;", '{"a": [1, {"b": null}]}', "[[1,0,0],[0,1,0],[0,0,1]]", "[]",
    "null", "None", "True", "false", "__import__('os')", "1+1", "$(ls)", "../../etc/passwd", "/dev/null", "C:\\",
    "file:///etc/passwd", "javascript:alert(1)", "; DROP TABLE", "2026-02-30", "1 2 3", "1;2;3", "1,2,3,4,5,6,7,8,9",
)  # fmt: skip

LONGEST = 300
"""Characters of an error message."""
SECONDS = 10.0
"""The processor time in which each text must be answered."""


def abbreviate(value: str) -> str:
    """Return a value as a test's message shows it."""
    return ascii(value if len(value) <= 60 else f"{value[:40]}… ({len(value)} characters)")
