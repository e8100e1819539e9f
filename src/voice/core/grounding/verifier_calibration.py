"""Calibrate a verifier on claims whose truth is known.

Law: a verifier is tried with the requests and the decision rule of a turn. It never sees label, id or kind, and never
both claims of a pair in one call, because one would reveal the other.
Source: DESIGN 6 "Calibration"; promise 8.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from itertools import zip_longest
from typing import Final, TypedDict

from voice.core.grounding.claim_verification import claim_of, decide_rung, passage_of
from voice.core.grounding.proof import Proof, ProofContext, ProvenSentence, prove
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence
from voice.core.grounding.verifier_values import CalibrationRecord, ClaimOpinion, VerificationReply, VerificationRequest
from voice.core.records import TrustTier
from voice.core.text.instants import UNDATED
from voice.core.text.normalise import content_hash

CLAIMS_A_CALL: Final = 12  # an automatic calibration takes eight calls
AUTOMATIC: Final = 96
"""Claims of an automatic calibration: half of them false, all kinds, one of each pair."""
# A remark is shown as well: a verifier that calls a false claim a remark lets it pass.
_SHOWN_AS_TRUE: Final = frozenset({"quoted", "verified", "remark"})


class _Source(TypedDict):
    text: str
    date: str | None
    speaker: str | None
    context: str | None


class _Line(TypedDict):
    pair: str
    kind: str
    language: str
    question: str
    today: str
    sources: list[_Source]
    claim: str
    supported: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledClaim:
    """One claim with its passages and its truth."""

    pair: str
    kind: str
    language: str
    question: str = field(repr=False)
    today: date
    rows: tuple[Evidence, ...] = field(repr=False)
    text: str = field(repr=False)
    is_true: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One call of a calibration."""

    claims: tuple[LabelledClaim, ...]
    proofs: tuple[Proof, ...] = field(repr=False)
    """The rules' findings on each claim."""
    asked: VerificationRequest = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationTally:
    """Counts of judged claims, of one kind or all."""

    false_claims: int = 0
    false_supported: int = 0
    true_claims: int = 0
    true_doubted: int = 0
    unanswered: int = 0

    def __add__(self, other: "CalibrationTally") -> "CalibrationTally":
        """Return the sum of both."""
        return CalibrationTally(
            false_claims=self.false_claims + other.false_claims,
            false_supported=self.false_supported + other.false_supported,
            true_claims=self.true_claims + other.true_claims,
            true_doubted=self.true_doubted + other.true_doubted,
            unanswered=self.unanswered + other.unanswered,
        )

    @property
    def false_support(self) -> float:
        """Share of false claims that passed; 0 if there are none."""
        return round(self.false_supported / self.false_claims, 4) if self.false_claims else 0.0

    @property
    def false_doubt(self) -> float:
        """Share of true claims that did not pass; 0 if there are none."""
        return round(self.true_doubted / self.true_claims, 4) if self.true_claims else 0.0


def labelled_claims(text: str) -> tuple[LabelledClaim, ...]:
    """Parse a calibration file, one JSON object per line."""
    return tuple(_claim(json.loads(line)) for line in text.splitlines() if line.strip())


def short_selection(claims: Sequence[LabelledClaim]) -> tuple[LabelledClaim, ...]:
    """Select a subset: one claim per pair, alternating true and false, round-robin over kinds, in file order."""
    by_kind: dict[str, list[str]] = {}
    for one in claims:
        pairs = by_kind.setdefault(one.kind, [])
        if one.pair not in pairs:
            pairs.append(one.pair)
    turns = zip_longest(*by_kind.values())  # one pair of each kind, then the next of each
    # Half of them are false, of each kind and in each turn: a verifier that says yes to everything must fail.
    wanted = [(pair, (turn + kind) % 2 == 0) for turn, row in enumerate(turns) for kind, pair in enumerate(row) if pair]
    truth = dict(wanted[:AUTOMATIC])
    return tuple(one for one in claims if truth.get(one.pair) is one.is_true)


def trials(claims: Iterable[LabelledClaim]) -> tuple[Trial, ...]:
    """Group claims into calls of at most `CLAIMS_A_CALL`, never both of a pair."""
    calls: list[list[LabelledClaim]] = []
    for one in claims:
        if not calls or len(calls[-1]) == CLAIMS_A_CALL or any(other.pair == one.pair for other in calls[-1]):
            calls.append([])
        calls[-1].append(one)
    return tuple(map(_trial, calls))


def tally_trial(trial: Trial, reply: VerificationReply | None) -> Mapping[str, CalibrationTally]:
    """Tally a call's claims by kind; `reply` None: nothing usable."""
    opinions = {one.number: one for one in reply.opinions} if reply else {}
    found: dict[str, CalibrationTally] = {}
    number = 0
    for claim, proof in zip(trial.claims, trial.proofs, strict=True):
        told = [(one, opinions.get(at)) for at, one in enumerate(proof.sentences, number + 1)]
        number += len(told)
        found[claim.kind] = found.get(claim.kind, CalibrationTally()) + _judged(claim, told)
    return found


def merge_tallies(parts: Iterable[Mapping[str, CalibrationTally]]) -> Mapping[str, CalibrationTally]:
    """Merge tallies, sorted by kind."""
    found: dict[str, CalibrationTally] = {}
    for part in parts:
        for kind, one in part.items():
            found[kind] = found.get(kind, CalibrationTally()) + one
    return dict(sorted(found.items()))


def record_of(by_kind: Mapping[str, CalibrationTally], *, verifier: str, checked_on: date) -> CalibrationRecord:
    """Build the record to keep."""
    total = sum(by_kind.values(), CalibrationTally())
    return CalibrationRecord(
        verifier=verifier,
        checked_on=checked_on,
        claims=total.false_claims + total.true_claims + total.unanswered,
        unanswered=total.unanswered,
        false_support=total.false_support,
        false_doubt=total.false_doubt,
    )


def _claim(line: _Line) -> LabelledClaim:
    return LabelledClaim(
        pair=line["pair"],
        kind=line["kind"],
        language=line["language"],
        question=line["question"],
        today=date.fromisoformat(line["today"]),
        rows=tuple(map(_row, line["sources"])),
        text=line["claim"],
        is_true=line["supported"],
    )


def _row(source: _Source) -> Evidence:
    day = source["date"]
    return Evidence(
        alias="",
        row_id="",
        source_type="kg_observation",
        text=source["text"],
        shown=source["text"],
        content_hash=content_hash(source["text"]),
        trust=TrustTier.GREEN,
        created_at=datetime.combine(date.fromisoformat(day), time(), UTC) if day else UNDATED,
        speaker=source["speaker"],
        context=source["context"],
    )


def _trial(claims: Sequence[LabelledClaim]) -> Trial:
    rows: list[Evidence] = []
    proofs: list[Proof] = []
    open_claims: list[tuple[LabelledClaim, ProvenSentence]] = []
    for claim in claims:
        own = tuple(
            # Aliases count on through the call: the rows of all its claims are in one request.
            replace(row, alias=f"S{number}", row_id=f"c{number}")
            for number, row in enumerate(claim.rows, len(rows) + 1)
        )
        rows.extend(own)
        proofs.append(_proof(claim, own))
        open_claims += [(claim, one) for one in proofs[-1].sentences]
    asked = VerificationRequest(
        question="",  # each claim has its own
        today=None,
        claims=tuple(
            replace(claim_of(number, one), question=claim.question, today=claim.today)
            for number, (claim, one) in enumerate(open_claims, 1)
        ),
        passages=tuple(map(passage_of, rows)),
    )
    return Trial(claims=tuple(claims), proofs=tuple(proofs), asked=asked)


def _proof(claim: LabelledClaim, rows: Sequence[Evidence]) -> Proof:
    sources = tuple(DraftSource(source_id=row.alias, span="") for row in rows)
    draft = Draft(sentences=(DraftSentence(text=claim.text, sources=sources),))
    now = datetime.combine(claim.today, time(12), UTC)  # noon: the same day in nearly every zone
    return prove(draft, rows, ProofContext(question=claim.question, now=now))


def _judged(claim: LabelledClaim, told: Sequence[tuple[ProvenSentence, ClaimOpinion | None]]) -> CalibrationTally:
    if any(opinion is None for _, opinion in told):  # unusable, and counted apart: neither right nor wrong
        return CalibrationTally(unanswered=1)
    passes = all(decide_rung(one, opinion, today=claim.today).rung in _SHOWN_AS_TRUE for one, opinion in told)
    if claim.is_true:
        return CalibrationTally(true_claims=1, true_doubted=int(not passes))
    return CalibrationTally(false_claims=1, false_supported=int(passes))
