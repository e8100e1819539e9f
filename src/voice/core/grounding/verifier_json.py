"""The verifier's JSON request and reply, and their schemas.

Law: a reply is validated here, whatever the provider promised. Only `OpinionMalformed` is raised; its message contains
no word of the reply. Files: `schemas/verify.request.schema.json`, `schemas/verify.reply.schema.json`.
Source: DESIGN 6 "The verifier"; rulings A3, D8.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, cast

from voice.core.errors import OpinionMalformed
from voice.core.grounding.reply import without_thinking
from voice.core.grounding.verifier_values import (
    ClaimOpinion,
    ClaimToVerify,
    ClaimVerdict,
    DecidingWords,
    VerificationReply,
    VerificationRequest,
)
from voice.core.messages import asking as messages

_VERDICTS: Final[tuple[ClaimVerdict, ...]] = ("supported", "contradicted", "not_stated", "no_claim")
VERDICT_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "words": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "source_id": {"type": "string"},
                                "words": {"type": "string"},
                                "doubt": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                            },
                            "required": ["source_id", "words", "doubt"],
                            "additionalProperties": False,
                        },
                    },
                    "verdict": {"type": "string", "enum": list(_VERDICTS)},
                },
                "required": ["number", "words", "verdict"],
                "additionalProperties": False,
            },
        },
        "answers_question": {"type": "boolean"},
    },
    "required": ["claims", "answers_question"],
    "additionalProperties": False,
}
"""Schema of the reply; words precede the verdict, so that a model quotes before it decides."""
_MAX_REPLY_CHARS = 200_000
_MAX_WORDS = 24


def request_json(asked: VerificationRequest) -> dict[str, object]:
    """Return a request as JSON values."""
    return {
        "question": asked.question,
        "today": asked.today.isoformat() if asked.today else None,
        "sources": [
            {
                "source_id": passage.alias,
                "date": passage.day.isoformat() if passage.day else None,
                "until": passage.until.isoformat() if passage.until else None,
                "speaker": passage.speaker,
                "context": passage.context,
                "text": passage.text,
            }
            for passage in asked.passages
        ],
        "answer": asked.answer,
        "claims": [_claim_json(claim) for claim in asked.claims],
    }


def _claim_json(claim: ClaimToVerify) -> dict[str, object]:
    """Return a claim; own question and date only if it has them."""
    own = {"question": claim.question, "today": claim.today.isoformat() if claim.today else None}
    return {
        "number": claim.number,
        "text": claim.text,
        "is_question": claim.is_question,
        "cites": list(claim.cited),
        "doubts": list(claim.doubts),
        **({} if claim.question is None else own),
    }


def parse_reply(text: str, wanted: int) -> VerificationReply:
    """Parse a verifier's reply.

    Args:
        wanted: the number of claims asked about.

    Raises:
        OpinionMalformed: wrong shape, or not exactly one verdict for each claim.
    """
    value = _object_in(text)
    items = value.get("claims")
    opinions = [_opinion(item) for item in cast("list[object]", items)] if isinstance(items, list) else []
    if sorted(one.number for one in opinions) != list(range(1, wanted + 1)):
        raise OpinionMalformed(messages.OPINION_CLAIMS)
    answers = value.get("answers_question")
    return VerificationReply(opinions=tuple(opinions), answers_question=answers if isinstance(answers, bool) else None)


def _object_in(text: str) -> Mapping[str, object]:
    body = without_thinking(text[:_MAX_REPLY_CHARS])
    try:
        value = cast("object", json.loads(body[max(0, body.find("{")) : body.rfind("}") + 1]))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise OpinionMalformed(messages.OPINION_NOT_JSON)
    return cast("Mapping[str, object]", value)


def _opinion(item: object) -> ClaimOpinion:
    fields = _members(item)
    number, words = _number(fields.get("number")), fields.get("words")
    verdict: ClaimVerdict | None = next((each for each in _VERDICTS if each == fields.get("verdict")), None)
    if number is None or verdict is None:
        raise OpinionMalformed(messages.OPINION_SHAPE)
    listed = cast("Sequence[object]", words) if isinstance(words, list) else ()
    found = (_words(each) for each in listed[:_MAX_WORDS])
    return ClaimOpinion(number=number, verdict=verdict, words=tuple(one for one in found if one is not None))


def _words(item: object) -> DecidingWords | None:
    """Parse one deciding span; None if malformed."""
    fields = _members(item)
    alias, words, doubt = fields.get("source_id"), fields.get("words"), fields.get("doubt")
    if not isinstance(alias, str) or not isinstance(words, str) or not words.strip():
        return None
    return DecidingWords(alias=alias.strip(), words=words, doubt=_number(doubt))


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _members(item: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", item) if isinstance(item, dict) else {}
