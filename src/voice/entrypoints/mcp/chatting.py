"""What `inner_voice_chat` does: one turn, with word of how far it is.

Law: a refusal is an answer (ruling D6); a provider that failed is an error, with the id of the turn that says so. No
word of a draft leaves before it was judged. A question that names no session is asked in the connection's own
conversation, which begins with its first one: neither the person's nor another program's is gone on with.

Source: spec stateful-design-v2, 8; DESIGN 6; rulings A22, D6.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from voice.core.errors import ProviderError
from voice.core.render.answer import lines_beside
from voice.core.render.brief import brief_turn
from voice.core.render.turn_json import event_line
from voice.core.render.verification import lapse_line
from voice.core.session.turn_events import Event, Retrieved, Sentence
from voice.entrypoints.forms.turns import told_beside, turn_json
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.answers import TurnFailed
from voice.entrypoints.mcp.calls import Call, ask_request
from voice.entrypoints.mcp.connections import UNNAMED
from voice.entrypoints.mcp.progress import Tell, telling
from voice.entrypoints.mcp.wording import in_tools, in_words_of_tools
from voice.services.runtime.turn import AskRequest, Turn

_MOST_IDS = 50
"""Of what was found; the ids stand in a line that a client may show."""


async def chat(call: Call) -> Mapping[str, object]:
    """Answer `inner_voice_chat`.

    Raises:
        TurnFailed: the provider gave no usable reply.
        VoiceError: whatever asking raises.
    """
    turn = await _turn(call)
    exchange = turn.exchange
    if exchange.status == "error":
        reason = exchange.reason.value if exchange.reason else ProviderError.code
        raise TurnFailed(exchange.notes or "the provider gave no usable reply", reason=reason, exchange_id=exchange.id)
    shape, is_full = call.said.text("shape"), call.said.text("detail") == "full"
    lapse = lapse_line(exchange)
    beside = lines_beside(exchange) if is_full or shape == "nlq" else filter(None, (lapse,))
    call.warnings.extend((*beside, *told_beside(turn)))
    if shape == "nlq":
        return turn_json(turn, "nlq")
    return _in_tools(turn_json(turn) if is_full else brief_turn(exchange))


def _in_tools(told: Mapping[str, object]) -> Mapping[str, object]:
    """Return a turn whose notes and warnings are in the words of the tools."""
    notes, warnings = told.get("notes"), told.get("warnings")
    noted = {"notes": in_words_of_tools(notes)} if isinstance(notes, str) else {}
    warned = {"warnings": [*in_tools(cast("list[str]", warnings))]} if isinstance(warnings, list) else {}
    return {**told, **noted, **warned}


async def _turn(call: Call) -> Turn:
    """Return the turn, in the conversation that is named, or in the connection's own.

    Raises:
        NoSession: the conversation is to go on, and nothing was asked here yet.
        VoiceError: whatever asking raises.
    """
    request, connection = ask_request(call), call.connection
    if request.session_id is not None:
        return await asked(call.memory, request, call.tell)
    request = replace(request, program=connection.agent or UNNAMED)
    if connection.conversation is not None:
        return await _in_own(call, request)
    async with connection.beginning:
        return await _in_own(call, request)


async def _in_own(call: Call, request: AskRequest) -> Turn:
    """Return the turn in the connection's conversation, and keep which that is."""
    own = call.connection.conversation
    turn = await asked(call.memory, replace(request, own_session=own), call.tell)
    call.connection.conversation = turn.session.id if request.as_of is None else own
    return turn


async def asked(memory: Voice, request: AskRequest, tell: Tell) -> Turn:
    """Run the turn, and tell of each of its events as it happens.

    Raises:
        VoiceError: whatever asking raises.
    """
    return await telling(tell, lambda say: memory.services.ask(request, lambda event: say(in_words(event))))


def in_words(event: Event) -> str:
    """Return an event as a line of progress; a sentence of the answer once it was judged, no word before."""
    match event:
        case Sentence():
            return event.shown
        case Retrieved(ids=ids) if ids:
            more = ", …" if len(ids) > _MOST_IDS else ""
            return f"{event_line(event)}: {', '.join(ids[:_MOST_IDS])}{more}"
        case _:
            return event_line(event)
