"""A config as form fields, and back from text and JSON with errors that name field and allowed values."""

from dataclasses import asdict, dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.taggers.base.config_fields import (
    ConfigError,
    config_fields,
    config_from_json,
    config_from_settings,
    option,
)
from core.taggers.flat.config import FlatConfig


@dataclass(frozen=True)
class Sample:
    size: int = option(4, "how large", minimum=1, maximum=9, basic=True)
    rate: float = option(0.5, "how fast", minimum=0.0)
    loud: bool = option(False, "whether loud")
    scheme: str = option("BMES", "which", choices=("BMES", "BIOES"))
    name: str = option("", "any text")


def test_fields_carry_what_a_form_needs():
    size, rate, loud, scheme, _ = config_fields(Sample)
    assert (size.name, size.type, size.default, size.help, size.basic) == ("size", int, 4, "how large", True)
    assert (size.minimum, size.maximum, rate.minimum, rate.maximum) == (1, 9, 0.0, None)
    assert scheme.choices == ("BMES", "BIOES")
    assert not loud.basic


def test_every_option_of_flat_has_help_and_a_default_in_range():
    for field in config_fields(FlatConfig):
        assert field.help, field.name
        assert field.check(field.default) == field.default


def test_a_default_is_what_nothing_gives():
    assert config_from_settings(Sample, {}) == Sample() == config_from_json(Sample, {})


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("size", "7", 7),
        ("size", " 7 ", 7),
        ("rate", "3", 3.0),
        ("rate", "1e-3", 0.001),
        ("loud", "yes", True),
        ("loud", "True", True),
        ("loud", "off", False),
        ("loud", "0", False),
        ("scheme", "BIOES", "BIOES"),
        ("name", "a=b", "a=b"),
    ],
)
def test_text_is_read_as_the_fields_type(field, text, value):
    found = getattr(config_from_settings(Sample, {field: text}), field)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        ("size", "0", "size: '?0'? does not fit, it takes a whole number from 1 to 9"),
        ("size", "10", "from 1 to 9"),
        ("size", "2.5", "size: '2.5' does not fit"),
        ("size", "", "size: it is empty, it takes"),
        ("size", "9" * 10_000, "size"),
        ("rate", "-1", "rate: .* a number of at least 0.0"),
        ("rate", "nan", "rate"),
        ("rate", "inf", "rate"),
        ("loud", "perhaps", "loud: 'perhaps' does not fit, it takes yes or no"),
        ("scheme", "BIO", "scheme: 'BIO' does not fit, it takes one of BMES, BIOES"),
        ("speed", "3", "there is no field 'speed'; there are: size, rate, loud, scheme, name"),
    ],
)
def test_text_that_does_not_fit_is_refused_with_what_does(field, text, reason):
    with pytest.raises(ConfigError, match=reason):
        config_from_settings(Sample, {field: text})


@pytest.mark.parametrize(
    "values",
    [{"size": True}, {"size": 2.0}, {"size": "2"}, {"loud": 1}, {"rate": "0.5"}, {"name": None}, {"x": 1}],
)
def test_json_values_of_another_type_are_refused(values):
    with pytest.raises(ConfigError, match=next(iter(values))):
        config_from_json(Sample, values)


def test_a_whole_number_in_json_passes_as_a_float():
    assert config_from_json(Sample, {"rate": 2}) == Sample(rate=2.0)


@given(
    st.builds(Sample, st.integers(1, 9), st.floats(0, 1e9), st.booleans(), st.sampled_from(["BMES", "BIOES"]))
)
def test_what_is_written_as_text_or_json_is_read_back(sample):
    assert config_from_json(Sample, asdict(sample)) == sample
    assert (
        config_from_settings(Sample, {name: str(value) for name, value in asdict(sample).items()}) == sample
    )


def test_a_check_across_fields_is_refused_as_a_config_error():
    with pytest.raises(ConfigError, match="hidden: 10 is not a multiple of the 8 heads"):
        config_from_settings(FlatConfig, {"hidden": "10"})


def test_a_field_a_form_cannot_show_is_a_programming_error():
    @dataclass(frozen=True)
    class Odd:
        sizes: tuple[int, ...] = ()

    with pytest.raises(TypeError, match="sizes"):
        config_fields(Odd)
