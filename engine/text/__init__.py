"""Text for people: numbers and lists, sentences with their evidence, the glossary."""

from .bibliography import bibtex
from .evidence import (
    ALONG,
    BODIES,
    FREE,
    HERE,
    PAIRS,
    RANDOM,
    REGULAR,
    TOPS,
    Evidence,
    Proof,
    declares,
    falls,
    grows,
    integral_drifts,
    integral_swings,
    keeps,
    loses,
    measures,
    near,
    sentence,
    swings,
    times,
    typically,
    wanders,
)
from .formatting import finish_sentence, quote, show
from .spaces import SPACES
from .tables import read_toml
