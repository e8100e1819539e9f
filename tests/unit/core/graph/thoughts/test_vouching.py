"""What the owner says of what a program noted, and what counts of it from then on."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from retrieval_rows import observation, thought
from store_values import of_kind
from voice.core.errors import InvalidParams
from voice.core.graph.removal.forget_cascade import redacted
from voice.core.graph.thoughts.distillation import distil, may_promote
from voice.core.graph.thoughts.vouching import (
    NotedFilter,
    approved,
    counting_spans,
    declined,
    is_declined,
    is_noted,
    is_wanted,
    outgrown,
    unfound_in,
    vouch_of,
)
from voice.core.records import Observation, Origin, Provenance, RowStatus, Thought, TrustTier
from voice.core.retrieval.candidates import is_live
from voice.core.vouch import Vouch

pytestmark = pytest.mark.requirement("ruling:J2")
AT = datetime(2026, 3, 20, 18, tzinfo=UTC)
TEXT = "The kiln is in the shed. It was moved in March. Marta fires on Sundays."
NOTE = replace(thought("1", TEXT, origin=Origin.TOOL), vouched=Vouch.WAITING, noted_by="codex-mcp-client")


def texts(note: Thought) -> list[str]:
    return [each.text for each in distil(note)]


def parts(note: Thought) -> list[str]:
    edges = note.vouched_spans
    return [note.content[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


@pytest.mark.parametrize(
    ("origin", "vouch"),
    [(Origin.TOOL, Vouch.WAITING), (Origin.MODEL, Vouch.WAITING), (Origin.HUMAN, None), (Origin.LOGGED, None)],
)
def test_somebody_has_to_vouch_for_what_programs_note_and_for_nothing_else(origin: Origin, vouch: Vouch | None) -> None:
    assert vouch_of(origin) is vouch


def test_only_a_thought_in_use_that_a_program_noted_is_to_be_decided_on() -> None:
    assert is_noted(NOTE)
    assert not is_noted(None)
    assert not is_noted(observation("1"))
    assert not is_noted(replace(NOTE, vouched=None))
    marked = replace(NOTE, status=RowStatus.REMOVAL)
    assert (is_noted(marked), is_noted(marked, even_marked=True)) == (False, True)
    assert (is_wanted(marked, NotedFilter()), is_wanted(marked, NotedFilter(vouched=None))) == (False, True)
    assert is_declined(declined(marked, at=AT))
    with pytest.raises(InvalidParams, match="removals unmark t:1"):
        approved(marked, at=AT)
    assert not is_noted(replace(NOTE, is_summary=True))


def test_what_was_approved_whole_is_distilled_word_for_word_and_is_green() -> None:
    assert not may_promote(NOTE, "human")
    done = approved(NOTE, at=AT)
    assert (done.vouched, done.vouched_at, done.vouched_spans, done.revision) == (Vouch.APPROVED, AT, (), 2)
    assert done.content == NOTE.content
    assert may_promote(done, "off")
    assert " ".join(texts(done)) == TEXT
    assert {each.trust for each in distil(done)} == {TrustTier.GREEN}
    assert {each.trust for each in distil(NOTE)} == {TrustTier.AMBER}
    assert approved(done, at=AT + timedelta(days=1)) is done, "what counts whole is not decided on again"


def test_of_what_was_approved_in_part_nothing_else_is_distilled() -> None:
    third = approved(NOTE, at=AT, sentences=[3])
    assert (third.vouched, parts(third)) == (Vouch.PARTLY, ["Marta fires on Sundays."])
    assert texts(third) == ["Marta fires on Sundays."]
    more = approved(third, at=AT, sentences=[1])
    assert parts(more) == ["The kiln is in the shed.", "Marta fires on Sundays."]
    assert texts(more) == ["The kiln is in the shed.", "Marta fires on Sundays."]
    assert approved(more, at=AT, sentences=[2]).vouched is Vouch.APPROVED, "all of its sentences are the whole of it"


def test_as_many_earlier_approvals_as_sentences_are_not_the_whole_where_one_sentence_is_not_among_them() -> None:
    cut_otherwise = replace(approved(NOTE, at=AT, sentences=[1]), vouched_spans=(0, 10, 11, 24))
    assert approved(cut_otherwise, at=AT, sentences=[2]).vouched is Vouch.PARTLY, "three spans, and nobody approved [3]"
    across = replace(cut_otherwise, vouched_spans=(0, 47))
    assert approved(across, at=AT, sentences=[3]).vouched is Vouch.APPROVED, "two spans that hold all three sentences"


def test_sentences_that_follow_on_one_another_stay_one_statement() -> None:
    assert texts(approved(NOTE, at=AT, sentences=[1, 2])) == ["The kiln is in the shed. It was moved in March."]


def test_a_statement_that_was_approved_at_both_ends_is_two() -> None:
    held = approved(NOTE, at=AT, sentences=[1, 3])
    assert counting_spans(held, [(0, len(TEXT))]) == ((0, 24), (48, len(TEXT)))
    assert counting_spans(NOTE, [(0, 24)]) == ((0, 24),), "of any other thought all statements stay"
    assert counting_spans(held, [(25, 47)]) == ()


@pytest.mark.parametrize("number", [0, 4, -1])
def test_a_sentence_that_is_not_there_is_refused_by_its_number(number: int) -> None:
    with pytest.raises(InvalidParams, match=f"has no sentence {number}; it has 3"):
        approved(NOTE, at=AT, sentences=[1, number])


def test_a_declined_note_is_found_no_more_and_may_be_approved_after_all() -> None:
    done = declined(NOTE, at=AT)
    assert (done.vouched, done.vouched_at) == (Vouch.DECLINED, AT)
    assert is_declined(done)
    assert not is_live(done)
    assert not is_live(done, include_superseded=True)
    assert not is_declined(NOTE)
    assert not is_declined(observation("1"))
    assert is_live(NOTE)
    assert declined(done, at=AT + timedelta(days=1)) is done
    assert is_live(approved(done, at=AT))


def test_what_counts_is_not_declined_and_what_nobody_noted_not_decided_on() -> None:
    for counting in (approved(NOTE, at=AT), approved(NOTE, at=AT, sentences=[1])):
        with pytest.raises(InvalidParams, match="counts already; correct or forget"):
            declined(counting, at=AT)
    for decide in (approved, declined):
        with pytest.raises(InvalidParams, match="is not a note of a program"):
            decide(thought("2"), at=AT)


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        (NotedFilter(), True),
        (NotedFilter(vouched=None), True),
        (NotedFilter(vouched=Vouch.APPROVED), False),
        (NotedFilter(noted_by="CODEX"), True),
        (NotedFilter(noted_by="gemini"), False),
        (NotedFilter(since=NOTE.recorded_at), True),
        (NotedFilter(since=NOTE.recorded_at + timedelta(seconds=1)), False),
        (NotedFilter(until=NOTE.recorded_at), False),
        (NotedFilter(until=NOTE.recorded_at + timedelta(seconds=1)), True),
        (NotedFilter(text="  Moved IN march"), True),
        (NotedFilter(text="April"), False),
    ],
)
def test_a_filter_names_the_program_the_time_the_words_and_the_state(where: NotedFilter, *, wanted: bool) -> None:
    assert is_wanted(NOTE, where) is wanted


def test_a_filter_leaves_private_notes_out_unless_it_lets_them_in() -> None:
    secret = replace(NOTE, is_private=True, noted_by=None)
    assert not is_wanted(secret, NotedFilter())
    assert is_wanted(secret, NotedFilter(include_private=True))
    assert not is_wanted(secret, NotedFilter(include_private=True, noted_by="codex"))


def test_a_shorter_statement_ends_where_a_longer_one_takes_its_place() -> None:
    (short,) = distil(approved(NOTE, at=AT, sentences=[1]))
    (long, _) = distil(approved(NOTE, at=AT))
    (gone,) = outgrown([short], NOTE, [long], at=AT)
    assert (gone.id, gone.status, gone.superseded_by) == (short.id, RowStatus.SUPERSEDED, long.id)
    assert (gone.superseded_at, gone.superseded_author, gone.revision) == (AT, Origin.HUMAN, 2)


def test_nothing_else_that_rests_on_the_note_ends_with_it() -> None:
    whole = approved(NOTE, at=AT)
    (long, other) = distil(whole)

    def resting(key: str, *spans: Provenance, status: RowStatus = RowStatus.ACTIVE) -> Observation:
        return replace(observation(key), provenance=spans, status=status)

    inside = Provenance(thought_id="t:1", start=0, end=24)
    stays = [
        NOTE,
        resting("past", inside, status=RowStatus.SUPERSEDED),
        resting("two", inside, Provenance(thought_id="t:2", start=0, end=3)),
        resting("other", Provenance(thought_id="t:2", start=0, end=3)),
        resting("behind", Provenance(thought_id="t:1", start=20, end=60)),
        long,
        other,
    ]
    assert outgrown(stays, whole, [long, other], at=AT) == ()


@pytest.mark.requirement("ruling:G.2e")
def test_of_a_redacted_note_no_decision_stays() -> None:
    bare = of_kind(redacted(approved(NOTE, at=AT, sentences=[1])), Thought)
    assert (bare.vouched, bare.vouched_at, bare.vouched_spans) == (None, None, ())


def test_exactly_a_note_that_counts_in_part_says_which_parts() -> None:
    for wrong in ((Vouch.PARTLY, ()), (Vouch.APPROVED, (0, 3)), (None, (0, 3)), (Vouch.PARTLY, (0,))):
        with pytest.raises(InvalidParams, match="counts in part names its parts"):
            replace(NOTE, vouched=wrong[0], vouched_spans=wrong[1])
    with pytest.raises(InvalidParams, match="vouched_at has no time zone"):
        replace(NOTE, vouched_at=datetime(2026, 3, 20))  # noqa: DTZ001 - a naive instant is what is refused


CLAIM = "I fixed the kiln in src/kiln.py. I wrote src/gone.py, too. It is warm."
CLAIMED = replace(
    thought("2", CLAIM, origin=Origin.MODEL), vouched=Vouch.WAITING, noted_by="codex", unfound=("src/gone.py",)
)


@pytest.mark.requirement("capture:checked")
def test_approving_the_whole_leaves_out_a_sentence_that_names_what_was_not_found() -> None:
    whole = approved(CLAIMED, at=AT)
    assert whole.vouched is Vouch.PARTLY
    assert parts(whole) == ["I fixed the kiln in src/kiln.py.", "It is warm."]
    assert unfound_in(CLAIMED, (0, len(CLAIM))) == ("src/gone.py",)
    assert unfound_in(NOTE, (0, 5)) == ()


@pytest.mark.requirement("capture:checked")
def test_who_names_that_sentence_by_its_number_lets_it_count_all_the_same() -> None:
    known = approved(CLAIMED, at=AT, sentences=[2])
    assert parts(known) == ["I wrote src/gone.py, too."]
    assert approved(known, at=AT).vouched is Vouch.APPROVED


@pytest.mark.requirement("capture:checked")
def test_a_thought_that_says_nothing_else_goes_on_waiting() -> None:
    alone = replace(CLAIMED, content="I wrote src/gone.py.")
    assert approved(alone, at=AT) == alone
    assert of_kind(redacted(alone), Thought).unfound == ()


@pytest.mark.requirement("capture:waits", "ruling:A12")
def test_what_a_model_said_stays_its_claim_when_it_is_approved_and_nothing_counts_before() -> None:
    whole = approved(replace(CLAIMED, unfound=()), at=AT)
    assert {(each.origin, each.trust) for each in distil(whole)} == {(Origin.MODEL, TrustTier.RED)}
    assert not may_promote(replace(NOTE, origin=Origin.HUMAN), "human")
