"""The rules that are left, each with a way to take it out, the verifier it is tried beside, and the promise it guards.

Law: a rule is taken out by changing values between two steps of the judge (what the rules found, what the verifier
said), never by reaching into one. What is measured is the difference that the rule alone makes, all others in force.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from bench.drafts.verdicts import Answer
from voice.core.grounding.proof import Proof, ProvenSentence
from voice.core.grounding.verifier_values import DecidingWords

Effect = Literal["proves", "stops", "refuses"]
WithoutProof = Callable[[Proof], Proof]
WithoutReply = Callable[[Proof, Answer], Answer]


def _same_proof(proof: Proof) -> Proof:
    return proof


def _same_reply(proof: Proof, reply: Answer) -> Answer:
    del proof
    return reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the judge."""

    name: str
    effect: Effect
    """Whether it lifts a sentence, keeps one from being proven, or refuses a whole draft."""
    beside: str
    """The verifier that leaves the decision to it (`bench.admission.verifiers`)."""
    promise: str | None = None
    """The requirement that it guards, and for which it stays whatever it costs."""
    without: WithoutProof = _same_proof
    unheard: WithoutReply = _same_reply

    @property
    def is_of_replies(self) -> bool:
        """Whether it is about what a verifier said."""
        return self.unheard is not _same_reply


def _each(change: Callable[[ProvenSentence], ProvenSentence]) -> WithoutProof:
    return lambda proof: replace(proof, sentences=tuple(change(one) for one in proof.sentences))


def _guard(flag: str) -> Rule:
    def undoubted(one: ProvenSentence) -> ProvenSentence:
        left = tuple(doubt for doubt in one.doubts if doubt.flag != flag)
        return one if left == one.doubts else replace(one, doubts=left)

    return Rule(name=f"guard: {flag}", effect="stops", beside="credulous", without=_each(undoubted))


def _unquoted(one: ProvenSentence) -> ProvenSentence:
    return replace(one, quoted=()) if one.quoted else one


def _unended(one: ProvenSentence) -> ProvenSentence:
    return replace(one, ended=None) if one.ended else one


def _believed(status: str) -> Callable[[ProvenSentence], ProvenSentence]:
    def change(one: ProvenSentence) -> ProvenSentence:
        left = tuple(span for span in one.citations.rejected if span.status != status)
        same = left == one.citations.rejected
        return one if same else replace(one, citations=one.citations._replace(rejected=left))

    return change


def _anywhere(proof: Proof, reply: Answer) -> Answer:
    """Return a reply that rests on the whole of what is cited, whatever words it gave."""
    if reply is None:
        return None
    opened = [one for one in proof.sentences if not one.is_quoted]
    return replace(
        reply,
        opinions=tuple(
            replace(
                opinion,
                words=tuple(DecidingWords(alias=row.alias, words=row.text) for row in opened[opinion.number - 1].rows),
            )
            for opinion in reply.opinions
        ),
    )


def _whatever_it_answers(proof: Proof, reply: Answer) -> Answer:
    del proof
    return None if reply is None else replace(reply, answers_question=None)


RULES: Final[tuple[Rule, ...]] = (
    Rule(name="quotation", effect="proves", beside="nobody", promise="grounding:quoted", without=_each(_unquoted)),
    _guard("number"),
    _guard("date"),
    _guard("name"),
    _guard("identifier"),
    Rule(name="ended", effect="stops", beside="nobody", promise="grounding:ended", without=_each(_unended)),
    Rule(
        name="deciding words must be there",
        effect="stops",
        beside="careless",
        promise="grounding:verified",
        unheard=_anywhere,
    ),
    Rule(
        name="citation of an unknown source",
        effect="refuses",
        beside="credulous",
        promise="ruling:D4",
        without=_each(_believed("unknown_source")),
    ),
    Rule(
        name="citation of invented words",
        effect="refuses",
        beside="credulous",
        promise="ruling:D1",
        without=_each(_believed("fabricated_span")),
    ),
    Rule(
        name="answer to another question",
        effect="refuses",
        beside="honest",
        promise="ruling:D5",
        unheard=_whatever_it_answers,
    ),
)
"""Those that can be measured one by one; `ORDERS` is counted where it fires."""
ORDERS: Final = Rule(name="rows that read like orders", effect="stops", beside="credulous", promise="ruling:D22")
