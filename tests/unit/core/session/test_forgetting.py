"""What forgetting takes out of turns and summaries, and what it leaves: figures, receipts, a chain that verifies."""

from dataclasses import replace
from typing import Any

import pytest

from store_values import NOON, citation, exchange, full_exchange, session
from tables import tables
from voice.core.grounding.values import LEXICAL_JUDGE
from voice.core.grounding.verifier_values import LexicalDetail, LexicalPart
from voice.core.session.forgetting import TOPIC_GONE, ForgottenContent, exchange_without, session_without
from voice.core.session.turn_traces import ChainCheck, turn_stub, with_link
from voice.core.session.values import DialogueExchange, PromptRecord, RollingSummary
from voice.core.text.leakage import LeakMarkers

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("ruling:G.2e", "ruling:H.8")
KEY = b"k" * 32
HASH = "h" * 64


def gone(
    *ids: str, keeps_hashes: bool = False, phrases: tuple[str, ...] = (), words: tuple[str, ...] = ()
) -> ForgottenContent:
    giveaway = LeakMarkers(phrases=frozenset(phrases), words=frozenset(words))
    return ForgottenContent(ids=frozenset(ids), giveaway=giveaway, keeps_hashes=keeps_hashes)


def verifies(*exchanges: DialogueExchange) -> bool:
    check = ChainCheck(KEY)
    for each in exchanges:
        check.add(each)
    return not check.broken


def test_a_turn_that_cites_it_keeps_its_receipts_and_loses_every_word() -> None:
    before = with_link(full_exchange(), after="", key=KEY)
    after = exchange_without(before, gone("o:1"), key=KEY)
    assert (after.answer, after.notes, after.rejected_citations, after.self_reported) == ("", None, (), ())
    assert [each.text for each in after.sentences] == ["", "", ""]
    assert [each.receipts[0].row_id for each in after.sentences] == ["o:1", "o:1", "o:1"]
    assert {each.span for each in (*after.sources, *after.evidence_found)} == {""}
    assert HASH not in str(after)
    assert after.my_query == before.my_query
    assert (after.cost_estimate, after.attempts, after.link) == (before.cost_estimate, before.attempts, before.link)
    assert verifies(after)


def test_redacting_keeps_the_hashes_of_what_was_cited() -> None:
    before = with_link(full_exchange(), after="", key=KEY)
    after = exchange_without(before, gone("o:1", keeps_hashes=True), key=KEY)
    assert after.sentences[0].receipts[0].content_hash == HASH
    assert after.prompt == before.prompt
    assert verifies(after)
    later = exchange_without(after, gone("o:1"), key=KEY)
    assert HASH not in str(later)
    assert verifies(later)


def test_taking_away_twice_is_taking_away_once() -> None:
    before = with_link(full_exchange(), after="", key=KEY)
    once = exchange_without(before, gone("o:1"), key=KEY)
    assert exchange_without(once, gone("o:1"), key=KEY) is once


def test_a_turn_that_holds_nothing_of_it_stays_the_same_value() -> None:
    before = with_link(exchange(sources=(citation(),)), after="", key=KEY)
    assert exchange_without(before, gone("o:2", phrases=("the door code",)), key=KEY) is before
    buried = turn_stub(before)
    assert exchange_without(buried, gone("o:1"), key=KEY) is buried


@pytest.mark.parametrize(
    "said",
    [
        {"answer": "You said: the DOOR code is 4711."},
        {"notes": "the door code is 4711."},
        {"premise": ("the door code is 4711.",)},
        {"sources": (replace(citation(), span="The door code is 4711."),)},
        {"sentences": (replace(full_exchange().sentences[0], text="The door code is 4711."),)},
    ],
)
def test_a_turn_that_quotes_it_without_citing_it_loses_the_answer(said: dict[str, Any]) -> None:
    before = with_link(exchange(**said, idempotency="k"), after="", key=KEY)
    after = exchange_without(before, gone("t:9", phrases=("the door code is 4711.",)), key=KEY)
    assert (after.answer, after.my_query, after.idempotency) == ("", before.my_query, "")
    assert verifies(after)


@pytest.mark.parametrize(
    ("question", "is_about_it", "is_left"),
    TABLES["a_question_goes_where_it_quotes_it_or_was_about_it_and_gives_it_away"],
)
def test_a_question_goes_where_it_quotes_it_or_was_about_it_and_gives_it_away(
    question: str, *, is_about_it: bool, is_left: bool
) -> None:
    shown = (("o:1", HASH),) if is_about_it else ()
    prompt = PromptRecord(prompt_hash="p", template="answer.v1", template_hash="t", evidence=shown)
    before = with_link(exchange(my_query=question, prompt=prompt), after="", key=KEY)
    after = exchange_without(before, gone("o:1", phrases=("the door code",), words=("4711",)), key=KEY)
    assert after.my_query == (question if is_left else "")
    assert HASH not in str(after.prompt)
    assert verifies(after)


def test_a_summary_loses_the_lines_that_rest_on_it_or_quote_it() -> None:
    summary = RollingSummary(
        text="Beth has the key.\nThe kiln is hot.\nThe door code is 4711.",
        last_updated=NOON,
        exchanges_summarized=3,
        token_savings=1,
        source_ids=("o:1", "o:2"),
        line_grounds=((("o:1", HASH),), (("o:2", HASH),), (("o:2", HASH),)),
        line_turns=((0,), (1,), (2,)),
    )
    before = session(rolling_summary=summary, revision=4)
    after = session_without(before, gone("o:1", phrases=("door code",)), unasked=(), now=NOON)
    left = after.rolling_summary
    assert left is not None
    assert (left.text, left.source_ids, left.revision, after.revision) == ("The kiln is hot.", ("o:2",), 2, 5)
    assert session_without(after, gone("o:1", phrases=("door code",)), unasked=(), now=NOON) is after


@pytest.mark.parametrize(
    ("topic", "unasked", "is_left"), TABLES["a_topic_goes_where_it_quotes_it_or_was_a_question_that_went"]
)
def test_a_topic_goes_where_it_quotes_it_or_was_a_question_that_went(
    topic: str, unasked: tuple[str, ...], *, is_left: bool
) -> None:
    before = session(thread_topic=topic)
    after = session_without(before, gone("o:1", phrases=("door code",), words=("4711",)), unasked=unasked, now=NOON)
    assert after.thread_topic == (topic if is_left else TOPIC_GONE)
    assert (after is before) is is_left
    again = session_without(after, gone("o:1", phrases=("forgotten",)), unasked=unasked, now=NOON)
    assert is_left or again is after


def test_a_compound_sentence_loses_the_reasons_of_its_parts() -> None:
    whole = full_exchange()
    part = LexicalPart(start=0, end=3, verdict="supported", reasons=("the source says 14",))
    detail = LexicalDetail(kind="claim", parts=(part,))
    told = replace(whole, sentences=(replace(whole.sentences[0], lexical=detail, judge=LEXICAL_JUDGE),))
    after = exchange_without(with_link(told, after="", key=KEY), gone("o:1"), key=KEY)
    assert after.sentences[0].lexical == replace(detail, parts=(replace(part, reasons=()),))


def test_what_was_cut_leaves_its_number_and_nothing_that_confirms_a_guess() -> None:
    whole = full_exchange()
    after = exchange_without(with_link(whole, after="", key=KEY), gone("o:1"), key=KEY)
    assert after.cut == (replace(whole.cut[0], digest="", reasons=()),)
    assert verifies(after)


def test_what_was_cut_of_a_draft_goes_though_the_answer_does_not_cite_what_its_model_saw() -> None:
    whole = replace(full_exchange(), sources=(), evidence_found=(), sentences=(), memories_referenced=())
    after = exchange_without(with_link(whole, after="", key=KEY), gone("o:1"), key=KEY)
    assert (after.answer, after.cut[0].digest, after.cut[0].reasons) == (whole.answer, "", ())
    assert verifies(after)
