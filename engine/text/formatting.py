"""Formatting of numbers, times and lists for people: −2.9·10⁻⁴, 1.01 s, 2nd, A, B and C."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal, localcontext

RAISED = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SIGNS = {"dt": "Δt", "Omega": "Ω", "Pi": "Π"}
"""Names in Python that stand for signs."""


def round_half_up(value: float, spec: str) -> str:
    """Format a number as ".2f" or ".2e" with ties away from zero, as scripts of the page do; Python's
    own formats round ties to even.
    """
    with localcontext(rounding=ROUND_HALF_UP):
        return format(Decimal(value), spec)


def round_digits(value: float, digits: int) -> float:
    """Round a number to so many significant digits."""
    return float(round_half_up(value, f".{digits - 1}e"))


def format_plain(value: float, digits: int = 12) -> str:
    """Format a number for fields, links and code: 0.0001, 1e-05, 1e+12."""
    return f"{round_digits(value, digits):.{digits}g}"


def format_measured(value: float, digits: int = 2) -> str:
    """Format a measured number with all its digits: 0.023, 1.8, 2.9·10⁻⁴."""
    if not math.isfinite(value):
        return "∞" if math.isinf(value) else "–"
    if value == 0.0:
        return "0"
    mantissa, power = round_half_up(abs(value), f".{digits - 1}e").split("e")
    decimals = max(digits - 1 - int(power), 0)
    text = (
        round_half_up(abs(value), f",.{decimals}f")
        if -4 < int(power) < 4
        else f"{mantissa}·10{raise_exponent(int(power))}"
    )
    return f"−{text}" if value < 0 else text


def show(value: float, digits: int = 6) -> str:
    """Format a given number or a bound without trailing zeros: 0.5, −1010, 10⁹, 2.5·10⁻⁶."""
    text = format_plain(abs(value), digits)
    mantissa, exponential, power = text.partition("e")
    if exponential:
        plain = digits <= int(power) < 6
        text = f"{float(text):.0f}" if plain else format_times_power(mantissa, int(power))
    return f"−{text}" if value < 0 else text


def raise_exponent(exponent: int) -> str:
    """Format an exponent: ⁻⁸."""
    return str(exponent).translate(RAISED)


def format_times_power(mantissa: str, power: int) -> str:
    """Format a number times a power of ten: 2.5·10⁻⁶, and 10⁹ for a mantissa of 1."""
    return f"{'' if mantissa == '1' else f'{mantissa}·'}10{raise_exponent(power)}"


def format_powers(text: str) -> str:
    """Replace numbers such as -1.1e-08 in a text by −1.1·10⁻⁸, and Δt^2 by Δt², but Δt^3.01 in
    words.
    """

    def format_match(match: re.Match[str]) -> str:
        return format_measured(float(match[0]), len(match[1].replace(".", "")))

    text = re.sub(r"(?<!\w)-(?=\d(?:\.\d+)?e[+-]\d)", "−", text)
    text = re.sub(r"(\d(?:\.\d+)?)e[+-]\d+", format_match, text)
    text = re.sub(r"Δt\^(\d+\.\d+)", r"Δt to the power \1", text)
    return re.sub(r"(?<=Δt)\^(\d+)", lambda match: raise_exponent(int(match[1])), text)


def format_step(dt: float) -> str:
    """Format a step: 0.05, or 1/60 where a decimal number has no end."""
    parts = round(1.0 / dt) if dt else 0
    ends = math.isclose(float(f"{dt:.5g}"), dt, rel_tol=1e-9)
    return f"1/{parts}" if not ends and math.isclose(parts * dt, 1.0, rel_tol=1e-9) else show(dt)


def format_sign(name: str) -> str:
    """Format a name in Python as a sign: Omega0 as Ω₀, dt as Δt."""
    letters = name.rstrip("0123456789")
    is_sign = letters in SIGNS or len(letters) == 1
    return (
        SIGNS.get(letters, letters) + name[len(letters) :].translate(LOWERED) if is_sign else name
    )


def format_signs(text: str) -> str:
    """Replace settings such as dt=0.5 in a text by Δt = 0.5, and 1e-06 by 10⁻⁶."""
    text = re.sub(r"\b\de-\d+\b", lambda match: show(float(match[0])), text)
    return re.sub(r"\b(\w+)=(?=[\d.])", lambda match: f"{format_sign(match[1])} = ", text)


def format_entries(numbers: Iterable[float], digits: int = 12) -> str:
    """Format the entries of a vector: (0.1, −3, 0)."""
    return f"({', '.join(show(number, digits) for number in numbers)})"


def format_setting(name: str, value: object) -> str:
    """Format a changed parameter: Ω₀ = (0.1, 3, 0)."""
    shown = format_entries(value, 6) if isinstance(value, tuple | list) else value
    return f"{format_sign(name)} = {show(shown) if isinstance(shown, float) else shown}"


def format_ordinal(n: int) -> str:
    """Format an ordinal: 1st, 2nd, 3rd, 11th, 1,000th."""
    ending = "th" if n // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"


def join_words(words: Iterable[str], last: str = "and") -> str:
    """Join words: A, B and C."""
    *most, end = list(words) or [""]
    return f"{', '.join(most)} {last} {end}" if most else end


def format_count(amount: float, what: str) -> str:
    """Format a count with its noun: 1 row, 2.5 rows, 3,000 rows."""
    shown = f"{amount:,}" if isinstance(amount, int) else show(amount, 3)
    return f"{shown} {what}" if shown == "1" else f"{shown} {what}s"


def format_with_prefix(amount: float) -> str:
    """Format a number with the prefix of a unit: 12.3 M."""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if amount >= factor:
            return f"{show(amount / factor, 3)} {prefix}"
    return show(amount, 3)


def capitalise(words: str) -> str:
    """Capitalise the first letter only, unless the text begins with the name of a file."""
    return words if re.match(r"[\w/]+[./]\w", words) else f"{words[:1].upper()}{words[1:]}"


def finish_sentence(words: str) -> str:
    """Add the capital and the full stop of a sentence."""
    ended = words if words.endswith(("?", "!")) else f"{words.rstrip('.')}."
    return capitalise(ended) if words else ""


def quote(given: object, most: int = 60) -> str:
    """Quote a value in a sentence; of a long one only the beginning."""
    written = repr(given)
    return written if len(written) <= most + 2 else f"{written[:most]} …{written[-1]}"


def shorten(sentence: str, longest_word: int = 140, most: int = 600) -> str:
    """Put a sentence on one line, and cut the middle out of long words and of a long sentence."""
    words = (_without_middle(word, longest_word) for word in sentence.split())
    return _without_middle(" ".join(words), most)


def _without_middle(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most * 3 // 4]} … {text[-most // 4 :]}"


UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def format_seconds(seconds: float, digits: int = 3) -> str:
    """Format a duration: 1.23 s, 12.3 ms, 45 µs."""
    fitting = (one for one in UNITS if float(f"{seconds / one[0]:.{digits}g}") >= 1)
    unit, name = next(fitting, UNITS[-1])
    return f"{show(seconds / unit, digits)} {name}"
