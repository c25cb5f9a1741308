"""Options: parsing, printing and checking their values."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from console.option import Option

VALUES = {
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(),
}
DEFAULTS = {bool: False, int: 0, float: 0.0, str: "word"}
KINDS = list(VALUES)


def refused(option, text):
    with pytest.raises(ValueError) as error:
        option.parse(text)
    assert "\n" not in str(error.value)
    return str(error.value)


@given(st.sampled_from(KINDS).flatmap(lambda kind: st.tuples(st.just(kind), VALUES[kind])))
def test_a_value_that_is_printed_and_parsed_is_unchanged(kind_and_value):
    kind, value = kind_and_value
    option = Option(DEFAULTS[kind], "help")
    again = option.parse(option.text(value))
    assert again == value and type(again) is kind
    assert option.text(again) == option.text(value)


@given(st.sampled_from(KINDS), st.text())
def test_any_text_is_parsed_to_a_valid_value_or_refused_with_a_sentence(kind, text):
    option = Option(DEFAULTS[kind], "help", least=None if kind in (str, bool) else -5)
    try:
        value = option.parse(text)
    except ValueError as error:
        assert str(error).startswith("give ")
    else:
        option.check(value)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(allow_nan=False))
def test_limits_hold_for_every_number(least, most, value):
    assume(least <= most)
    option = Option(least, "help", least=least, most=most)
    if least <= value <= most:
        option.check(value)
    else:
        with pytest.raises(ValueError):
            option.check(value)


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        (Option(1, ""), "2.0", "give a whole number"),
        (Option(1, ""), "", "give a whole number"),
        (Option(1, ""), "9" * 5000, "give a whole number"),
        (Option(1.0, ""), "nan", "give a number"),
        (Option(1.0, ""), "-inf", "give a number"),
        (Option(1.0, ""), "1e999", "give a number"),
        (Option(False, ""), "perhaps", "give true or false"),
        (Option(None, "", kind=int, least=0), "-1", "give 0 or more"),
        (Option(2, "", least=2, even=True), "3", "give an even number, 2 or more"),
        (Option(2, "", least=1, most=3_000_000), "4000000", "give 1 to 3000000"),
        (Option(2.0, "", most=2.5), "3", "give 2.5 or less"),
        (Option("a", "", choices=("a", "b")), "c", "give one of a, b"),
        (Option(1, "", choices=(1, 2)), "x", "give one of 1, 2"),
    ],
)
def test_an_invalid_value_is_refused_with_what_is_valid(option, text, message):
    assert refused(option, text) == message


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (Option(1, ""), 2.0),
        (Option(1, ""), True),
        (Option(1, ""), None),
        (Option(1, ""), "2"),
        (Option(1.0, ""), True),
        (Option(1.0, ""), math.nan),
        (Option(1.0, ""), 10**400),
        (Option(False, ""), 0),
        (Option("a", ""), 1),
        (Option(None, ""), 1),
    ],
)
def test_python_callers_must_pass_a_value_of_the_right_type(option, value):
    with pytest.raises(ValueError, match=r"^give "):
        option.check(value)


def test_an_int_is_a_valid_float_and_none_is_valid_where_it_is_the_default():
    Option(1.0, "").check(2)
    Option(None, "", kind=int, least=0).check(None)
    assert Option(None, "", kind=int).parse("3") == 3


@pytest.mark.parametrize(("text", "value"), [("on", True), ("True", True), ("0", False)])
def test_true_and_false_have_several_spellings(text, value):
    assert Option(False, "").parse(text) is value


def test_the_example_of_an_option_is_a_valid_value():
    assert Option(0.5, "").example == "0.5" and Option(True, "").example == "true"
    assert Option("", "", metavar="RUN").example == "RUN"
    assert Option(None, "").example == "VALUE"
