"""Evidence and drafts for the tests of grounding, with everything that does not matter filled in."""

from datetime import UTC, datetime

from voice.core.grounding.claims import Grounds
from voice.core.grounding.judge import judge
from voice.core.grounding.passages import all_passages
from voice.core.grounding.values import Draft, DraftSource, Evidence, GroundedResponse, GroundingPolicy, Stance
from voice.core.grounding.who import people_of
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
    )


MOVE = row("S1", "I moved to Stockholm in March 2021 with my sister Anna.")
RENT = row("S2", "The flat in Stockholm costs 1,400 euros a month.")
WINTER = row("S3", "Anna does not like the winters in Stockholm.")
MEMORY = (MOVE, RENT, WINTER)
GOOD = "You moved to Stockholm in March 2021. The flat costs 1,400 euros a month."
CITED = (("S1", "I moved to Stockholm in March 2021"), ("S2", "The flat in Stockholm costs 1,400 euros a month."))


def draft(
    answer: str, *sources: tuple[str, str], refused: bool = False, reported: tuple[tuple[str, str], ...] = ()
) -> Draft:
    cited = tuple(DraftSource(source_id=alias, span=span) for alias, span in sources)
    return Draft(answer=answer, sources=cited, refused=refused, self_reported=reported)


def judged(
    answer: str,
    *sources: tuple[str, str],
    memory: tuple[Evidence, ...] = MEMORY,
    policy: GroundingPolicy | None = None,
    question: str = QUESTION,
    stance: Stance = Stance.SYNTHESIZE,
) -> GroundedResponse:
    return judge(draft(answer, *sources), memory, policy or GroundingPolicy(), question=question, stance=stance)


def grounds(*rows: Evidence, asked: frozenset[str] = frozenset(), question: str = "") -> Grounds:
    passages = tuple(passage for one in rows for passage in all_passages(one))
    return Grounds(rows=rows, passages=passages, people=people_of(rows), asked=asked, question=question)
