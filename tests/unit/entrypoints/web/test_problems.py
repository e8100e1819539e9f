"""Errors as RFC 9457 tells them."""

import json
from typing import cast

import pytest

from voice.core import errors
from voice.core.errors import ProviderUnavailable, SessionConflict, StoreUnavailable, VoiceError
from voice.entrypoints.web.access import Refused
from voice.entrypoints.web.responses import TITLES, Problem, json_bytes, problem_of, rate_limit_problem, refused_problem

_TREE = [cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, VoiceError)]


@pytest.mark.requirement("http:problems")
@pytest.mark.parametrize("error", _TREE)
def test_every_error_of_the_tree_has_a_status_and_a_title(error: type[VoiceError]) -> None:
    problem = problem_of(error("what to do"))
    assert problem.form() == {
        "type": f"/api/v1/errors/{error.code}",
        "title": TITLES[error.code][1],
        "status": TITLES[error.code][0],
        "detail": "what to do",
        "code": error.code,
    }
    assert 400 <= problem.status < 600


@pytest.mark.requirement("http:problems")
def test_a_problem_says_when_to_try_again_and_what_was_kept() -> None:
    assert problem_of(ProviderUnavailable("busy", retry_after_s=2.2)).headers == {"Retry-After": "3"}
    assert problem_of(StoreUnavailable("away")).headers == {"Retry-After": "1"}
    assert problem_of(SessionConflict("lost", exchange_id="x:1")).form()["exchange_id"] == "x:1"
    assert "exchange_id" not in problem_of(SessionConflict("lost")).form()
    assert rate_limit_problem(0.2, "slowly").headers == {"Retry-After": "1"}


def test_who_is_not_let_in_is_told_what_is_needed_and_nothing_else() -> None:
    wrong, told = (refused_problem(Refused("unauthorized", guessed=guessed)) for guessed in (True, False))
    assert wrong.detail == f"what was sent does not open this server; {told.detail}"
    assert (told.status, dict(told.headers)) == (401, {"WWW-Authenticate": 'Bearer realm="voice"'})
    assert refused_problem(Refused("wrong_host")).status == 421
    many = refused_problem(Refused("crowded"))
    assert (many.status, many.code, "delete the cookies" in many.detail) == (431, "head_too_large", True)


def test_a_problem_is_answered_as_problem_json() -> None:
    response = Problem(code="budget", detail="ü<", headers={"Retry-After": "1"}).response()
    assert response.headers["content-type"] == "application/problem+json"
    assert json.loads(bytes(response.body))["detail"] == "ü<"


@pytest.mark.requirement("http:inert")
def test_json_carries_everything_and_steers_nothing() -> None:
    hostile = "</script><img src=x onerror=1>&amp; \x1b[31m \x9b \u202e\u2066 \u2028 \ufeff \u200e ü 漢 👨‍👩‍👧"
    written = json_bytes({"text": hostile})
    assert json.loads(written) == {"text": hostile}
    text = written.decode()
    assert not any(char in text for char in "<>&\x1b\x9b\u202e\u2066\u2028\ufeff\u200e")
    assert all(char in text for char in "ü漢")


def test_json_refuses_a_number_that_json_has_not() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_bytes(cast("object", float("nan")))
