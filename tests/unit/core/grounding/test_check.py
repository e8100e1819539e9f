"""The judge for an answer and facts of anybody's."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime

import pytest

from voice.core.errors import InvalidParams
from voice.core.grounding.check import (
    MAX_FACT_CHARS,
    MAX_FACTS,
    CheckedClaim,
    CheckReport,
    Fact,
    FactSpan,
    MissingPart,
    check_report,
    prove_text,
)
from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.draft import MAX_ANSWER_CHARS
from voice.core.grounding.values import Draft, DraftSentence, DraftSource
from voice.core.grounding.verifier_values import ClaimOpinion, DecidingWords, VerificationReply
from voice.core.messages import asking as messages

pytestmark = pytest.mark.requirement("grounding:check")
_SHED = Fact(text="The kiln is in the shed. It cost 41 euros.", id="1")
_LISBON = Fact(text="Ida moved to Lisbon.", id="2")


def checked(
    answer: str | Draft, facts: Sequence[Fact] = (_SHED, _LISBON), reply: VerificationReply | None = None
) -> CheckReport:
    return check_report(prove_text(answer, facts), facts, reply, "somebody" if reply else None)


def rungs(report: CheckReport) -> list[str]:
    return [claim.rung for claim in report.claims]


def cited(*ids: str, text: str = "The kiln is in the shed.", span: str = "") -> Draft:
    sources = tuple(DraftSource(source_id=each, span=span) for each in ids)
    return Draft(sentences=(DraftSentence(text=text, sources=sources),))


def test_what_a_fact_says_word_for_word_is_quoted_with_the_sentence_that_says_it() -> None:
    report = checked("The kiln is in the shed [1].")
    (claim,) = report.claims
    (citation,) = claim.citations
    assert citation == FactSpan(source_id="1", start=0, end=24, span="The kiln is in the shed.")
    assert claim == CheckedClaim(
        text=citation.span, kind="claim", rung="quoted", score=0.0, citations=(citation,), missing=(), reasons=(),
        verifier=None,
    )  # fmt: skip
    assert report == CheckReport(claims=(claim,), coverage=1.0, invented=(), answers_question=None)


def test_a_number_that_no_fact_gives_is_unsupported_and_named() -> None:
    report = checked("The kiln is in the shed. It cost 42 euros.")
    _, wrong = report.claims
    (missing,) = wrong.missing
    assert missing == MissingPart(start=8, end=16, text="42 euros")
    assert (rungs(report), report.is_proven, report.coverage) == (["quoted", "unsupported"], False, 0.4)
    assert wrong.reasons == ("the cited sources do not give 42 euros",)


def test_where_an_answer_cites_nothing_every_fact_counts_and_where_it_cites_only_those() -> None:
    assert rungs(checked("Ida moved to Lisbon.")) == ["quoted"]
    assert rungs(checked("Ida moved to Lisbon [1].")) == ["unsupported"]
    assert rungs(checked("Ida moved to Lisbon [1, 2].")) == ["quoted"]


@pytest.mark.parametrize("marker", ["[9]", "[S9]", "(S9)", "[0]", "[1, 9]", "[^9]", "[[9]]", "【9】", "【S9】"])
def test_a_citation_of_what_is_no_fact_is_invented_and_nothing_makes_up_for_it(marker: str) -> None:
    report = checked(f"The kiln is in the shed {marker}.")
    assert report.invented == ("the answer cites a source that is not among the facts",)
    assert not report.is_proven


def test_a_fact_is_never_found_under_the_place_that_is_another_system_s_id() -> None:
    facts = (Fact(text=_SHED.text, id="S7"), Fact(text=_LISBON.text, id="S8"))
    assert checked("The kiln is in the shed [S7].", facts).is_proven
    assert checked("The kiln is in the shed [7].", facts).is_proven
    assert checked("The kiln is in the shed [S1].", facts).invented
    assert checked(cited("S1"), facts).invented


@pytest.mark.parametrize(
    ("name", "marker"), [("doc-1", "[doc-1]"), ("a, b", "[a, b]"), ("notes", "[1]"), ("notes", "[S1]")]
)
def test_a_fact_is_cited_by_its_id_and_by_its_place_where_no_id_is_a_number(name: str, marker: str) -> None:
    assert checked(f"Ida moved to Lisbon {marker}.", (Fact(text=_LISBON.text, id=name),)).is_proven


@pytest.mark.parametrize("marker", ["[1]", "[[1]]", "[^1]", "【1】", "[S1]", "(S1)", "[ 1 ]", "[1; 2]", "[1][2]"])
def test_a_marker_is_read_as_other_systems_write_it_and_is_no_word_of_the_claim(marker: str) -> None:
    (claim,) = checked(f"The kiln is in the shed {marker}.").claims
    assert (claim.rung, claim.text) == ("quoted", "The kiln is in the shed.")


@pytest.mark.parametrize("text", ["The kiln [sic] is in the shed.", "The kiln [7] is in the shed."])
def test_a_bracket_that_a_fact_has_itself_and_one_that_names_nothing_are_text(text: str) -> None:
    for answer in (text, cited("a", text=text)):
        assert checked(answer, (Fact(text=text, id="a"),)).is_proven


def test_a_span_that_stands_in_no_fact_is_invented() -> None:
    assert checked(cited("1", span="The kiln is in the shed.")).is_proven
    (wrong,) = checked(cited("1", span="The kiln burned down in March.")).invented
    assert wrong


def test_what_a_verifier_supports_with_words_of_a_fact_is_verified() -> None:
    proof = prove_text("The shed holds the kiln [1].", (_SHED,), question="Where?")
    asked = verification_request(proof, question="Where?", today=None)
    assert asked is not None
    words = (DecidingWords(alias="S1", words="kiln is in the shed"),)
    opinion = ClaimOpinion(number=1, verdict="supported", words=words)
    report = check_report(proof, (_SHED,), VerificationReply(opinions=(opinion,), answers_question=True), "somebody")
    (claim,) = report.claims
    assert (claim.rung, claim.verifier, report.answers_question) == ("verified", "somebody", True)
    assert claim.citations[0].span == "The kiln is in the shed."


def test_what_nobody_checked_is_unverified_and_says_so() -> None:
    (claim,) = checked("The shed holds the kiln.").claims
    assert (claim.rung, claim.reasons) == ("unverified", ("no verifier checked whether the facts say this",))


def test_as_much_as_is_allowed_is_checked() -> None:
    assert checked("a" * MAX_ANSWER_CHARS, [Fact(text="b" * 2_000, id=f"{at}") for at in range(MAX_FACTS)]).claims


def test_the_day_and_the_speaker_of_a_fact_are_given() -> None:
    fact = Fact(text="I moved to Lisbon.", id="1", told_on=date(2024, 3, 5), speaker="Ida")
    proof = prove_text("Ida moved to Lisbon.", (fact,), now=datetime(2024, 3, 6, tzinfo=UTC))
    assert rungs(check_report(proof, (fact,))) == ["quoted"]
    assert rungs(checked("Ida moved there on 5 March 2024.", (fact,))) == ["unverified"]
    assert rungs(checked("Ida moved there on 6 March 2024.", (fact,))) == ["unsupported"]


@pytest.mark.requirement("grounding:check:bounded")
@pytest.mark.parametrize(
    ("answer", "facts", "told"),
    [
        ("", (_SHED,), "nothing to check"),
        ("[1] (S1)", (_SHED,), "nothing to check"),
        (Draft(sentences=()), (_SHED,), "nothing to check"),
        ("a", (), "give at least one"),
        ("a", (_SHED, _SHED), "same id"),
        ("a", tuple(Fact(text="a", id=f"{at}") for at in range(501)), messages.too_many_facts(501, MAX_FACTS)),
        ("a", (Fact(text="a" * (MAX_FACT_CHARS + 1), id="1"),), messages.facts_too_long(MAX_FACT_CHARS)),
        ("a" * (MAX_ANSWER_CHARS + 1), (_SHED,), messages.answer_too_long(MAX_ANSWER_CHARS)),
        (cited("1", text="a" * (MAX_ANSWER_CHARS + 1)), (_SHED,), messages.answer_too_long(MAX_ANSWER_CHARS)),
        ("It is. " * 100, (Fact(text="a" * 200_000, id="1"),), messages.too_much_to_check(100)),
    ],
)
def test_what_cannot_be_checked_says_what_to_give_instead(
    answer: str | Draft, facts: Sequence[Fact], told: str
) -> None:
    with pytest.raises(InvalidParams, match=re.escape(told)):
        prove_text(answer, facts)
