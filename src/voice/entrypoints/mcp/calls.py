"""What each tool does: one service, and its answer in the form that every door gives.

Law: nothing is decided here that a service decides; what comes in counts as a program's words, or as logged where the
owner said so, and what is moderated here no human approved (rulings C10, H). A program says which part of a scoped
memory it reads; the repository that it stands in is what `here` means (ruling A18).

Source: DESIGN 8 MCP; rulings A8, A18, A22, F, H.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from voice.adapters.system.clock import SystemClock
from voice.core.errors import InvalidParams
from voice.core.graph.candidates import CandidateKind
from voice.core.graph.verdicts import Alias, Approve, Changes, Edit, Reject, Reopen, Verdict
from voice.core.grounding.facts import parse_answer
from voice.core.grounding.values import Stance
from voice.core.interchange.arrival import Entrance, ceiling_of
from voice.core.organise.request import OrganiseRequest
from voice.core.recall.params import RecallRequest
from voice.core.recall.scoping import UNSCOPED, standing_in
from voice.core.records import Origin, Scope
from voice.core.render.check import render_check
from voice.core.render.organise import render_organised
from voice.core.render.recall import render_recall
from voice.core.render.retrieval import render_explain, render_retrieve
from voice.core.retrieval.params import RetrieveRequest
from voice.core.session.lifecycle import topic_of
from voice.entrypoints.forms.candidates import moderated_json, page_json, wanted
from voice.entrypoints.forms.kept import remembered_json
from voice.entrypoints.forms.moments import moment_of
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.progress import Tell, telling
from voice.entrypoints.mcp.reading import Arguments
from voice.services.check import Check
from voice.services.graph import resolve_entity
from voice.services.ingest_values import NewThought
from voice.services.turn import AskRequest

_PAGE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a tool on one memory."""

    memory: Voice
    said: Arguments
    tell: Tell
    stands_in: str | None = None
    """The repository of the program that asks."""
    warnings: list[str] = field(default_factory=list[str])
    """What was put right of what was asked for, in words (ruling C16)."""

    @property
    def origin(self) -> Origin:
        """What comes in here counts as (ruling H)."""
        return ceiling_of(Entrance.MCP, mcp_origin=Origin(self.memory.settings.gate.mcp_origin))

    @property
    def scope(self) -> Scope:
        """The scope that is named; an empty one where none is."""
        return standing_in(self.said.scope() or Scope(), self.stands_in)

    def moment(self, name: str) -> datetime | None:
        """Return the instant that a parameter names, or None.

        Raises:
            InvalidParams: it names none.
        """
        text = self.said.text(name)
        now = self.memory.services.clock.now()
        return None if text is None else moment_of(text, name, self.memory.settings, now)


async def retrieve(call: Call) -> Mapping[str, object]:
    """Answer `inner_voice_retrieve`: exactly as S0 has it, or in full detail with the account of the choice."""
    said = call.said
    is_full = said.text("detail") == "full"
    request = RetrieveRequest(
        query=said.text("query") or "",
        top_k=said.integer("top_k"),
        floor=said.number("floor"),
        mix=said.number("mix"),
        include_private=said.flag("include_private") or False,
        include_tags=said.texts("include_tags"),
        exclude_tags=said.texts("exclude_tags"),
        provider=said.text("provider"),
        scope=call.scope,
        when=said.text("when"),
        limit=said.integer("limit"),
        order=said.text("order"),
        rerank=said.flag("rerank") or False,
        explain=is_full,
    )
    found = await call.memory.services.find(request)
    call.warnings.extend(found.diagnostics.warnings)
    return {**(render_explain(found) if is_full else render_retrieve(found))}


async def organise(call: Call) -> Mapping[str, object]:
    """Answer `inner_voice`, as S1 has it."""
    said = call.said
    save = said.flag("save")
    request = OrganiseRequest(
        content=said.text("content") or "",
        top_k=said.integer("top_k"),
        sim_thresh=said.number("sim_thresh"),
        stage_kg=said.flag("stage_kg") or False,
        confidence_min=said.number("confidence_min"),
        max_nodes=said.integer("max_nodes"),
        max_edges=said.integer("max_edges"),
        save=True if save is None else save,
        auto_mark_removal=said.flag("auto_mark_removal"),
        scope=call.scope,
        include_private=said.flag("include_private") or False,
        dry_run=said.flag("dry_run") or False,
    )
    organised = await telling(call.tell, lambda say: call.memory.services.organise(request, say))
    call.warnings.extend(organised.warnings)
    return {**render_organised(organised)}


async def recall(call: Call) -> Mapping[str, object]:
    """Answer `recall`, as S4 has it."""
    said = call.said
    request = RecallRequest(
        query=said.text("query") or "",
        scope=call.scope,
        token_budget=said.integer("token_budget"),
        max_candidates=said.integer("max_candidates"),
        limit=said.integer("limit"),
        order=said.text("order"),
        when=said.text("when"),
        provider=said.text("provider"),
        include_private=said.flag("include_private") or False,
        include_redacted=said.flag("include_redacted") or False,
        now=call.moment("now"),
        rerank=said.flag("rerank") or False,
    )
    recalled = await call.memory.services.recall(request)
    call.warnings.extend(recalled.provenance.warnings)
    return {**render_recall(recalled)}


async def check(said: Arguments) -> Mapping[str, object]:
    """Answer `check`; no memory is opened for it."""
    answer, facts = parse_answer(said.text("answer") or ""), said.facts("facts")
    checked = await Check(clock=SystemClock())(answer, facts, question=said.text("question") or "")
    return {**render_check(checked.report, checked.verification)}


def ask_request(call: Call) -> AskRequest:
    """Return the question of `inner_voice_chat`.

    Raises:
        InvalidParams: a thread is named and a new one is wanted, or `as_of` names no instant.
    """
    said = call.said
    query, mode, session = said.text("query") or "", said.text("mode"), said.text("session")
    is_new = mode == "new_thread" or (mode is None and said.text("topic") is not None)
    if is_new and session is not None:
        raise InvalidParams("session goes on in a conversation and new_thread starts one; send one of the two")
    include_private = said.flag("include_private") or False
    topic = (said.text("topic") or topic_of(query, include_private=include_private)) if is_new else None
    return AskRequest(
        question=query,
        session_id=session,
        new_topic=topic,
        create=mode is None,
        stance=Stance(said.text("stance") or "synthesize"),
        when=said.text("when"),
        limit=said.integer("limit"),
        order=said.text("order"),
        shape="nlq" if said.text("shape") == "nlq" else "full",
        include_private=include_private,
        include_tags=said.texts("include_tags"),
        exclude_tags=said.texts("exclude_tags"),
        scope=call.scope,
        idempotency_key=said.text("idempotency_key"),
        as_of=call.moment("as_of"),
    )


async def remember(call: Call) -> Mapping[str, object]:
    """Store a thought of the calling program, and stage what it names.

    Raises:
        InvalidParams: it is to belong `here`: that is for reading.
    """
    said, services = call.said, call.memory.services
    if said.scope() == UNSCOPED:
        raise InvalidParams('"here" is for reading; name the repository: {"repo_id": "/home/ann/site"}')
    thought = NewThought(
        content=said.text("content") or "",
        origin=call.origin,
        created_at=call.moment("at"),
        kind=said.text("kind") or "note",
        tags=said.texts("tags"),
        is_private=said.flag("private") or False,
        scope=said.scope() or Scope(),
        speaker=said.text("speaker"),
        thread=said.text("thread"),
    )
    capsule = said.text("capsule")
    placed = thought if capsule is None else await services.capsules.placed(thought, capsule)
    report = await services.ingest.remember([placed])
    return remembered_json(report, await services.extracting.arrived(report.stored))


async def moderate(call: Call) -> Mapping[str, object]:
    """List candidates, or carry out one verdict on each of those that are named.

    Raises:
        InvalidParams: no candidate is named, or what the verdict needs is not said.
    """
    said, moderation = call.said, call.memory.services.review.moderation
    action = said.text("action") or "list"
    if action == "list":
        return {"action": action, **await _candidates(call)}
    verdicts = await _verdicts(call, action)
    if not verdicts:
        raise InvalidParams(f'{action} needs ids, such as {{"action": "{action}", "ids": ["c:…"]}}; list shows them')
    done = await moderation.decide(
        verdicts, by=call.origin, with_ends=said.flag("with_ends") or False, dry_run=said.flag("dry_run") or False
    )
    return {"action": action, **moderated_json(done)}


async def _candidates(call: Call) -> Mapping[str, object]:
    said, moderation = call.said, call.memory.services.review.moderation
    where = wanted(
        status=said.text("status") or "pending",
        kind=said.text("kind"),
        type_=said.text("type"),
        confidence=(said.number("min_confidence"), said.number("max_confidence")),
        text=said.text("text"),
        thought_id=said.text("from_thought"),
        include_private=said.flag("include_private") or False,
    )
    where = replace(where, since=call.moment("since"))
    limit, after = said.integer("limit") or _PAGE, said.text("after")
    return page_json(await moderation.listed(where, limit=limit, after=after))


async def _verdicts(call: Call, action: str) -> list[Verdict]:
    said, ids = call.said, call.said.texts("ids")
    match action:
        case "approve":
            return [Approve(candidate_id=each) for each in ids]
        case "reject":
            return [Reject(candidate_id=each, reason=said.text("reason") or "") for each in ids]
        case "reopen":
            return [Reopen(candidate_id=each) for each in ids]
        case "alias":
            entity_id = await _entity(call)
            return [Alias(candidate_id=each, entity_id=entity_id) for each in ids]
        case _:
            return await _edits(call)


async def _entity(call: Call) -> str:
    entity = call.said.text("entity")
    if entity is None:
        raise InvalidParams("alias needs entity: the id, name or another name of an entity that is in the graph")
    return resolve_entity(entity, (await call.memory.services.review.moderation.names.known()).nodes).id


async def _edits(call: Call) -> list[Verdict]:
    said, ids = call.said, call.said.texts("ids")
    held = await call.memory.services.review.moderation.candidates.fetch(ids)
    edits: list[Verdict] = []
    for each in ids:
        is_relation = each in held and held[each].kind is CandidateKind.RELATION
        changes = Changes(
            name=said.text("name"),
            entity_type=None if is_relation else said.text("type"),
            rel_type=said.text("type") if is_relation else None,
            aliases=said.texts("aliases") or None,
            source=said.text("source"),
            target=said.text("target"),
            description=said.text("description"),
        )
        edits.append(Edit(candidate_id=each, changes=changes))
    return edits
