"""Where the memory disagrees with itself, and what an answer must make of it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from grounding_rows import draft, row
from voice.core.grounding.compose import compose
from voice.core.grounding.disagreement import disagreements, has_ended
from voice.core.grounding.judge import judge
from voice.core.grounding.values import Evidence, GroundedResponse, GroundingPolicy, Stance

MARCH = datetime(2024, 3, 3, tzinfo=UTC)
MAY = datetime(2024, 5, 9, tzinfo=UTC)
POLICY = GroundingPolicy(min_sources=1)
ACME = row("S1", "I work at Acme as a baker.", at=MARCH)
GLOBEX = row("S2", "I now work at Globex as a baker.", at=MAY)
QUESTION = "Where do I work as a baker?"


def _pair(one: str, other: str, kind: str = "kg_observation") -> list[Evidence]:
    return [
        replace(row("S1", one, at=MARCH), source_type=kind),
        replace(row("S2", other, at=MAY), source_type=kind),
    ]


@pytest.mark.requirement("grounding:disagreement")
@pytest.mark.parametrize(
    ("one", "other", "respect"),
    [
        ("I work at Acme.", "I now work at Globex.", "work"),
        ("I work at Acme and like it.", "I'm working for Globex since May.", "work"),
        ("Ada lives in Oslo.", "It rained. Ada lives in Bergen with Ben.", "home"),
        ("Ada studies at Yale.", "Ada is studying at Brown.", "study"),
        ("I am married to Ben.", "I'm engaged to Carl.", "spouse"),
        ("Ada was born in Oslo.", "Ada was born in Bergen.", "birthplace"),
        ("Ada is 34 years old.", "Ada is 51 years old.", "age"),
        ("My rent is 1,400 euros.", "My rent is 1,500 euros a month.", "rent"),
        ("The flat in Oslo costs 1,400 euros.", "The flat in Oslo costs 1,900 euros.", "flat in oslo"),
        ("Ada's shop opens at 9:00.", "Ada's shop opens at 10:30.", "shop opens"),
        ("My favourite colour is blue.", "My favourite colour is green.", "favourite colour"),
        ("I like coffee.", "I don't like coffee.", "likes coffee"),
        ("I love coffee.", "I hate coffee.", "likes coffee"),
        ("I eat meat.", "I never eat meat.", "eats meat"),
    ],
)
def test_two_rows_that_cannot_both_be_so_disagree(one: str, other: str, respect: str) -> None:
    (found,) = disagreements(_pair(one, other))

    assert (found.earlier.respect, found.later.respect) == (respect, respect)
    assert found.earlier.passage.row.created_at < found.later.passage.row.created_at
    assert not found.is_settled(None)


@pytest.mark.requirement("grounding:disagreement")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada —works at→ Acme", "Ada —works at→ Globex"),
        ("Ada (person): a friend; works at → Acme; likes → tea", "Ada —works for→ Globex: since May"),
    ],
)
def test_two_relations_of_a_kind_that_holds_one_at_a_time_disagree(one: str, other: str) -> None:
    assert [pair.earlier.respect for pair in disagreements(_pair(one, other, "kg_relation"))] == ["work"]


@pytest.mark.requirement("grounding:disagreement")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Oslo.", "I live in Oslo, Norway."),
        ("I live in Oslo.", "I live in a small flat."),
        ("I live in Oslo.", "I work in Bergen."),
        ("I live in Oslo.", "Ada lives in Bergen."),
        ("Do I live in Oslo?", "I live in Bergen."),
        ("So, I live in Oslo?", "I live in Bergen."),
        ("I work at Acme.", "I work at 7 Eleven."),
        ("I worked at Acme.", "I work at Globex."),
        ("I work at Acme.", "I no longer work at Globex."),
        ("Ada is 34 years old.", "Ada is 34 years old now."),
        ("My rent is 1,400 euros.", "My rent is low."),
        ("My day is long.", "My day is cold."),
        ("The amount is 38 euros.", "The amount is 18 euros."),
        ("I like coffee.", "I like tea."),
        ("The train takes 40 minutes.", "The train takes two hours."),
        ("My rent is 900 euros.", "My rent is 12 percent."),
    ],
)
def test_what_may_both_be_so_does_not_disagree(one: str, other: str) -> None:
    assert disagreements(_pair(one, other)) == ()


def test_one_row_and_relations_that_hold_many_at_a_time_do_not_disagree() -> None:
    assert disagreements([row("S1", "I work at Acme. I work at Globex.")]) == ()
    assert disagreements(_pair("Ada —knows→ Ben", "Ada —knows→ Carl", "kg_relation")) == ()
    assert disagreements(_pair("Ada —works at→", "Ada and Ben", "kg_relation")) == ()


def test_somebody_who_grew_older_between_two_notes_is_no_disagreement() -> None:
    young = row("S1", "Ada is 34 years old.", at=MARCH)
    old = row("S2", "Ada is 36 years old.", at=datetime(2026, 4, 1, tzinfo=UTC))

    assert disagreements([young, old]) == ()


def test_the_same_thing_of_an_entity_named_with_both_rows_disagrees() -> None:
    rows = [row("S1", "The rent is 900 euros.", names=("Flat",)), row("S2", "The rent is 950 euros.", names=("Flat",))]

    assert len(disagreements(rows)) == 1


def test_a_disagreement_of_which_one_side_has_ended_is_settled() -> None:
    ended = replace(ACME, valid_until=MAY)
    replaced = replace(ACME, superseded_by="o:s2")

    assert has_ended(ended, None)
    assert has_ended(replaced, None)
    assert [pair.is_settled(None) for pair in disagreements([ended, GLOBEX])] == [True]


@pytest.mark.requirement("grounding:disagreement")
def test_what_ends_in_the_future_holds_today() -> None:
    until_may = replace(ACME, valid_until=MAY)
    (pair,) = disagreements([until_may, GLOBEX])
    said = draft("You work at Acme as a baker.", ("S1", ACME.text))
    flags = {
        now: judge(said, [until_may, GLOBEX], POLICY, question=QUESTION, now=now).sentences[0].flags
        for now in (MARCH, MAY)
    }

    assert [has_ended(until_may, now) for now in (MARCH, MAY)] == [False, True]
    assert [pair.is_settled(now) for now in (MARCH, MAY)] == [False, True]
    assert flags == {MARCH: ("disputed",), MAY: ("ended",)}


@pytest.mark.requirement("grounding:disagreement")
def test_a_sister_and_her_name_are_one_subject() -> None:
    rows = _pair("My sister Ingrid lives in Bergen with Lars.", "Ingrid lives in Oslo.")
    others = _pair("My sister Ingrid lives in Bergen.", "My sister Anna lives in Oslo.")

    assert [pair.earlier.subject for pair in disagreements(rows)] == ["ingrid"]
    assert disagreements(others) == ()


def _judged(answer: str, rows: list[Evidence], *cited: Evidence) -> GroundedResponse:
    return judge(draft(answer, *((one.alias, one.text) for one in cited)), rows, POLICY, question=QUESTION)


@pytest.mark.requirement("grounding:disagreement")
def test_one_side_stated_as_plain_fact_is_marked_with_both_sides_and_their_days() -> None:
    sentence = _judged("You work at Acme as a baker.", [ACME, GLOBEX], ACME).sentences[0]

    assert sentence.verdict == "supported"
    assert sentence.flags == ("disputed",)
    assert sentence.reasons[0] == (
        "your notes disagree: “I work at Acme as a baker.” (3 March 2024); “I now work at Globex as a baker.” "
        "(9 May 2024); the later one may be so because things changed"
    )


def test_of_what_cannot_change_no_side_is_said_to_be_later() -> None:
    rows = _pair("Ada was born in Oslo.", "Ada was born in Bergen.")
    response = judge(draft("Ada was born in Oslo.", ("S1", rows[0].text)), rows, POLICY, question="Where was Ada born?")

    assert response.sentences[0].reasons == (
        "your notes disagree: “Ada was born in Oslo.” (3 March 2024); “Ada was born in Bergen.” (9 May 2024)",
    )


def test_of_two_notes_of_one_day_neither_is_said_to_be_the_later_one() -> None:
    globex = replace(GLOBEX, created_at=ACME.created_at)
    reason = _judged("You work at Acme as a baker.", [ACME, globex], ACME).sentences[0].reasons[0]

    assert reason.endswith("“I now work at Globex as a baker.” (3 March 2024)")


def test_a_long_side_is_cut_and_an_unknown_day_left_out() -> None:
    undated = replace(ACME, created_at=datetime(1, 1, 1, tzinfo=UTC))
    long = replace(GLOBEX, text=f"I now work at Globex {'and really ' * 20}like it.")
    reason = _judged("You work at Acme as a baker.", [undated, long], undated).sentences[0].reasons[0]

    assert "baker.”; “I now work" in reason
    assert "…” (9 May 2024)" in reason


@pytest.mark.requirement("grounding:disagreement")
def test_an_answer_that_gives_both_sides_is_not_marked() -> None:
    answer = (
        "In March 2024 you wrote: I work at Acme as a baker. In May 2024 you wrote: I now work at Globex as a baker."
    )
    response = _judged(answer, [ACME, GLOBEX], ACME, GLOBEX)

    assert [sentence.verdict for sentence in response.sentences] == ["supported", "supported"]
    assert not any(sentence.flags for sentence in response.sentences)


def test_an_answer_of_which_nothing_is_supported_is_marked_with_nothing() -> None:
    assert "disputed" not in _judged("The mayor wept bitterly.", [ACME, GLOBEX], ACME).sentences[0].flags


def test_a_sentence_about_something_else_is_not_marked() -> None:
    tea = row("S3", "I drink green tea in the morning.", at=MAY)

    assert _judged("You drink green tea in the morning.", [ACME, GLOBEX, tea], tea).sentences[0].flags == ()


@pytest.mark.requirement("grounding:ended")
def test_what_was_replaced_and_is_stated_as_current_is_unsupported_when_its_successor_was_sent() -> None:
    replaced = replace(ACME, superseded_by=GLOBEX.row_id)
    verdict = _judged("You work at Acme as a baker.", [replaced, GLOBEX], replaced).sentences[0]

    assert (verdict.verdict, verdict.flags[0]) == ("unsupported", "ended")
    assert verdict.reasons[0] == "a later note took the source's place, the answer states it as what is now"


@pytest.mark.requirement("grounding:ended")
def test_the_day_a_source_ended_is_told() -> None:
    ended = replace(row("S1", "The bakery founded by Ada is in Oslo.", at=MARCH), valid_until=MAY)
    verdict = _judged("The bakery founded by Ada is in Oslo.", [ended], ended).sentences[0]

    assert verdict.reasons == ("the source held until 9 May 2024, the answer states it as what is now",)


@pytest.mark.requirement("grounding:ended")
def test_what_was_replaced_is_marked_when_its_successor_was_not_sent() -> None:
    replaced = replace(ACME, superseded_by="o:elsewhere")
    verdict = _judged("You work at Acme as a baker.", [replaced], replaced).sentences[0]

    assert (verdict.verdict, verdict.flags) == ("supported", ("ended",))
    assert verdict.reasons == ("a later note took the source's place, the answer states it as what is now",)


@pytest.mark.requirement("grounding:ended")
@pytest.mark.parametrize(
    "answer",
    [
        "You worked at Acme as a baker.",
        "Before that: I work at Acme as a baker.",
        "On 3 March 2024 you work at Acme as a baker.",
    ],
)
def test_what_has_ended_may_be_told_as_past(answer: str) -> None:
    replaced = replace(ACME, superseded_by="o:elsewhere")

    assert "ended" not in _judged(answer, [replaced], replaced).sentences[0].flags


def test_what_another_row_still_holds_has_not_ended() -> None:
    replaced = replace(ACME, superseded_by="o:s3")
    again = row("S3", "You work at Acme as a baker, says the contract.", at=MAY)

    flags = _judged("You work at Acme as a baker.", [replaced, again], replaced, again).sentences[0].flags
    assert "ended" not in flags


@pytest.mark.requirement("grounding:disagreement")
@pytest.mark.parametrize("stance", [Stance.SYNTHESIZE, Stance.CHALLENGE])
def test_the_offline_answer_gives_both_sides_with_their_days(stance: Stance) -> None:
    answer = compose(QUESTION, [GLOBEX, ACME], stance)

    sides = ["2024-03-03: I work at Acme as a baker.", "2024-05-09: I now work at Globex as a baker."]
    aliases = ["S1", "S2"]
    is_latest_first = stance is Stance.SYNTHESIZE
    assert answer.answer.split("\n") == (sides[::-1] if is_latest_first else sides)
    assert [source.source_id for source in answer.sources] == (aliases[::-1] if is_latest_first else aliases)


def test_only_pairs_with_a_sentence_that_matters_are_compared_and_in_the_order_of_the_rows() -> None:
    rows = [row(f"S{n}", f"I work at Firm{n}.", at=MARCH) for n in range(5)]
    found = disagreements(rows, lambda passage: passage.row.alias in ("S1", "S3"))

    assert [tuple(side.passage.row.alias for side in pair.sides()) for pair in found] == [
        ("S0", "S1"),
        ("S1", "S2"),
        ("S1", "S3"),
        ("S1", "S4"),
        ("S0", "S3"),
        ("S2", "S3"),
        ("S3", "S4"),
    ]


def test_of_many_disagreements_of_one_sentence_five_are_told() -> None:
    rows = [row(f"S{n}", f"I work at Firm{n}.", at=MARCH) for n in range(1, 12)]
    answer = judge(draft("You work at Firm3.", ("S3", rows[2].text)), rows, POLICY, question="Where do I work?")

    assert sum(reason.startswith("your notes disagree") for reason in answer.sentences[0].reasons) == 5
