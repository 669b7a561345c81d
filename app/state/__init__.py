"""The state of a page: the choice, its results, and their descriptions. It does not depend on
Panel.
"""

from .choice import FIRST, Choice, Refusal, list_parameters, write_snippet
from .excerpt import SIMPLE, START, VIEWS, WHOLE, Excerpt, list_parts
from .form_fields import SLIDERS, FormField, format_value, make_field, make_sliders
from .labs import LABS, Lab
from .ledger import Ledger, LedgerCell, LedgerColumn, LedgerRow, Table
from .links import link, polhode_version
from .quantities import Quantity
from .results import AWAITED, COLOURS, EXACT_COLOUR, EXACT_LABEL, Line, Results, roundoff
from .view import (
    AUTO,
    BODY_AXES,
    DEFAULT_VIEW,
    LAYOUTS,
    SHAPES,
    TRACES,
    View,
    parse_camera,
    parse_speed,
)
