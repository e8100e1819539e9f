"""What one rule alone catches, and what it alone flags wrongly.

Law: a draft is judged with all rules and once more without one; what changes is that rule's. Sentences are counted by
rung, each distinct one of a question once (the drafts to one question share sentences); drafts by whether they are
shown without a mark. A rule that proves catches true sentences, and its false alarms are false ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from typing import Final

from bench.admission.rules import ORDERS, RULES, Rule
from bench.admission.verifiers import VERIFIERS
from bench.drafts.judging import POLICY, Told, is_proven, outcome_of, told_of
from bench.drafts.reading import DraftCase, Labelled
from bench.drafts.verdicts import Replies, is_of
from bench.grounding import Item
from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.judge import judge
from voice.core.grounding.proof import Proof, ProofContext, prove
from voice.core.grounding.quotations import reads_as_instruction
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Stance

PAYS: Final = 3
"""So many times as much as it flags wrongly a rule has to catch."""


@dataclass(slots=True)
class Line:
    """One rule's line in the table: the distinct sentences, or the drafts, that it alone decides."""

    catches: set[str] = field(default_factory=set[str])
    false_alarms: set[str] = field(default_factory=set[str])

    def count(self, key: str, *, is_right: bool) -> None:
        """Note something that the rule alone decides."""
        (self.catches if is_right else self.false_alarms).add(key)

    @property
    def pays(self) -> bool:
        """Whether it catches enough for what it flags wrongly."""
        return bool(self.catches) and len(self.catches) >= PAYS * len(self.false_alarms)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What became of a draft."""

    told: tuple[Told, ...]
    is_shown: bool


def measure(cases: Sequence[DraftCase], replay: Replies | None = None) -> dict[str, Line]:
    """Return each rule's line over some drafts.

    Args:
        cases: labelled drafts; those under dispute and those that refuse are passed over.
        replay: who answers in the place of each rule's own verifier.
    """
    lines = {rule.name: Line() for rule in (*RULES, ORDERS)}
    for case in cases:
        if not case.is_disputed and not case.draft.refused:
            _look(case, lines, replay)
    return lines


def _look(case: DraftCase, lines: dict[str, Line], replay: Replies | None) -> None:
    proof = prove(case.draft, case.rows, ProofContext(question=case.question, now=case.now))
    for beside, rules in groupby(sorted(RULES, key=lambda rule: rule.beside), key=lambda rule: rule.beside):
        replies = VERIFIERS[beside] if replay is None or beside == "nobody" else replay
        whole = _seen(case, proof, replies)
        for rule in rules:
            without = rule.without(proof)
            if _could_matter(rule, proof, without):
                _compare(case, rule, whole, _seen(case, without, replies, rule), lines[rule.name])
    for one, label in _kept_back_as_orders(case, proof):
        lines[ORDERS.name].count(one, is_right=not label)


def _could_matter(rule: Rule, proof: Proof, without: Proof) -> bool:
    return rule.is_of_replies or any(a is not b for a, b in zip(proof.sentences, without.sentences, strict=True))


def _seen(case: DraftCase, proof: Proof, replies: Replies, rule: Rule | None = None) -> _Seen:
    asked = verification_request(proof, question=case.question, today=case.today)
    reply = replies(case, asked) if asked else None
    if rule is not None:
        reply = rule.unheard(proof, reply)
    response = judge(proof, POLICY, stance=case.stance, reply=reply, verifier="tried", digest=lambda text: text)
    told = told_of(proof, response)
    return _Seen(told=told, is_shown=outcome_of(case, response, told) == "clean")


def _compare(case: DraftCase, rule: Rule, whole: _Seen, without: _Seen, line: Line) -> None:
    if rule.effect == "refuses":
        if without.is_shown and not whole.is_shown:
            line.count(case.draft_id, is_right=case.label == "wrong")
        return
    for one in case.sentences:
        before, after = _is_ticked(one, without), _is_ticked(one, whole)
        if one.is_true is not None and before != after:
            line.count(f"{case.question}\n{one.text}", is_right=one.is_true is (rule.effect == "proves"))


def _is_ticked(sentence: Labelled, seen: _Seen) -> bool:
    return any(is_proven(one) for one in seen.told if is_of(one.text, sentence.text))


def _kept_back_as_orders(case: DraftCase, proof: Proof) -> Iterator[tuple[str, bool]]:
    """Yield the sentences that rest on nothing but rows that read like orders, with whether they are true."""
    for one in proof.sentences:
        if one.rows and all(reads_as_instruction(row) for row in one.rows):
            sentence = next((each for each in case.sentences if is_of(one.text, each.text)), None)
            if sentence is not None and sentence.is_true is not None:
                yield f"{case.question}\n{one.text}", sentence.is_true


def as_case(item: Item, number: int) -> DraftCase:
    """Return a labelled answer of `grounding-bench/1` as a draft of one sentence that cites every source whole."""
    sources = tuple(DraftSource(source_id=row.alias, span=row.text) for row in item.evidence)
    is_true = not item.is_unsupported
    return DraftCase(
        draft_id=f"{item.set_name} {number}",
        question=item.question,
        stance=Stance.SYNTHESIZE,
        today=_TODAY,
        rows=item.evidence,
        draft=Draft(sentences=(DraftSentence(text=item.answer, sources=sources),)),
        sentences=(
            Labelled(text=item.answer, kind="claim", sources=sources, is_true=is_true, error_kind=item.set_name),
        ),
        label="right" if is_true else "wrong",
        style=None,
        error_kind=None if is_true else item.set_name,
        is_disputed=False,
    )


_TODAY: Final = date(2024, 1, 1)
