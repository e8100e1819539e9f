"""What holds now comes before what has ended, and what has ended says its day."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from grounding_rows import answer_of, judge_composed, row, sources_of
from voice.core.grounding.answerability.compose import compose
from voice.core.grounding.values import Evidence, GroundingPolicy, Stance

DECEMBER = datetime(2025, 12, 1, tzinfo=UTC)
MAY = datetime(2026, 5, 25, tzinfo=UTC)
SEPTEMBER = datetime(2026, 9, 20, tzinfo=UTC)
FARID = row("S1", "My manager is Farid Haddad.", at=DECEMBER)
NOOR = row("S2", "Farid is leaving; Noor Rahman becomes my manager on July 1.", at=MAY)
GREEN = GroundingPolicy(min_sources=1, single_source="green")


def _answer(question: str, *rows: Evidence, now: datetime | None = SEPTEMBER) -> list[str]:
    draft = compose(question, rows, Stance.SYNTHESIZE, now=now)
    assert not judge_composed(draft, rows, GREEN, question=question, now=now).refused
    return answer_of(draft).split("\n")


@pytest.mark.requirement("grounding:current-first")
@pytest.mark.parametrize("rows", [(FARID, NOOR), (NOOR, FARID)])
def test_asked_what_is_now_the_later_note_comes_first_and_each_says_its_day(rows: tuple[Evidence, ...]) -> None:
    assert _answer("Who is my manager?", *rows) == [
        "2026-05-25: Farid is leaving; Noor Rahman becomes my manager on July 1.",
        "2025-12-01: My manager is Farid Haddad.",
    ]


@pytest.mark.requirement("grounding:current-first")
def test_asked_what_was_the_order_is_by_how_well_it_answers() -> None:
    first, *_ = _answer("Who was my manager before Noor Rahman?", FARID, NOOR)
    assert "Farid" in first


@pytest.mark.requirement("grounding:current-first")
def test_what_was_replaced_stands_behind_what_took_its_place_with_its_day() -> None:
    old = replace(FARID, row_id="o:old", superseded_by="o:new", relevance=0.9)
    new = replace(row("S2", "Noor Rahman is who I report to.", at=MAY), row_id="o:new", relevance=0.4)

    assert _answer("Who is my manager?", old, new) == [
        "2026-05-25: Noor Rahman is who I report to.",
        "2025-12-01: My manager is Farid Haddad.",
    ]


@pytest.mark.requirement("grounding:current-first")
def test_what_was_replaced_by_a_row_that_is_not_there_says_its_day_all_the_same() -> None:
    gone = replace(FARID, superseded_by="o:elsewhere")
    assert _answer("Who is my manager?", gone) == ["2025-12-01: My manager is Farid Haddad."]


@pytest.mark.requirement("grounding:current-first")
def test_what_has_an_end_behind_now_comes_last_although_it_answers_best() -> None:
    ended = replace(FARID, text="My manager at work is Farid Haddad.", valid_until=MAY)
    ended = replace(ended, shown=ended.text)
    now = row("S2", "The manager at work is Noor Rahman, says the door.", at=DECEMBER)

    first, second = _answer("Who is my manager at work?", ended, now)

    assert (first, second) == (now.text, f"2025-12-01: {ended.text}")


@pytest.mark.requirement("grounding:current-first")
def test_an_end_that_lies_ahead_is_none_yet() -> None:
    until_autumn = replace(FARID, valid_until=datetime(2026, 10, 1, tzinfo=UTC))

    assert _answer("Who is my manager?", until_autumn) == ["My manager is Farid Haddad."]
    assert _answer("Who is my manager?", until_autumn, now=None) == ["2025-12-01: My manager is Farid Haddad."]


@pytest.mark.requirement("grounding:current-first")
def test_an_edge_of_the_graph_that_has_ended_says_its_day() -> None:
    edge = replace(
        row("S1", "Clara —rents→ Workshop in Marvila: 420 euros a month", at=DECEMBER),
        source_type="kg_relation",
        valid_until=MAY,
    )
    assert _answer("What does Clara rent?", edge) == ["2025-12-01: Clara rents Workshop in Marvila: 420 euros a month."]


@pytest.mark.requirement("grounding:current-first")
def test_a_challenge_brings_only_the_turns_most_like_the_claim() -> None:
    rows = [
        replace(
            row("S1", "Fish glue has no place in a piano, I said.", at=DECEMBER), row_id="o:1", superseded_by="o:2"
        ),
        replace(row("S2", "For pinblocks in summer I use fish glue.", at=MAY), row_id="o:2"),
        replace(row("S3", "I would never tune a piano with an app.", at=DECEMBER), row_id="o:3", superseded_by="o:4"),
        replace(row("S4", "I set the top octave with the machine.", at=MAY), row_id="o:4"),
    ]
    draft = compose("Fish glue has no place in a piano.", rows, Stance.CHALLENGE, now=SEPTEMBER)

    assert {source.source_id for source in sources_of(draft)} == {"S1", "S2"}


@pytest.mark.requirement("grounding:current-first")
@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("How much will the rent be next year?", "The rent is 640 euros.", "From January the rent is 665 euros."),
        ("Is the spare key with Anna?", "The spare key is with Anna.", "The spare key is with Berta."),
        ("What must the yeast weigh?", "The yeast must weigh 20 g.", "The yeast should weigh 25 g."),
        ("the door code", "The door code is 4711.", "The door code is 9030 since the burglary."),
    ],
)
def test_of_two_notes_of_one_thing_the_later_comes_first_and_each_says_its_day(
    question: str, old: str, new: str
) -> None:
    rows = (row("S1", old, at=DECEMBER), row("S2", new, at=MAY))
    assert _answer(question, *rows) == [f"2026-05-25: {new}", f"2025-12-01: {old}"]


@pytest.mark.requirement("grounding:current-first")
@pytest.mark.parametrize("question", ["How much was the rent at first?", "What was the first rent?"])
def test_asked_what_was_at_first_the_earlier_comes_first_and_each_says_its_day(question: str) -> None:
    rows = (row("S2", "The rent is 665 euros now.", at=MAY), row("S1", "The rent is 640 euros.", at=DECEMBER))
    assert _answer(question, *rows) == ["2025-12-01: The rent is 640 euros.", "2026-05-25: The rent is 665 euros now."]


@pytest.mark.requirement("grounding:current-first")
def test_sentences_of_two_things_keep_the_order_in_which_they_answer() -> None:
    rows = (row("S1", "The garden gate squeaks badly.", at=DECEMBER), row("S2", "A hedgehog is there.", at=MAY))
    assert _answer("Why does the garden gate squeak?", *rows) == ["The garden gate squeaks badly."]


@pytest.mark.requirement("grounding:current-first")
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How much will the rent be?", "2026-05-25"),
        ("How much was the rent?", "2025-12-01"),
        ("What is on?", "2025-12-01"),
    ],
)
def test_of_the_rows_of_a_time_the_later_comes_first_where_a_question_of_now_names_a_thing(
    question: str, first: str
) -> None:
    rows = (row("S1", "The rent is 640 euros.", at=DECEMBER), row("S2", "The rent is 665 euros now.", at=MAY))
    assert answer_of(compose(question, rows, Stance.SYNTHESIZE, within_time=True)).startswith(first)
