"""What an engine's rule does to a body: the numbers, the rule that cures it, and both rules to
paste.
"""

from __future__ import annotations

from urllib.parse import urlencode

from engine.algorithms import find_sources
from engine.programs import LANGUAGES, SHAPES, find_shapes

from ...asset_files import render_template
from ...state.pages import engine_verdict
from ...state.pages.engine_question import EXAMPLES, EngineQuestion, query_of_six
from ...state.pages.engine_verdict import Outcome
from ...state.pages.threads import THREADS
from ...state.results import EXACT_COLOUR
from .headline import link_lesson
from .program_listing import TITLES, languages_html, write_listing

WHOLE_PROGRAM = "The whole program, with the functions of the step and this body"
WHOLE_SHAPE = "All that you paste, with the functions of the step"
"""What unfolds below a step: a program, or the function of an engine."""


def verdict_html(outcome: Outcome, attention: str = "") -> str:
    """Return the verdict, and the numbers of both runs and of the exact motion; `attention` is the
    attribute by which the verdict receives the focus or comes into view.
    """
    question = outcome.question
    rule = outcome.rule
    cure = outcome.cure
    rows = [(rule, question.title, engine_verdict.table_row(rule, outcome.rule_end))]
    if (motion := question.motion) is not None:
        rows.insert(
            0, (motion.line, "your file", engine_verdict.table_row(motion.line, motion.end))
        )
    if cure is not None and outcome.cure_end is not None:
        rows.append((cure, cure.run.method.name, engine_verdict.table_row(cure, outcome.cure_end)))
    return render_template(
        "engine-verdict",
        verdict=engine_verdict.write_verdict(outcome),
        attention=attention,
        columns=engine_verdict.COLUMNS,
        rows=rows,
        exact=engine_verdict.EXACT,
        exact_colour=EXACT_COLOUR,
        cure=cure.run.method.short if cure is not None else "",
    )


def cure_html(outcome: Outcome, lab: str, attention: str = "") -> str:
    """Return the rule that cures, why it does, and links; `attention` is as for the verdict."""
    rule = outcome.rule.run.method
    program = outcome.question.listed_program
    return render_template(
        "cure",
        rule=rule,
        cure=outcome.cure.run.method if outcome.cure is not None else None,
        cost=engine_verdict.describe_cost(outcome),
        sound=engine_verdict.is_sound(outcome.rule, outcome.rule_end),
        why=engine_verdict.explain_cure(outcome),
        lab=lab,
        attention=attention,
        six=f"?{urlencode(query_of_six(outcome.question), safe=',')}",
        card=f"?{urlencode({'page': 'methods', 'open': rule.key})}",
        program=program,
        source=engine_verdict.describe_source(program) if program else "",
        runs=engine_verdict.describe_runs(program) if program else "",
    )


def programs_html(outcome: Outcome, chosen: str = "") -> tuple[str, dict[str, str]]:
    """Return both rules to paste in the chosen language, and the texts to copy; without a choice,
    in the shape of the engine's function if there is one.
    """
    shapes = find_shapes(outcome.question.program)
    offered = [*shapes, *LANGUAGES]
    language = chosen if chosen in offered else offered[0]
    texts: dict[str, str] = {}
    rules = []
    for key, line in (("rule", outcome.rule), ("cure", outcome.cure)):
        if line is None:
            continue
        signs = engine_verdict.describe_step(line)
        found = write_listing(line.run.method, language, engine_verdict.make_example(line))
        if signs:
            texts |= {f"{key}-signs": signs, f"{key}-program": found.text}
        rules.append((key, line, signs, found, find_sources(line.run.method)[:1]))
    html = render_template(
        "engine-programs",
        rules=rules,
        languages=languages_html(language, shapes),
        title=TITLES[language],
        whole=WHOLE_SHAPE if language in SHAPES else WHOLE_PROGRAM,
    )
    return html, texts


def threads_html() -> str:
    """Return the questions of developers' threads, with measured answers."""
    return render_template("engine-threads", threads=THREADS)


def introduction_html(question: EngineQuestion) -> str:
    """Return the purpose of the page, and examples."""
    return render_template(
        "engines", examples=EXAMPLES, question=question, lesson=link_lesson("wing-nut")
    )
