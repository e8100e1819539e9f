"""A call, and the handlers of the tools that answer and remember.

Law: nothing is decided here that a service decides; what comes in counts as a program's words, or as logged where the
owner said so, and what is moderated here no human approved (rulings C10, H). A program says which part of a scoped
memory it reads; the repository that it stands in is what `here` means (ruling A18).

What `inner_voice_chat` does: one turn, with word of how far it is. A refusal is an answer (ruling D6); a provider that
failed is an error, with the id of the turn that says so. No word of a draft leaves before it was judged. A question
that names no session is asked in the connection's own conversation, which begins with its first one: neither the
person's nor another program's is gone on with.

Source: DESIGN 8 MCP; rulings A8, A18, A22, F, H; spec stateful-design-v2, 8; DESIGN 6; rulings A22, D6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime
from typing import Final

from voice.adapters.system.clock_and_ids import SystemClock
from voice.core.errors import InvalidParams, UnknownId
from voice.core.grounding.check import parse_answer
from voice.core.interchange.origin import Entrance, ceiling_of
from voice.core.messages.memory import shown_though
from voice.core.organise import OrganiseRequest, render_organised
from voice.core.recall.params import UNSCOPED, RecallRequest, scope_of_directory
from voice.core.recall.values import RecallResult
from voice.core.records import Origin, Scope
from voice.core.render.answer import lines_beside
from voice.core.render.check import render_check
from voice.core.render.recall import render_recall
from voice.core.render.retrieval import render_explain, render_retrieve
from voice.core.render.turn_json import brief_recall, brief_retrieve, brief_turn, event_line
from voice.core.render.verification import lapse_line
from voice.core.retrieval.params import RetrieveRequest
from voice.core.session.lifecycle import topic_of
from voice.core.session.turn_events import Event, Retrieved, Sentence
from voice.core.text.prompt_injection import instruction_like
from voice.core.token_estimates import estimate_tokens
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.arguments import Arguments
from voice.entrypoints.mcp.client_replies import (
    UNNAMED,
    Connection,
    ReportProgress,
    TurnFailed,
    all_in_tool_terms,
    answer_in_tool_terms,
    answer_texts,
    with_progress,
)
from voice.entrypoints.shared.moments import parse_moment
from voice.entrypoints.shared.notes import remembered_json
from voice.entrypoints.shared.sessions import question_asked, turn_json, turn_notices
from voice.requests import Request, filled, questions, rows
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import remember_once
from voice.services.runtime.turn import AskRequest, Turn
from voice.services.verification.draft_verification import Check

RECALL_TOKENS: Final = 2_000
"""What a brief recall takes at most where no budget is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a tool on one memory."""

    memory: Voice
    said: Arguments
    tell: ReportProgress
    connection: Connection
    stands_in: str | None = None
    """The repository of the program that asks."""
    warnings: list[str] = field(default_factory=list[str])
    """What was put right of what was asked for, in words (ruling C16)."""

    @property
    def origin(self) -> Origin:
        """What comes in here counts as (ruling H); the owner may have set `logged`."""
        return ceiling_of(Entrance.MCP, mcp_origin=Origin(self.memory.settings.gate.mcp_origin))

    @property
    def scope(self) -> Scope:
        """The scope that is named; an empty one where none is."""
        return scope_of_directory(self.said.scope() or Scope(), self.stands_in)  # "here" becomes the program's own

    @property
    def agent(self) -> str | None:
        """What the program calls itself."""
        return self.connection.agent

    def tokens(self, told: Mapping[str, object], warnings: Sequence[str] = ()) -> int:
        """Return what an answer takes as the program gets it."""
        said = all_in_tool_terms((*self.warnings, *warnings))  # counted in the words that go out, which may be longer
        texts = answer_texts(answer_in_tool_terms(told), ignored=self.said.ignored, warnings=said)
        return sum(map(estimate_tokens, texts))

    def warn_of_instructions(self, texts: Mapping[str, str]) -> None:
        """Say beside the answer which of the rows that it shows, by id, read like instructions, as `recall` does."""
        if found := instruction_like(texts):
            self.warnings.append(shown_though(", ".join(found)))

    def asked(self, request: Request) -> dict[str, object]:
        """Return what was said of a request, by its service's names. Raises InvalidParams: an instant that is none."""
        values = self.said.values
        meant = (each for each in request.at("mcp") if each.name in values)
        said = {each.inner: self.moment(each.name) if each.is_instant else values[each.name] for each in meant}
        return {**said, "scope": self.scope}

    async def ids(self) -> tuple[str, ...]:
        """Return the ids that are named, each whole. Raises UnknownId, InvalidParams: none, or several, begin so."""
        return await self.memory.services.visible_ids(self.said.texts("ids"), include_private=self.lets_private_in)

    @property
    def lets_private_in(self) -> bool:
        """Whether private rows are asked for."""
        return self.said.flag("include_private") or False

    def moment(self, name: str) -> datetime | None:
        """Return the instant that a parameter names, or None. Raises InvalidParams: it names none."""
        text = self.said.text(name)
        now = self.memory.services.clock.now()  # what "last Friday" counts from
        return None if text is None else parse_moment(text, name, self.memory.settings, now)


async def retrieve(call: Call) -> Mapping[str, object]:
    """Answer `inner_voice_retrieve`: exactly as S0 has it, or the same ranking brief, or with the account of it."""
    detail = call.said.text("detail")
    asked = {**call.asked(questions.RETRIEVE), "explain": detail == "explain"}
    found = await call.memory.services.find(filled(RetrieveRequest(query=""), asked))
    call.warnings.extend(found.diagnostics.warnings)
    # Snippets go out word for word, so a warning stands beside them.
    call.warn_of_instructions({each.id: each.text for each in found.snippets})
    if detail == "brief":
        return brief_retrieve(render_retrieve(found))
    return render_explain(found) if detail == "explain" else render_retrieve(found)


_NOTHING_CLOSE: Final = (
    "no note that counts comes close enough to answer, and nothing was stored; try other words or a lower sim_thresh, "
    "or inner_voice_retrieve, which also finds notes by their words"
)


async def organise(call: Call) -> Mapping[str, object]:
    """Answer `inner_voice`, as S1 has it."""
    request = filled(OrganiseRequest(content=""), {**call.said.values, "scope": call.scope})
    organised = await with_progress(call.tell, lambda say: call.memory.services.organise(request, say))
    call.warnings.extend(organised.warnings)
    if not organised.sources:
        call.warnings.append(_NOTHING_CLOSE)  # not an error: S1 answers with an empty list
    return {**render_organised(organised)}


async def recall(call: Call) -> Mapping[str, object]:
    """Answer `recall`, as S4 has it."""
    is_full = call.said.text("detail") == "full"

    # Brief and full differ in tokens, so the budget is measured in the form that goes out.
    def form(result: RecallResult) -> Mapping[str, object]:
        return render_recall(result) if is_full else brief_recall(result)

    own = RecallRequest(
        query="",  # replaced by what is said
        measure=lambda result: call.tokens(form(result), result.provenance.warnings),  # with all that stands beside it
        current="caller",
        conversation=call.connection.conversation,  # its summary stands first; nobody else's does
    )
    asked = call.asked(questions.RECALL)
    if not is_full:
        asked = {"token_budget": RECALL_TOKENS, **asked}  # a named budget wins
    recalled = await call.memory.services.recall(filled(own, asked))
    call.warnings.extend(recalled.provenance.warnings)
    return form(recalled)


async def check(said: Arguments) -> Mapping[str, object]:
    """Answer `check`; no memory is opened for it."""
    answer, facts = parse_answer(said.text("answer") or ""), said.facts("facts")  # no memory is open to lend its clock
    checked = await Check(clock=SystemClock())(answer, facts, question=said.text("question") or "")
    return {**render_check(checked.report, checked.verification)}


def ask_request(call: Call) -> AskRequest:
    """Return the question of `inner_voice_chat`. Raises InvalidParams: a thread is named and a new one is wanted, or
    `as_of` names no instant."""
    asked, mode, topic = call.asked(questions.ASK), call.said.text("mode"), call.said.text("topic")
    is_new = mode == "new_thread" or (mode is None and topic is not None)  # a topic alone means a new thread
    if is_new and "session_id" in asked:
        raise InvalidParams("session continues a session and new_thread starts one; send only one of them")
    # A private question must not become the topic.
    named = topic or topic_of(call.said.text("query") or "", include_private=call.lets_private_in)
    return question_asked(
        {**asked, "new_topic": named if is_new else None, "create": mode is None}
    )  # "continue" starts nothing


_WAITS: Final = "answers cite it once the person approves it; vouch_status shows its state"


async def remember(call: Call) -> Mapping[str, object]:
    """Store a program's thought, and stage what it names. Raises InvalidParams: it is to belong `here`."""
    said, services = call.said, call.memory.services
    if said.scope() == UNSCOPED:  # what `here` is read as
        raise InvalidParams('"here" is for reading; name the repository: {"repo_id": "/home/ann/site"}')
    own = NewThought(content="", origin=call.origin, noted_by=call.agent)
    thought = filled(own, call.asked(rows.REMEMBER))
    capsule = said.text("capsule")  # its thread and scope are the thought's
    placed = thought if capsule is None else await services.capsules.placed(thought, capsule)
    day = services.clock.now().date()
    # The same note on the same day is one: agents send it again after an answer that was lost.
    remembered = await remember_once(services.ingest, placed, f"mcp {day} {astuple(placed)}")
    if remembered.report.stored and call.origin is Origin.TOOL:  # logged notes count at once
        call.warnings.append(_WAITS)
    return remembered_json(remembered.report, await services.extracting.arrived_once(remembered))


_MOST_IDS = 50  # of those found; the ids stand in a line that a client may show


async def chat(call: Call) -> Mapping[str, object]:
    """Answer `inner_voice_chat`. Raises TurnFailed: the provider gave no usable reply; VoiceError: whatever asking
    raises."""
    turn = await _turn(call)
    exchange = turn.exchange
    if turn.failure is not None:
        raise TurnFailed(turn.failure, exchange_id=exchange.id)  # the turn is stored; its id goes out with the error
    shape, is_full = call.said.text("shape"), call.said.text("detail") == "full"
    lapse = lapse_line(exchange)
    # The brief form tells itself of sentences that were left out.
    beside = lines_beside(exchange) if is_full or shape == "nlq" else filter(None, (lapse,))
    call.warnings.extend((*beside, *turn_notices(turn)))
    if shape == "nlq":
        return turn_json(turn, "nlq")
    return turn_json(turn) if is_full else brief_turn(exchange)


_NO_SUCH_SESSION: Final = (
    'there is no such session; leave out session to continue your own, or start one with mode "new_thread"'
)


async def _turn(call: Call) -> Turn:
    """Return the turn, in the conversation that is named, or in the connection's own."""
    request, connection = ask_request(call), call.connection
    if request.session_id is not None:
        try:
            return await asked(call.memory, request, call.tell)
        except UnknownId as error:
            raise UnknownId(_NO_SUCH_SESSION) from error
    request = replace(request, program=connection.agent or UNNAMED)
    if connection.conversation is not None:
        return await _ask_in_own(call, request)
    async with connection.beginning:  # of questions that come at once, the first begins the conversation
        return await _ask_in_own(call, request)


async def _ask_in_own(call: Call, request: AskRequest) -> Turn:
    own = call.connection.conversation
    turn = await asked(call.memory, replace(request, own_session=own), call.tell)
    # A question about the past is asked in a session of its own.
    call.connection.conversation = turn.session.id if request.as_of is None else own
    return turn


async def asked(memory: Voice, request: AskRequest, tell: ReportProgress) -> Turn:
    """Run the turn, and tell of each event as it happens. Raises VoiceError: whatever asking raises."""
    return await with_progress(tell, lambda say: memory.services.ask(request, lambda event: say(in_words(event))))


def in_words(event: Event) -> str:
    """Return an event as a line of progress; a sentence of the answer once it was judged, no word before."""
    match event:
        case Sentence():
            return event.shown
        case Retrieved(ids=ids) if ids:  # none found: the line says so
            more = ", …" if len(ids) > _MOST_IDS else ""
            return f"{event_line(event)}: {', '.join(ids[:_MOST_IDS])}{more}"
        case _:
            return event_line(event)
