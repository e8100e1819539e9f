"""Evidence and drafts for the tests of grounding, with everything that does not matter filled in."""

from datetime import UTC, datetime

from voice.core.grounding.judge import judge
from voice.core.grounding.proof import ProofContext, prove
from voice.core.grounding.values import (
    Draft,
    DraftSentence,
    DraftSource,
    Evidence,
    GroundedResponse,
    GroundingPolicy,
    SentenceKind,
    Stance,
)
from voice.core.grounding.verifier_values import ClaimOpinion, ClaimVerdict, DecidingWords, VerificationReply
from voice.core.records import TrustTier
from voice.core.text.normalise import content_hash

SAID_ON = datetime(2023, 5, 8, 12, tzinfo=UTC)
UNDATED = datetime(1, 1, 1, tzinfo=UTC)
QUESTION = "Where do I live and what does it cost?"


def row(
    alias: str,
    text: str,
    *,
    speaker: str | None = None,
    at: datetime = SAID_ON,
    trust: TrustTier = TrustTier.GREEN,
    thoughts: tuple[str, ...] | None = None,
    row_id: str | None = None,
    names: tuple[str, ...] = (),
    relevance: float = 0.5,
    context: str | None = None,
    until: datetime | None = None,
    replaced_by: str | None = None,
) -> Evidence:
    return Evidence(
        alias=alias,
        row_id=row_id or f"o:{alias.lower()}",
        source_type="kg_observation",
        text=text,
        shown=text,
        content_hash=content_hash(text),
        trust=trust,
        created_at=at,
        thought_ids=(f"t:{alias.lower()}",) if thoughts is None else thoughts,
        entity_names=names,
        speaker=speaker,
        relevance=relevance,
        score=relevance,
        context=context,
        valid_until=until,
        superseded_by=replaced_by,
    )


MOVE = row("S1", "I moved to Stockholm in March 2021 with my sister Anna.")
RENT = row("S2", "The flat in Stockholm costs 1,400 euros a month.")
WINTER = row("S3", "Anna does not like the winters in Stockholm.")
MEMORY = (MOVE, RENT, WINTER)
GOOD = "You moved to Stockholm in March 2021 with your sister Anna. The flat in Stockholm costs 1,400 euros a month."
CITED = (("S1", "I moved to Stockholm in March 2021"), ("S2", "The flat in Stockholm costs 1,400 euros a month."))
QUOTED = "You moved to Stockholm in March 2021 with your sister Anna."
GREEN_ALONE = GroundingPolicy(single_source="green")


def draft(
    answer: str, *sources: tuple[str, str], refused: bool = False, reported: tuple[tuple[str, str], ...] = ()
) -> Draft:
    """Return a draft in S2's form: one piece that cites all sources."""
    cited = tuple(DraftSource(source_id=alias, span=span) for alias, span in sources)
    return Draft(sentences=(DraftSentence(text=answer, sources=cited),), refused=refused, self_reported=reported)


def says(text: str, *cited: tuple[str, str], kind: SentenceKind = "claim") -> DraftSentence:
    """Return one sentence of a draft with what it cites."""
    return DraftSentence(text=text, kind=kind, sources=tuple(DraftSource(source_id=a, span=b) for a, b in cited))


FIRST = says(QUOTED, ("S1", "I moved to Stockholm"))
PARAPHRASE = says("The rent there is 1,400 euros.", CITED[1])
INVENTED = says("It has a sauna.", CITED[1])


def judged(
    answer: str | tuple[DraftSentence, ...],
    *sources: tuple[str, str],
    memory: tuple[Evidence, ...] = MEMORY,
    policy: GroundingPolicy | None = None,
    context: ProofContext | None = None,
    stance: Stance = Stance.SYNTHESIZE,
    reply: VerificationReply | None = None,
) -> GroundedResponse:
    """Return the judgement on an answer; `reply` is what a verifier said of what is not quoted."""
    written = draft(answer, *sources) if isinstance(answer, str) else Draft(sentences=answer)
    proof = prove(written, memory, context or ProofContext(question=QUESTION))
    return judge(proof, policy or GroundingPolicy(), stance=stance, reply=reply, verifier="test-1")


def opinion(number: int, verdict: ClaimVerdict, *words: tuple[str, str], doubt: int | None = None) -> ClaimOpinion:
    """Return a verifier's opinion with the words that decide it."""
    found = tuple(DecidingWords(alias=alias, words=text, doubt=doubt) for alias, text in words)
    return ClaimOpinion(number=number, verdict=verdict, words=found)


def replied(*opinions: ClaimOpinion, answers: bool | None = True) -> VerificationReply:
    """Return a verifier's reply."""
    return VerificationReply(opinions=opinions, answers_question=answers)


def judge_composed(
    composed: Draft,
    rows: tuple[Evidence, ...] | list[Evidence],
    policy: GroundingPolicy,
    *,
    question: str,
    stance: Stance = Stance.SYNTHESIZE,
    now: datetime | None = None,
) -> GroundedResponse:
    """Return the judgement on a draft that rules composed of the evidence."""
    context = ProofContext(question=question, now=now, by_model=False)
    return judge(prove(composed, rows, context), policy, stance=stance)


def answer_of(composed: Draft) -> str:
    """Return the text of a draft."""
    return "".join(f" {one.text}" if one.text == one.text.lstrip() else one.text for one in composed.sentences).strip()


def sources_of(composed: Draft) -> tuple[DraftSource, ...]:
    """Return what a draft cites, each once, in order."""
    return tuple(dict.fromkeys(source for sentence in composed.sentences for source in sentence.sources))
