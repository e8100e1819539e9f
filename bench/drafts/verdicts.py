"""What a verifier is asked about drafts, kept in a file, and answered from one.

Law: a request is known by the hash of its JSON (the published `verify.request` schema), so that whoever answers the
same question answers it once. `{"key", "reply"}` is a line of such a file; `{"id", "verdicts", "answers_question"}` is
the other form, one verdict for each sentence of a draft from its cited rows alone: there the spans that the draft
itself cites stand as the words that decide, for doubts, too. What has no reply stays unverified, and is counted.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol, cast

from bench.drafts.reading import DraftCase, Labelled, lines_of
from voice.core.errors import DataFileError, OpinionMalformed
from voice.core.grounding.citations import without_markers
from voice.core.grounding.claim_verification import parse_reply, request_json
from voice.core.grounding.values import DraftSource
from voice.core.grounding.verifier_values import (
    ClaimOpinion,
    ClaimToVerify,
    ClaimVerdict,
    DecidingWords,
    VerificationReply,
    VerificationRequest,
)
from voice.core.text.normalise import strip_invisible

Answer = VerificationReply | None
Ask = Callable[[DraftCase, VerificationRequest], Answer]
_VERDICTS: Final[Mapping[str, ClaimVerdict]] = {
    "supported": "supported",
    "contradicted": "contradicted",
    "not_stated": "not_stated",
    "remark": "no_claim",
}


class Replies(Protocol):
    """Whoever answers a request."""

    def __call__(self, case: DraftCase, asked: VerificationRequest) -> Answer:
        """Return what is said to `asked`; None where nothing is."""
        ...


def key_of(asked: VerificationRequest) -> str:
    """Return the key under which a request and its reply are kept."""
    shown = json.dumps(request_json(asked), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(shown.encode()).hexdigest()


@dataclass(slots=True)
class Record:
    """The requests that were made, each once, with the drafts they belong to and what was said to them."""

    lines: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])

    def keep(self, case: DraftCase, asked: VerificationRequest, reply: Answer) -> None:
        """Keep a request, with the reply to it where there is one."""
        key = key_of(asked)
        line = self.lines.setdefault(key, {"key": key, "drafts": [], "request": request_json(asked)})
        cast("list[str]", line["drafts"]).append(case.draft_id)
        if reply is not None:
            line["reply"] = reply_json(reply)

    def write(self, path: Path) -> None:
        """Write what was kept, a line for each request.

        Raises:
            DataFileError: it cannot be written.
        """
        try:
            path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in self.lines.values()))
        except OSError as error:
            raise DataFileError(f"{path}: {error.strerror}") from error


@dataclass(slots=True)
class Replay:
    """Replies from files, by request and by draft."""

    by_key: dict[str, str] = field(default_factory=dict[str, str])
    by_draft: dict[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])
    malformed: int = 0
    """Replies that another shape than was asked for made void."""

    def __call__(self, case: DraftCase, asked: VerificationRequest) -> Answer:
        """Return the recorded reply; None where there is none."""
        kept = self.by_key.get(key_of(asked))
        if kept is not None:
            try:
                return parse_reply(kept, len(asked.claims))
            except OpinionMalformed:
                self.malformed += 1
                return None
        verdicts = self.by_draft.get(case.draft_id)
        return None if verdicts is None else by_sentence(case, asked, verdicts)


def read_replies(paths: Sequence[Path]) -> Replay:
    """Return the replies of some files; of two to the same request the last one holds.

    Raises:
        DataFileError: a file is not there or a line is of neither form; the message names the line.
    """
    replay = Replay()
    for path in paths:
        for number, line in enumerate(lines_of(path), 1):
            try:
                _read(replay, cast("dict[str, object]", json.loads(line)))
            except (ValueError, KeyError, TypeError) as error:
                raise DataFileError(f"{path}, line {number}: neither a reply nor verdicts on a draft") from error
    return replay


def _read(replay: Replay, value: dict[str, object]) -> None:
    if "key" in value:
        if value.get("reply") is not None:
            replay.by_key[str(value["key"])] = json.dumps(value["reply"])
        return
    for verdict in cast("list[str]", value["verdicts"]):
        _ = _VERDICTS[verdict]
    replay.by_draft[str(value["id"])] = value


def by_sentence(case: DraftCase, asked: VerificationRequest, value: Mapping[str, object]) -> Answer:
    """Return verdicts on a draft's sentences as a reply; None where they are not as many as its sentences."""
    verdicts = cast("list[str]", value["verdicts"])
    if len(verdicts) != len(case.sentences):
        return None
    said = list(zip(case.sentences, verdicts, strict=True))
    opinions = tuple(_opinion(claim, said, case.spans) for claim in asked.claims)
    answers = value.get("answers_question")
    return VerificationReply(
        opinions=tuple(one for one in opinions if one is not None),
        answers_question=answers if isinstance(answers, bool) else None,
    )


def _opinion(
    claim: ClaimToVerify, said: Sequence[tuple[Labelled, str]], spans: Sequence[DraftSource]
) -> ClaimOpinion | None:
    found = next(((one, verdict) for one, verdict in said if is_of(claim.text, one.text)), None)
    if found is None:
        return None
    one, verdict = found
    return ClaimOpinion(
        number=claim.number,
        verdict=_VERDICTS[verdict],
        words=tuple(
            DecidingWords(alias=source.source_id, words=source.span, doubt=doubt)
            for doubt in (None, *range(1, len(claim.doubts) + 1))
            for source in (one.sources or spans)
        ),
    )


def is_of(piece: str, sentence: str) -> bool:
    """Return whether `piece` is a sentence of a draft, or one of the sentences that it holds."""
    return piece.strip() in without_markers(strip_invisible(sentence))


def reply_json(reply: VerificationReply) -> dict[str, object]:
    """Return a reply in the form that a verifier gives it in."""
    return {
        "claims": [
            {
                "number": one.number,
                "words": [{"source_id": each.alias, "words": each.words, "doubt": each.doubt} for each in one.words],
                "verdict": one.verdict,
            }
            for one in reply.opinions
        ],
        "answers_question": reply.answers_question,
    }
