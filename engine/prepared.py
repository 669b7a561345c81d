"""`prepared`: `simulate` for who asks again and again, from other starts or with another step."""

from __future__ import annotations

import functools
import time
from typing import Any

from .algorithms.method import Method
from .checks import LARGEST
from .kernels import build
from .kernels.driver import FIRST_BLOCK, NEVER, RunMemory, left
from .kernels.layout import FAILED, ONE_BODY, OUTCOME, ROW_VELOCITY, RUNNING
from .onebody.run import made_of
from .onebody.setting import acting, setting_of
from .plan import Plan
from .problems.problem import Posed, Problem
from .simulate import planned, simulate
from .systems import system_of
from .torque import is_compiled


def prepared(
    problem: str | Posed,
    method: str | Method,
    /,
    *,
    dt: float | str | None = None,
    duration: float | None = None,
    steps: int | None = None,
    every: int | None = None,
    samples: int | None = None,
    energy_correction: bool = False,
    compose: str | None = None,
    **options: Any,
) -> Prepared:
    """What `simulate` does with these arguments, to be done again and again: see `Prepared`.

    The kernel is compiled, and all is checked, now and not at each call.
    """
    body, plan = planned(problem, method, dt, duration, steps, every, samples, energy_correction, compose, options)
    system_of(body).run_of(body, Plan(plan.method, plan.dt, 0, 1))
    asked = {"dt": dt, "duration": duration, "steps": steps, "every": every, "samples": samples}
    return Prepared(body, plan, asked)


class Prepared:
    """A run that is prepared: call it, with what is to be changed, as in `run(Omega0=(0, 0, 1))` or `run(dt=0.01)`.

    What may change is what `problem.replace` takes, and dt. The result is bit for bit that of `simulate`. A call that
    changes Omega0 alone, of at most 4096 steps, costs a few microseconds more than its steps: it writes the velocity
    to the kernel's memory, and all else of the run is made when it is asked for.
    """

    def __init__(self, problem: Posed, plan: Plan, asked: dict[str, Any]) -> None:
        self._problem, self._plan, self._asked = problem, plan, asked
        self._setting = None
        if isinstance(problem, Problem) and _begins_in_memory(problem, plan):
            self._body = problem
            action, self._called = acting(problem, plan.method, plan.dt)
            self._pointers = (0, 0) if self._called is None else self._called.pointers()
            setting = setting_of(problem, plan.method, action, True)
            if setting.by_pointer:  # else there was no source to compile
                self._setting, self._field = setting, action.field

    def __repr__(self) -> str:
        return f"<prepared run of {self._plan.method.label} on {self._problem.label}>"

    def __reduce__(self) -> tuple[type[Prepared], tuple[Posed, Plan, dict[str, Any]]]:
        """Pickled as what it is prepared from; machine code is loaded where it arrives."""
        return type(self), (self._problem, self._plan, self._asked)

    def __call__(self, **changes: Any) -> Any:
        """The run with these changes."""
        if self._setting is not None and len(changes) == 1 and _is_velocity(changes.get("Omega0")):
            run = self._begun_with(changes["Omega0"])
            if run is not None:
                return run
        asked = self._asked | {"dt": changes.pop("dt", self._asked["dt"])}
        problem = self._problem.replace(**changes) if changes else self._problem
        return simulate(problem, self._plan.method, **asked)

    def _begun_with(self, Omega0: Any) -> Any:
        """The run that begins with another velocity; None if it did not come to its end."""
        setting, plan = self._setting, self._plan
        assert setting is not None
        memory = RunMemory(setting, self._pointers, plan.steps // plan.every + 2)
        memory.state[ROW_VELOCITY : ONE_BODY.given] = Omega0
        begun = time.perf_counter()
        setting.advance(*memory.arguments(True, NEVER), plan.dt, plan.steps, plan.every)
        seconds = time.perf_counter() - begun
        if memory.ledger[OUTCOME] != RUNNING or memory.ledger[FAILED]:
            return None
        outcome = functools.partial(left, memory, plan.every, seconds)
        changed = functools.partial(self._body.replace, Omega0=tuple(Omega0))
        return made_of(self._body, plan, self._field, outcome, changed=changed)


def _begins_in_memory(problem: Problem, plan: Plan) -> bool:
    """Whether another velocity changes three numbers in memory and nothing else, and the kernel is called once."""
    return (
        build.compiles()
        and problem.in_principal_axes
        and all(f is None or is_compiled(f) for f in (problem.torque, problem.acting_potential))
        and plan.method.solve is None
        and not plan.method.energy_correction
        and plan.steps <= FIRST_BLOCK[True]
    )


def _is_velocity(value: Any) -> bool:
    """Whether this is plainly a velocity; what else may be one is looked at by `replace`."""
    if not isinstance(value, tuple | list) or len(value) != 3:
        return False
    x, y, z = value
    return (
        type(x) is type(y) is type(z) is float
        and -LARGEST <= x <= LARGEST
        and -LARGEST <= y <= LARGEST
        and -LARGEST <= z <= LARGEST
    )
