"""The state of a page: the choice, its results, and their descriptions. It does not depend on Panel."""

from .choice import Choice, Refusal, list_parameters
from .excerpt import WHOLE, Excerpt
from .form_fields import SLIDERS, FormField, format_value, make_field
from .links import link, polhode_version
from .results import COLOURS, EXACT_COLOUR, EXACT_LABEL, Line, Results, RunLine
from .subject import SUBJECTS, Subject
from .view import AUTO, DEFAULT_VIEW, View
