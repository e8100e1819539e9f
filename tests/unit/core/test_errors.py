"""One tree of errors, each with a code that is stable and says what the caller can do."""

import inspect
import re

import pytest

from tables import tables
from voice.core import errors
from voice.core.errors import ProviderUnavailable, VoiceError

TABLES = tables(__file__)

_CODES = TABLES["codes"]
_CLASSES = {name: cls for name, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, VoiceError)}


@pytest.mark.requirement(
    "s0:error:feature_disabled", "s0:error:invalid_params", "s0:error:embedder_unavailable", "ruling:A20"
)
def test_codes_exit_codes_and_retry_are_fixed() -> None:
    assert {name: [cls.code, cls.exit_code, cls.retryable] for name, cls in _CLASSES.items()} == _CODES
    firsts = [(cls.__doc__ or "").splitlines()[0] for cls in _CLASSES.values()]
    assert [first for first in firsts if re.search(r"\((?:ruling|promise|DESIGN)", first)] == []


def test_no_two_errors_share_a_code() -> None:
    assert len({cls.code for cls in _CLASSES.values()}) == len(_CLASSES)


def test_the_drawn_tree_is_the_tree() -> None:
    drawn = re.findall(r"^([ |+-]*)(\w+) +(\w+)(?: +exit (\d))?", errors.__doc__ or "", flags=re.MULTILINE)
    tree = [(len(indent.replace(" ", "").replace("-", "")), name, code) for indent, name, code, _ in drawn]
    named = {name: code for _, name, code in tree if name in _CLASSES}
    assert named == {name: cls.code for name, cls in _CLASSES.items()}


def test_an_error_carries_its_message_and_a_provider_may_say_when_to_come_back() -> None:
    error = ProviderUnavailable("busy", retry_after_s=2.5)
    assert (error.message, str(error), error.retry_after_s) == ("busy", "busy", 2.5)
    assert ProviderUnavailable("busy").retry_after_s is None
