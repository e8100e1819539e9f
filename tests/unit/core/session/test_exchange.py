"""Answers from before marks stood in them, as they are shown."""

from dataclasses import replace

import pytest

from store_values import exchange
from voice.core.grounding.values import Rung, SentenceVerdict
from voice.core.session.exchange import with_marks

ANSWER = "Ada moved.\n\nShe sold it. Why?"


def said(text: str, rung: Rung) -> SentenceVerdict:
    at = ANSWER.index(text)
    return SentenceVerdict(start=at, end=at + len(text), text=text, kind="claim", rung=rung)


BARE = exchange(
    answer=ANSWER,
    sentences=(said("Ada moved.", "verified"), said("She sold it.", "contradicted"), said("Why?", "unverified")),
)


@pytest.mark.requirement("grounding:marked-everywhere")
def test_a_bare_answer_of_an_earlier_judge_gets_its_marks_and_offsets_stay_those_of_the_bare_words() -> None:
    shown = with_marks(BARE)
    assert shown.answer == "Ada moved.\n\n[✗ contradicted: She sold it.] [~ not checked: Why?]"
    assert [shown.answer[one.start : one.end] for one in shown.sentences] == ["Ada moved.", "She sold it.", "Why?"]


def test_an_answer_that_has_its_marks_stays_as_it_is() -> None:
    shown = with_marks(BARE)
    assert with_marks(shown) is shown
    assert with_marks(replace(BARE, refused=True)).answer == ANSWER
    assert with_marks(replace(BARE, answer="")).answer == ""


def test_of_an_answer_that_has_some_marks_the_others_are_added() -> None:
    first = with_marks(replace(BARE, sentences=BARE.sentences[:2]))
    rest = said("Why?", "unverified")
    moved = replace(rest, start=first.answer.index("Why?"), end=len(first.answer))
    assert with_marks(replace(first, sentences=(*first.sentences, moved))).answer == with_marks(BARE).answer
