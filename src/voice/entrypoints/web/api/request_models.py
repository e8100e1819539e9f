"""The models of request bodies and queries.

Law: a rim, so types are checked here and once (DESIGN 3). A body is strict: what is of another kind is refused, and so
is a member that does not exist. What a value may be beyond its kind is the services' to say. These models are also the
schemas of the OpenAPI document.

Source: DESIGN 8 Web; rulings A22, C16.
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from voice.core.report.values import Dimension
from voice.entrypoints.web.api.field_types import (
    Body,
    BodyInstant,
    Dimensions,
    Order,
    Query,
    QueryFlag,
    QueryInstant,
    QueryInteger,
    QueryShare,
    ReadScope,
    Tags,
    Text,
    turn_named,
)


class Ask(Body):
    """A question."""

    question: Text = Field(description="The question.")
    session: Text | None = Field(None, description="Go on in this session: its id, the start of one, or its topic.")
    new_topic: Text | None = Field(None, description="Start a new thread with this topic.")
    create: bool = Field(True, description="Start a thread where there is none to go on with, rather than fail.")
    stance: Literal["synthesize", "challenge", "question"] = Field(
        "synthesize", description="Answer, look for what speaks against, or ask back."
    )
    when: Text | None = Field(None, description='Only this time, in words: "last month".')
    limit: Annotated[int, Field(ge=1)] | None = Field(None, description="Consider at most so many rows.")
    order: Order | None = Field(None, description="How the sources of the shape `nlq` are ordered.")
    include_private: bool = Field(False, description="Let private rows in.")
    include_tags: Tags = Field((), description="Only rows with one of these tags.")
    exclude_tags: Tags = Field((), description="No rows with one of these tags.")
    scope: ReadScope = None
    as_of: BodyInstant | None = Field(None, description="Answer from what the memory knew then.")
    shape: Literal["full", "nlq"] = Field("full", description="The whole turn, or `{answer, sources}`.")
    explain: bool = Field(False, description="Add what was understood, found and shown to the model.")


class Retrieve(Body):
    """What is looked for; numbers out of range are put right, and the diagnostics say so."""

    query: str = Field(description="What to look for.")
    top_k: int | None = Field(None, description="How many snippets.")
    floor: float | None = Field(None, description="Least cosine similarity.")
    mix: float | None = Field(None, description="Share of the knowledge graph, 0 to 1.")
    limit: int | None = Field(None, description="As `top_k`, with the bounds of questions; one of the two.")
    order: Order | None = Field(None, description="How the chosen snippets are arranged.")
    when: Text | None = Field(None, description="Only this time, in words.")
    include_private: bool = Field(False, description="Let private rows in.")
    include_tags: Tags = Field((), description="Only rows with one of these tags.")
    exclude_tags: Tags = Field((), description="No rows with one of these tags.")
    scope: ReadScope = None
    provider: Text | None = Field(None, description="How candidates are found.")
    as_of: BodyInstant | None = Field(None, description="What the memory held at that moment.")
    lexical_only: bool = Field(False, description="Rank by words alone when the encoder is down.")
    rerank: bool = Field(False, description="Let the installed re-ranker read the best with the query and order them.")
    explain: bool = Field(False, description="Add the account of how the choice was made.")


class Recall(Body):
    """What is to be recalled."""

    query: str = Field(description="What to recall; an empty one returns pins and the current summary.")
    token_budget: int | None = Field(None, description="What everything together may take.")
    max_candidates: int | None = Field(None, description="How many candidates are weighed.")
    limit: int | None = Field(None, description="How many candidates are returned at most.")
    order: Order | None = Field(None, description="How the chosen candidates are arranged.")
    when: Text | None = Field(None, description="Candidates of this time only, in words.")
    now: BodyInstant | None = Field(None, description="The instant pins expire against and age is measured from.")
    scope: ReadScope = None
    provider: Text | None = Field(None, description="How candidates are found.")
    include_private: bool = Field(False, description="Let private rows in.")
    include_redacted: bool = Field(False, description="Show redacted rows, as `[redacted]`.")
    rerank: bool = Field(False, description="Let the installed re-ranker read the best with the query and order them.")


class FactSaid(Body):
    """One text that an answer may rest on."""

    text: str = Field(description="The text.")
    id: Text | None = Field(None, description="What citations call it; left out: its place from 1.")
    date: Text | None = Field(None, description="The day it was told, as 2024-03-05.")
    speaker: Text | None = Field(None, description="Who told it.")


class Check(Body):
    """An answer of anybody's, and the facts that it is held against."""

    answer: Text = Field(description="Plain text with markers such as `[1]` or `[id]`; without any each fact counts.")
    facts: Annotated[tuple[Text | FactSaid, ...], Field(min_length=1)] = Field(
        description="What it may rest on: texts, or objects with more about them."
    )
    question: str = Field("", description="What was asked; its words need no proof.")


class Remember(Body):
    """A thought. It came over HTTP, so its origin is `tool`: what it says waits for review before it is a source."""

    content: Text = Field(description="The thought itself.")
    at: BodyInstant | None = Field(None, description="When it was; left out: now.")
    tags: Tags = Field((), description="Its tags.")
    is_private: bool = Field(False, description="Whether it stays out wherever private rows are not asked for.")
    kind: Text = Field("note", description="One word for what it is.")
    scope: Dimensions | None = Field(None, description="Where it belongs.")
    capsule: Text | None = Field(None, description="The open capsule that it goes into.")


class Correct(Body):
    """Other words in the place of a row; the old ones stay, superseded."""

    row: Text = Field(description="A thought, an observation, a relation or an entity, by id.")
    text: Text | None = Field(None, description="The new wording; of a relation or an entity its description.")
    reason: Text | None = Field(None, description="Why; kept with what was replaced.")
    since: BodyInstant | None = Field(None, description="Since when it is true.")
    until: BodyInstant | None = Field(None, description="From when on it is no longer true.")
    target: Text | None = Field(None, description="Where a relation points instead.")
    dry_run: bool = Field(False, description="Change nothing, and say what would follow.")


class Pin(Body):
    """A row or a summary that recall always shows first."""

    target: Text = Field(description="The id of a row, or of a summary.")
    reason: Text = Field(description="Why it matters.")
    until: BodyInstant | None = Field(None, description="When it ends; left out: never.")
    scope: Dimensions | None = Field(None, description="Where it counts; left out: its target's own scope.")
    allow_private: bool = Field(False, description="Pin it even if it is private.")


class Fork(Body):
    """Where a fork leaves."""

    at: Annotated[Annotated[int, Field(ge=1)] | Text | None, BeforeValidator(turn_named)] = Field(
        None, description="The last turn that is shared: its number from 1, or its id; left out: the newest."
    )
    thread_topic: Text | None = Field(None, description="What the fork is about.")


class Change(Body):
    """What becomes of a session; several things are changed together or not at all."""

    thread_topic: Text | None = Field(None, description="Another topic.")
    topic_status: Literal["open", "resolved", "abandoned"] | None = Field(
        None, description="What became of what it is about."
    )
    status: Literal["open", "closed"] | None = Field(None, description="Open or close it.")


class Approve(Body):
    """It becomes a row of the graph."""

    verdict: Literal["approve"]
    candidate: Text


class Reject(Body):
    """It is nothing, and is remembered as that."""

    verdict: Literal["reject"]
    candidate: Text
    reason: str = ""


class Alias(Body):
    """It is another name of an entity that is there."""

    verdict: Literal["alias"]
    candidate: Text
    entity: Text = Field(description="Its id, name or another name of it.")


class Edit(Body):
    """It is right but for some of its words; it still waits."""

    verdict: Literal["edit"]
    candidate: Text
    name: Text | None = None
    entity_type: Text | None = None
    aliases: Tags | None = None
    source: Text | None = None
    rel_type: Text | None = None
    target: Text | None = None
    description: str | None = None


class Moderate(Body):
    """Verdicts, carried out all of them or none."""

    verdicts: Annotated[
        tuple[Annotated[Approve | Reject | Alias | Edit, Field(discriminator="verdict")], ...],
        Field(min_length=1, max_length=500),
    ]
    with_ends: bool = Field(False, description="Approve the waiting entities that a relation needs, too.")
    dry_run: bool = Field(False, description="Decide, and write nothing.")


class Page(Query):
    """A part of a list."""

    limit: QueryInteger = Field(50, ge=1, le=200, description="At most so many.")
    cursor: str | None = Field(None, description="The `next` of the page before, as it is.")


class Private(Query):
    """Whether private rows show."""

    include_private: QueryFlag = Field(False, description="Show private rows, too.")


class Sources(Page, Private):
    """Rows as they were last written, the latest first."""

    table: Literal["thoughts", "kg_entities", "kg_observations", "kg_relations"] | None = Field(
        None, description="Only of this kind."
    )
    tag: str | None = Field(None, description="Only those that bear it.")
    superseded: QueryFlag = Field(False, description="Also what was superseded.")


class SessionsPage(Page, Private):
    """Some of the sessions, the most recent first."""

    status: Literal["open", "closed", "expired", "all"] = Field("all", description="How they stand.")
    topic_status: Literal["open", "resolved", "abandoned", "all"] = Field("all", description="How their topic stands.")


class Pins(Private):
    """Pins, the newest first."""

    include_expired: QueryFlag = Field(False, description="List expired pins, too.")


class Entities(Page, Private):
    """Entities by name."""

    type: str | None = Field(None, description="Only of this type.")


class Neighbourhood(Private):
    """An entity and what is around it."""

    as_of: QueryInstant | None = Field(None, description="As the memory knew it then.")


class Candidates(Page, Private):
    """Candidates: what waits by its weight, what was decided in the order it was found."""

    status: Literal["pending", "approved", "rejected", "all"] = Field("pending", description="Which of them.")
    kind: Literal["entity", "relation"] | None = Field(None, description="Only these.")
    type: str | None = Field(None, description="Only of this type.")
    text: str | None = Field(None, description="Only those in whose name this stands.")
    thought: str | None = Field(None, description="Only those that rest on this thought.")
    min_confidence: QueryShare | None = Field(None, description="Only those at least this sure.")
    max_confidence: QueryShare | None = Field(None, description="Only those less sure than this.")
    since: QueryInstant | None = Field(None, description="Only those found at that time or later.")


class Report(Private):
    """A period, and how its turns are grouped."""

    since: str | None = Field(None, description="A time phrase, a date or an instant: from its beginning.")
    until: str | None = Field(None, description="The same: until its end.")
    by: Dimension = Field("session", description="How turns are grouped.")


class Deletion(Query):
    """How a session is deleted."""

    with_forks: QueryFlag = Field(False, description="Delete the sessions, too, that share turns of it.")
    dry_run: QueryFlag = Field(False, description="Say what would go, and delete nothing.")
