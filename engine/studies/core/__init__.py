"""What all studies share: declaration, result, executor, measurements and charts."""

from .charts import ZERO, Axes, Axis, Chart, Curve, Guide, Image, bounds
from .measurements import CERTAIN, DURATIONS, KEPT_BY_THE_MOTION, describe_trend, why_not
from .measurements import line as fit_line
from .stored import FINDING_FIELDS, recorded_with, stored_properties, stored_speeds
