"""Parameters: each kind reads its own output, accepts what people type, and refuses the rest in one
sentence.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.parameters import parameter as spec

finite = st.floats(-1e6, 1e6)
VALUES = {
    spec.Number(-1e6, 1e6): finite,
    spec.Step(-1e6, 1e6): finite,
    spec.Whole(0, 10**15): st.integers(0, 10**15),
    spec.Numbers(-1e6, 1e6): st.lists(finite, min_size=1, max_size=spec.MOST_NUMBERS).map(tuple),
    spec.Vector(1e6): st.tuples(finite, finite, finite),
    spec.Switch(): st.booleans(),
    spec.Text(): st.text(),
}
EVERY = [*VALUES, spec.Attitude(), spec.Inertia(), spec.OneOf({"as-printed": 1, "mended": 2})]


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: type(kind).__name__)
def test_what_is_written_is_read_again(kind):
    @given(VALUES[kind])
    def again(value):
        parameter = spec.Parameter("x", kind, "something")
        assert parameter.parse(parameter.format(value, 17)) == parameter.check(value)

    again()


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: type(kind).__name__)
def test_python_reads_it_too(kind):
    @given(VALUES[kind])
    def again(value):
        parameter = spec.Parameter("x", kind, "something")
        assert parameter.check(eval(parameter.to_python(value))) == parameter.check(value)

    again()


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: type(kind).__name__)
def test_its_example_is_one(kind):
    parameter = spec.Parameter("x", kind, "something")
    parameter.parse(next(iter(parameter.choices), kind.example))


@pytest.mark.parametrize(
    "kind", [k for k in EVERY if k != spec.Text()], ids=lambda kind: type(kind).__name__
)
@pytest.mark.parametrize(
    "text", ["nan", "inf", "-1e400", "x", "1,2,3,4,5", "1;x", "\0", "٣٣x", "1" * 5000]
)
def test_what_it_cannot_be_is_refused_in_a_sentence(kind, text):
    if isinstance(kind, spec.Numbers) and text == "1,2,3,4,5":
        return  # these are several numbers
    with pytest.raises(ValueError) as refused:
        spec.Parameter("x", kind, "something").parse(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_an_attitude_is_a_matrix_a_vector_or_a_quaternion():
    attitude = spec.Parameter("R0", spec.Attitude(), "attitude")
    turned = attitude.parse("0, 0, 1.5707963267948966")
    assert np.allclose(turned, attitude.parse("0.7071067811865476,0,0,0.7071067811865476"))
    assert np.allclose(turned, attitude.parse("0,-1,0, 1,0,0, 0,0,1"))
    assert np.allclose(turned, attitude.check(attitude.read_text(attitude.format(turned))))
    assert np.array_equal(eval(attitude.to_python(turned)), turned)


def test_an_inertia_that_no_body_has_is_refused():
    inertia = spec.Parameter("J", spec.Inertia(), "inertia")
    assert np.array_equal(inertia.parse("1 2 2.5"), np.diag([1.0, 2.0, 2.5]))
    with pytest.raises(ValueError, match="moment"):
        inertia.parse("1, 1, 5")
    assert (
        spec.Parameter("J", spec.Inertia(of_a_body=False), "inertia").parse("1, 1, 5") is not None
    )


def test_a_choice_is_meant_in_any_case():
    sign = spec.Parameter(
        "sign", spec.OneOf({"as-printed": -1, "mended": 1}, {"as-printed": "as printed"}), "sign"
    )
    assert sign.parse("As_Printed") == "as-printed"
    assert sign.kind.label("as-printed") == "as printed"
    assert sign.kind.label("mended") == "mended"


def test_a_name_is_folded_unless_two_would_be_the_same():
    def parameters(*names):
        return {name: spec.Parameter(name, spec.Number(), "something") for name in names}

    assert spec.find_parameter(parameters("Omega0", "axes"), "OMEGA0", "free").name == "Omega0"
    both = parameters("V", "v")
    assert spec.find_parameter(both, "V", "free").name == "V"
    assert spec.find_parameter(both, "v", "free").name == "v"
    with pytest.raises(ValueError, match="free has no parameter 'w'; its parameters are V, v"):
        spec.find_parameter(both, "w", "free")


def test_names_that_were_meant_are_taken_once():
    parameters = spec.index_by_name([spec.Parameter("Omega0", spec.Vector(), "something")])
    assert spec.resolve_names(parameters, {"omega0": 1}, "free") == {"Omega0": 1}
    with pytest.raises(ValueError, match="Omega0 is given twice"):
        spec.resolve_names(parameters, {"omega0": 1, "Omega0": 2}, "free")


def test_the_fewest_numbers_say_the_same():
    for kind, value in (
        (spec.Inertia(), (1, 2, 2.5)),
        (spec.Attitude(), (0.1, -0.2, 0.3)),
        (spec.Vector(), (0, 1, 2)),
    ):
        assert np.allclose(kind.reduce(kind.check(value, "x")), value)
    skew = np.array([[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]])
    assert np.array_equal(spec.Inertia().reduce(skew), skew)


def test_a_large_whole_number_keeps_its_digits():
    count = spec.Parameter("n", spec.Whole(), "how many")
    assert count.parse(count.format(123456789012345)) == 123456789012345
    assert eval(count.to_python(123456789012345)) == 123456789012345


def test_a_switch_is_one_of_two_words():
    switch = spec.Parameter("off", spec.Switch(), "whether it is off")
    assert [switch.parse(word) for word in switch.choices] == [False, True]
    assert [switch.meaning(value) for value in (False, True)] == [False, True]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1/60", 1 / 60),
        (" 1 / 240", 1 / 240),
        ("60 Hz", 1 / 60),
        ("60hz", 1 / 60),
        ("2/3", 2 / 3),
        ("0.01", 0.01),
    ],
)
def test_a_step_is_written_as_people_write_frames(text, meant):
    step = spec.Parameter("dt", spec.Step(1e-15, 1e3), "the step")
    assert step.parse(text) == step.check(text) == meant
    assert engine.simulate("free", "NMB", dt=text, steps=3).dt == meant
    assert engine.prepared("free", "NMB", dt=text, steps=3)().dt == meant


@pytest.mark.parametrize(
    "text", ["1/0", "0 Hz", "Hz", "/", "1/60 Hz", "60 kHz/", "1/2/3", "1e400 Hz", "nan/1"]
)
def test_a_step_that_is_none(text):
    with pytest.raises(ValueError, match="dt must be a number") as refused:
        engine.simulate("free", "NMB", dt=text, steps=3)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: type(kind).__name__)
def test_a_text_that_nobody_types_is_not_read(kind, monkeypatch):
    monkeypatch.setattr(type(kind), "parse", None)
    with pytest.raises(
        ValueError, match=f"x takes at most {kind.longest:,} characters; got 100,000"
    ):
        spec.Parameter("x", kind, "something").parse("1" * 100_000)
