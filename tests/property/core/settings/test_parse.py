"""Laws of reading settings: precedence and clamping hold for every value."""

from hypothesis import given
from hypothesis import strategies as st

from voice.core.errors import ConfigurationError
from voice.core.settings.parse import parse_settings
from voice.core.settings.readers import integer, number
from voice.core.settings.table import GROUPS, SETTINGS

_COUNTS = st.none() | st.integers(1, 50)
_ENV_NAMES = st.sampled_from([setting.env for setting in SETTINGS])
_GROUPS = st.sampled_from([*GROUPS, "enabled"]) | st.text(max_size=8)
_KEYS = st.sampled_from([setting.key.rpartition(".")[2] for setting in SETTINGS]) | st.text(max_size=8)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(flag=_COUNTS, env=_COUNTS, file=_COUNTS)
def test_the_first_place_that_says_something_wins(flag: int | None, env: int | None, file: int | None) -> None:
    result = parse_settings(
        {"organise.top_k": flag},
        {} if env is None else {"SURR_TOP_K": str(env)},
        {} if file is None else {"organise": {"top_k": file}},
    )
    said = [("flag", flag), ("env", env), ("file", file), ("default", 5)]
    origin, value = next((origin, value) for origin, value in said if value is not None)
    assert (result.settings.organise.top_k, result.origins["organise.top_k"]) == (value, origin)


@given(given_value=st.integers(-(10**17), 10**17), low=st.integers(0, 5), width=st.integers(0, 100))
def test_a_whole_number_lands_in_range_and_warns_exactly_when_it_moved(given_value: int, low: int, width: int) -> None:
    reading = integer(low, low + width).read(str(given_value))
    assert isinstance(reading.value, int)
    assert low <= reading.value <= low + width
    assert (reading.warning is None) == (reading.value == given_value)


@given(given_value=st.floats(allow_nan=False, allow_infinity=False, min_value=-1e200, max_value=1e200))
def test_a_number_lands_in_range_and_warns_exactly_when_it_moved(given_value: float) -> None:
    reading = number(0.0, 1.0).read(repr(given_value))
    assert isinstance(reading.value, float)
    assert 0.0 <= reading.value <= 1.0
    assert (reading.warning is None) == (reading.value == given_value)


@given(
    env=st.dictionaries(_ENV_NAMES, st.text(max_size=30), max_size=6), file=st.dictionaries(_GROUPS, _JSON, max_size=4)
)
def test_whatever_stands_there_is_read_or_named(env: dict[str, str], file: dict[str, object]) -> None:
    try:
        result = parse_settings({}, env, file)
    except ConfigurationError:
        return
    assert result.origins.keys() == {setting.name for setting in SETTINGS}
