"""What the organising tool answered, as S1's result.

Law: the members are the spec's and no others; a saved answer's id is there when one was saved. What the answer is less
than was asked for is told beside it, never in it.

Source: spec rag-organize 2, flow 7; ruling A22.
"""

from typing import NotRequired, TypedDict

from voice.core.organise import OrganiseResult

ORGANISE_SCHEMA = "organise.schema.json"
SCORE_PLACES = 6


class OrganiseSourceForm(TypedDict):
    """A thought that was found."""

    thought_id: str
    similarity: float
    excerpt: str


class StagedForm(TypedDict):
    """What of the sources waits for review."""

    pending_entities: int
    pending_relationships: int


class OrganiseForm(TypedDict):
    """S1's result, exactly."""

    synthesized_answer: str
    saved_thought_id: NotRequired[str]
    sources: list[OrganiseSourceForm]
    staged: StagedForm
    marked_for_removal: int


def render_organised(organised: OrganiseResult) -> OrganiseForm:
    """Return the result (schema: schemas/organise.schema.json)."""
    saved = organised.saved_thought_id
    return OrganiseForm(
        synthesized_answer=organised.synthesized_answer,
        **({} if saved is None else {"saved_thought_id": saved}),
        sources=[
            OrganiseSourceForm(
                thought_id=source.thought_id,
                similarity=round(source.similarity, SCORE_PLACES),
                excerpt=source.excerpt,
            )
            for source in organised.sources
        ],
        staged=StagedForm(
            pending_entities=organised.pending_entities, pending_relationships=organised.pending_relationships
        ),
        marked_for_removal=organised.marked_for_removal,
    )
