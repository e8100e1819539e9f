"""What a verifier is sent and what is read of its reply.

What is published of a verifier's request and reply is what is sent and asked for.
"""

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from grounding_rows import MOVE, RENT, opinion, row, says
from told_events import SCHEMAS, require_schema
from voice.adapters.files.packaged_data import calibration_claims
from voice.core.errors import OpinionMalformed
from voice.core.grounding.claim_verification import (
    MAX_CLAIMS,
    VERDICT_SCHEMA,
    parse_reply,
    request_json,
    verification_request,
)
from voice.core.grounding.proof import ProofContext, prove
from voice.core.grounding.values import Draft
from voice.core.grounding.verifier_calibration import trials
from voice.core.grounding.verifier_values import CitedPassage, ClaimToVerify, DecidingWords, VerificationRequest
from voice.core.messages import asking as messages
from voice.testing.verifiers import ASKED, verdicts_verbatim

TODAY = date(2024, 1, 2)
OTHER = says("The rent there is 1,500 euros.", ("S2", RENT.text))
ASKS = says("Why did you leave Berlin?", ("S1", MOVE.text), kind="question")


def wanted(*sentences: object, memory: tuple[object, ...] = (MOVE, RENT)) -> VerificationRequest | None:
    drafted = Draft(sentences=sentences)  # pyright: ignore[reportArgumentType]
    proof = prove(drafted, memory, ProofContext(question="What?", now=datetime(2024, 1, 2, tzinfo=UTC)))  # pyright: ignore[reportArgumentType]
    return verification_request(proof, question="What?", today=TODAY)


@pytest.mark.requirement("grounding:guards", "grounding:verifier:request")
def test_what_is_not_quoted_is_asked_about_with_the_whole_rows_it_cites() -> None:
    request = wanted(says(MOVE.text, ("S1", MOVE.text)), OTHER, ASKS)
    assert request is not None
    doubts, day = ("the cited passages do not give “1,500 euros”",), date(2023, 5, 8)
    assert request == VerificationRequest(
        question="What?",
        today=TODAY,
        claims=(
            ClaimToVerify(number=1, text=OTHER.text, cited=("S2",), doubts=doubts),
            ClaimToVerify(number=2, text=ASKS.text, cited=("S1",), doubts=request.claims[1].doubts, is_question=True),
        ),
        passages=tuple(CitedPassage(alias=each.alias, text=each.text, day=day) for each in (MOVE, RENT)),
        answer=f"{MOVE.text} {OTHER.text} {ASKS.text}",
    )


@pytest.mark.requirement("grounding:verifier:request")
def test_nothing_is_asked_where_all_is_quoted_or_nothing_can_be_lifted() -> None:
    assert wanted(says(MOVE.text, ("S1", MOVE.text))) is None
    assert wanted(OTHER, says("x y z", ("S9", "invented"))) is None
    assert wanted(says("You live in Stockholm.")) is None
    assert wanted(says(MOVE.text, ("S1", MOVE.text)), OTHER) is not None


def test_a_refused_draft_is_asked_about_by_nobody() -> None:
    proof = prove(Draft(refused=True), (MOVE,), ProofContext())
    assert verification_request(proof, question="", today=None) is None
    given = prove(Draft(sentences=(OTHER,)), (MOVE, RENT), ProofContext())
    assert verification_request(given, question="", today=None) is not None


def test_at_most_a_few_dozen_claims_are_asked_about_at_once() -> None:
    request = wanted(*(says(f"Claim number {n} is in other words.", ("S2", RENT.text)) for n in range(MAX_CLAIMS + 5)))
    assert request is not None
    assert len(request.claims) == MAX_CLAIMS


@pytest.mark.requirement("grounding:verifier:request")
def test_the_request_as_json_holds_day_end_speaker_and_place() -> None:
    dated = row("S1", "The rent is 640.", speaker="Ana", context="Flat › Rent", until=datetime(2023, 9, 1, tzinfo=UTC))
    request = wanted(says("It was 640 then.", ("S1", "The rent is 640.")), memory=(dated,))
    assert request is not None
    shown = request_json(request)
    assert shown["sources"] == [
        {
            "source_id": "S1",
            "date": "2023-05-08",
            "until": "2023-09-01",
            "speaker": "Ana",
            "context": "Flat › Rent",
            "text": "The rent is 640.",
        }
    ]
    assert shown["today"] == "2024-01-02"
    assert shown["answer"] == "It was 640 then."


@pytest.mark.requirement("grounding:verifier:request", "ruling:I1")
def test_a_verifier_reads_in_which_conversation_a_message_was_said() -> None:
    said = replace(row("S1", "The rent is 640.", speaker="Ana"), thread="whatsapp/Flat")
    request = wanted(says("It was 640 then.", ("S1", "The rent is 640.")), memory=(said,))
    assert request is not None
    assert [passage.context for passage in request.passages] == ["whatsapp/Flat"]


def reply(*claims: object, **more: object) -> str:
    return json.dumps({"claims": claims, "answers_question": True} | more)


SUPPORTED = {"number": 1, "verdict": "supported", "words": [{"source_id": "S1", "words": "x y", "doubt": None}]}


@pytest.mark.requirement("grounding:verifier:reply")
def test_a_reply_is_read_with_its_words_and_what_it_says_of_the_question() -> None:
    said = (
        f"<think>hm</think>As {{S1: {{x}}}}:\n```json\n{reply(SUPPORTED, answers_question=False)}\n```\nSo {{{{y}}}}."
    )
    read = parse_reply(said, 1)
    assert read.answers_question is False
    assert read.opinions == (opinion(1, "supported", ("S1", "x y")),)


def test_no_word_on_the_question_is_no_opinion_on_it() -> None:
    assert parse_reply(reply(SUPPORTED, answers_question=None), 1).answers_question is None
    assert parse_reply(reply(SUPPORTED, answers_question=True), 1).answers_question is True


def test_words_of_another_shape_prove_nothing_and_break_nothing() -> None:
    odd = {**SUPPORTED, "words": ["x", {"source_id": 1, "words": "y"}, {"source_id": "S1", "words": "  "}]}
    assert parse_reply(reply(odd), 1).opinions[0].words == ()
    assert parse_reply(reply({**SUPPORTED, "words": "S1"}), 1).opinions[0].words == ()
    many = {**SUPPORTED, "words": [{"source_id": " S1 ", "words": "x", "doubt": True}] * 25}
    assert parse_reply(reply(many), 1).opinions[0].words == (DecidingWords(alias="S1", words="x"),) * 24


MALFORMED = {
    messages.OPINION_NOT_JSON: ("", "yes", "[]", "{}", "{" * 50_000, reply(SUPPORTED).rjust(200_001)),
    messages.OPINION_CLAIMS: (
        '{"claims": 3}',
        reply(),
        reply(SUPPORTED, SUPPORTED),
        reply(SUPPORTED | {"number": 2}),
    ),
    messages.OPINION_SHAPE: (
        *(reply(SUPPORTED | wrong) for wrong in ({"number": True}, {"number": "one"}, {"verdict": "probably"})),
        reply("supported"),
    ),
}


@pytest.mark.requirement("grounding:verifier:reply")
@pytest.mark.parametrize(("told", "text"), [(told, text) for told, texts in MALFORMED.items() for text in texts])
def test_a_reply_of_another_shape_is_no_opinion(told: str, text: str) -> None:
    with pytest.raises(OpinionMalformed, match=f"^{re.escape(told)}$"):
        parse_reply(text, 1)


_ABOUT = ("$schema", "$id", "title", "description")


def test_the_published_schema_of_a_reply_is_the_one_in_use() -> None:
    published = json.loads((SCHEMAS / "verify.reply.schema.json").read_text("utf-8"))
    said = {key: value for key, value in published.items() if key not in _ABOUT}
    assert said == json.loads(json.dumps(VERDICT_SCHEMA))


@pytest.mark.requirement("grounding:verifier:request")
def test_what_is_asked_of_a_draft_and_in_a_trial_obeys_it() -> None:
    for asked in (ASKED, *(trial.asked for trial in trials(calibration_claims()[:24]))):
        require_schema(json.loads(json.dumps(request_json(asked))), "verify.request")


@pytest.mark.requirement("grounding:verifier:reply")
def test_what_a_verifier_replies_obeys_it() -> None:
    asked = json.loads(json.dumps(request_json(ASKED)))
    require_schema(json.loads(verdicts_verbatim(asked)), "verify.reply")
