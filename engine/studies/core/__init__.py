"""What all studies share: declaration, result, executor, measurements and charts."""

from .charts import (
    ZERO,
    Axes,
    Axis,
    Chart,
    Curve,
    Frame,
    Guide,
    Image,
    bounds,
    clip_to_axis,
    find_span,
)
from .errors_at_end import (
    KINDS,
    OF_TURNING,
    SAMPLES,
    End,
    ErrorsAtEnd,
    TrueEnd,
    Turning,
    check_energy,
    energy_error,
    find_exact_end,
)
from .executor import Executor, ExecutorOptions, Progress, Threads, find_dashboard
from .measurements import (
    CERTAIN,
    DURATIONS,
    KEPT_BY_THE_MOTION,
    LARGE,
    NEAR,
    Slope,
    drift_of,
    find_roundoff,
    slope,
    why_not,
)
from .measurements import line as fit_line
from .placement import align_words
from .result import StudyResult, call_by_names, frame_of, name_in_sentences
from .search import bisect, find_largest, find_smallest, within_ratio
from .stored import FINDING_FIELDS, recorded_with, stored_properties, stored_speeds, stored_verdicts
from .study import DT, DURATION, SHORTER, fitting, narrow, not_adaptive, study, with_steps
