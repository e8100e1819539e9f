"""What becomes of one labelled draft, sentence by sentence.

Law: the judge is called as the program calls it, under one policy; only what it takes is timed, not what a verifier
takes. Every sentence keeps its rung, also in a draft that is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time
from typing import Final, Literal

from bench.drafts.reading import DraftCase, Labelled
from bench.drafts.verdicts import Answer, Replies, is_of
from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.judge import judge
from voice.core.grounding.proof import Proof, ProofContext, prove
from voice.core.grounding.values import PROVEN, GroundedResponse, GroundingPolicy, Rung
from voice.core.grounding.verifier_values import VerificationRequest

Outcome = Literal["clean", "cut", "marked", "refused"]
OFF_TOPIC: Final = "off_topic"
POLICY: Final = GroundingPolicy(single_source="green")
UNMARKED: Final[frozenset[Rung]] = frozenset((*PROVEN, "remark"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One sentence as the judge took it, with its rung; None where the draft was refused unread."""

    text: str
    rung: Rung | None
    score: float
    has_sources: bool
    is_shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDraft:
    """A draft with what became of it."""

    case: DraftCase
    told: tuple[Told, ...]
    outcome: Outcome
    reason: str | None
    """Why it was refused."""
    asked: VerificationRequest | None
    reply: Answer
    cpu_ms: float

    def pieces_of(self, sentence: Labelled) -> list[Told]:
        """Return what the judge made one sentence of the draft into."""
        return [one for one in self.told if is_of(one.text, sentence.text)]


def judged(case: DraftCase, replies: Replies, *, policy: GroundingPolicy = POLICY) -> JudgedDraft:
    """Return what the judge makes of a draft.

    Args:
        case: the labelled draft.
        replies: who answers what rules leave open.
        policy: what is grounded enough.
    """
    start = process_time()
    proof = prove(case.draft, case.rows, ProofContext(question=case.question, now=case.now))
    asked = verification_request(proof, question=case.question, today=case.today)
    before = process_time() - start
    reply = replies(case, asked) if asked else None
    start = process_time()
    response = judge(proof, policy, stance=case.stance, reply=reply, verifier="replay", digest=_readable)
    cpu = before + process_time() - start
    told = told_of(proof, response)
    return JudgedDraft(
        case=case,
        told=told,
        outcome=outcome_of(case, response, told),
        reason=response.reason.value if response.reason else None,
        asked=asked,
        reply=reply,
        cpu_ms=1000 * cpu,
    )


def _readable(text: str) -> str:
    """Return the words of a sentence that is cut, where the program keeps their hash: nothing of this is stored."""
    return text


def told_of(proof: Proof, response: GroundedResponse) -> tuple[Told, ...]:
    """Return the sentences of a proof with the rungs that a response gave them."""
    shown: list[Rung] = [one.rung for one in response.sentences]
    cut: dict[str, Rung] = {one.digest: one.rung for one in response.cut}
    told: list[Told] = []
    at = 0
    for one in proof.sentences:
        is_cut = one.text in cut and not (at < len(shown) and response.sentences[at].text == one.text)
        rung = cut[one.text] if is_cut else shown[at] if at < len(shown) else None
        at += not is_cut
        told.append(
            Told(
                text=one.text,
                rung=rung,
                score=one.score,
                has_sources=bool(one.citations.accepted),
                is_shown=not is_cut and not response.refused,
            )
        )
    return tuple(told)


def outcome_of(case: DraftCase, response: GroundedResponse, told: Sequence[Told]) -> Outcome:
    """Return what a reader sees of a draft, as one word."""
    if response.refused:
        return "refused"
    is_clean = _is_wrong_and_shown(case, told) if case.label == "wrong" else _is_whole(told)
    if is_clean:
        return "clean"
    return "cut" if any(not one.is_shown for one in told) else "marked"


def _is_whole(told: Sequence[Told]) -> bool:
    return all(one.is_shown and one.rung in UNMARKED for one in told)


def _is_wrong_and_shown(case: DraftCase, told: Sequence[Told]) -> bool:
    """Return whether what is wrong about an accepted draft stands in the answer without a mark.

    What is false of it, where that is labelled; the whole of it where only the draft is labelled; and of a draft that
    is all true and answers something else nothing has to be looked at.
    """
    false = [one for one in case.sentences if one.is_true is False]
    if false:
        return any(is_shown_as_true([each for each in told if is_of(each.text, one.text)]) for one in false)
    return bool(case.sentences) or case.error_kind == OFF_TOPIC or _is_whole(told)


def is_shown_as_true(pieces: Sequence[Told]) -> bool:
    """Return whether a sentence is shown as proven: a part of it is, or nothing of it wears a mark."""
    proven = any(one.is_shown and one.rung in PROVEN for one in pieces)
    return proven or (bool(pieces) and _is_whole(pieces))


def is_proven(one: Told) -> bool:
    """Return whether a sentence reached a proven rung, whatever became of its draft."""
    return one.rung in PROVEN
