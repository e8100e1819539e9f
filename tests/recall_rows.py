"""Rows, pins and sessions for the tests of recall, with everything that does not matter filled in."""

from dataclasses import replace
from datetime import timedelta

from recall_values import pin
from retrieval_doubles import NOW
from retrieval_rows import observation, thought
from voice.core.recall.values import Pin, RecallResult
from voice.core.records import Observation, Provenance, Scope, Thought
from voice.core.session.lifecycle import new_session
from voice.core.session.values import InnerVoiceSession, RollingSummary

REPO, OTHER = Scope(repo_id="/repo"), Scope(repo_id="/other")
BUG = thought("bug", "Fixed the authentication bug in login.py.")
KILN = thought("kiln", "Moved the kiln to the shed.")


def said(key: str, text: str, **members: object) -> Thought:
    return replace(thought(key, text), **members)  # pyright: ignore[reportArgumentType]


def distilled(key: str, text: str, *behind: str, **members: object) -> Observation:
    return replace(observation(key, text), provenance=spans(*behind), **members)  # pyright: ignore[reportArgumentType]


def pinned(key: str, target_id: str, hours: int = 1, **members: object) -> Pin:
    made = NOW - timedelta(hours=hours)
    return pin(key, target_id, **{"created_at": made, **members})


def talk(key: str, text: str | None, *, hours: int = 1, **members: object) -> InnerVoiceSession:
    started = NOW - timedelta(hours=hours)
    base = new_session(
        session_id=f"s:{key}", topic="talk", provider="p", model="m", max_prompt_tokens=1000, now=started
    )
    rolling = (
        None
        if text is None
        else RollingSummary(text=text, last_updated=started, exchanges_summarized=2, token_savings=1)
    )
    return replace(base, rolling_summary=rolling, **members)  # pyright: ignore[reportArgumentType]


def ids(result: RecallResult) -> list[str]:
    return [one.entity.id for one in result.candidates]


def pins_of(result: RecallResult) -> list[str]:
    return [one.target.id for one in result.pins]


def spans(*thoughts: str) -> tuple[Provenance, ...]:
    return tuple(Provenance(thought_id=each, start=0, end=1) for each in thoughts)
