"""Summaries made of a capsule's own sentences."""

from dataclasses import replace
from datetime import timedelta

import pytest

from retrieval_doubles import NOW
from retrieval_rows import thought
from voice.core.recall.capsules import MAX_SENTENCE_CHARS, MAX_SENTENCES, extract_summary
from voice.core.recall.values import Capsule
from voice.core.records import Origin, Scope, Thought, TrustTier

WORK = Capsule(id="c:1", intent="mend the login", opened_at=NOW, scope=Scope(repo_id="/repo"))


def said(key: str, text: str, hours: int = 0, **members: object) -> Thought:
    base = replace(thought(key, text), created_at=NOW + timedelta(hours=hours), thread="c:1")
    return replace(base, **members)  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("s4:provenance:summary", "s4:tier:summary")
def test_a_made_summary_is_verbatim_and_names_what_it_rests_on() -> None:
    thoughts = (
        said("2", "The login token expired too early.", 2),
        said("1", "The login fails after an hour. Nobody knows why the login token is gone.", 1),
    )
    made = extract_summary(WORK, thoughts)
    assert made is not None
    assert made.summary.content.split("\n") == [
        "The login fails after an hour.",
        "Nobody knows why the login token is gone.",
        "The login token expired too early.",
    ]
    assert (made.summary.id, made.summary.capsule_id) == ("m:c:1", "c:1")
    assert made.summary.evidence_refs == ("t:1", "t:2")
    assert made.summary.created_at == NOW + timedelta(hours=2)
    assert (made.summary.scope, made.summary.confidence, made.trust) == (WORK.scope, 1.0, TrustTier.GREEN)
    assert extract_summary(WORK, tuple(reversed(thoughts))) == made


def test_a_made_summary_is_bounded_and_takes_what_the_rest_speaks_of() -> None:
    talk = [said(f"{n:02}", f"The kiln reached {n}00 degrees in the shed.", n) for n in range(9)]
    made = extract_summary(WORK, [*talk, said("x", "Bananas ripened elsewhere.", 20)])
    assert made is not None
    assert len(made.summary.content.split("\n")) == MAX_SENTENCES
    assert "Bananas" not in made.summary.content
    assert 0.0 < made.summary.confidence < 1.0


def test_a_sentence_is_said_once_and_cut_where_it_is_endless() -> None:
    long = "The kiln " + "burned and burned " * 60 + "until dawn."
    made = extract_summary(WORK, [said("1", long), said("2", long), said("3", "The kiln burned.", 1)])
    assert made is not None
    first, *rest = made.summary.content.split("\n")
    assert long.startswith(first)
    assert len(first) <= MAX_SENTENCE_CHARS
    assert rest == ["The kiln burned."]


@pytest.mark.requirement("ruling:H.5")
def test_what_is_made_of_a_private_thought_is_private_and_no_better_than_its_worst_source() -> None:
    made = extract_summary(
        WORK, [said("1", "The kiln is mine.", is_private=True), said("2", "The kiln is hot.", origin=Origin.TOOL)]
    )
    assert made is not None
    assert made.summary.is_private
    assert made.trust is TrustTier.AMBER


@pytest.mark.parametrize("thoughts", [(), (said("1", "How are you?"),), (said("1", "!!!"), said("2", "He was here."))])
def test_nothing_is_made_of_nothing(thoughts: tuple[Thought, ...]) -> None:
    assert extract_summary(WORK, thoughts) is None
    assert extract_summary(WORK, (*thoughts, said("3", "The kiln stands in the shed."))) is not None
