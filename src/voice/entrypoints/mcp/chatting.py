"""What `inner_voice_chat` does: one turn, with word of how far it is.

Law: a refusal is an answer (ruling D6); a provider that failed is an error, with the id of the turn that says so. No
word of a draft leaves before it was judged.

Source: spec stateful-design-v2, 8; DESIGN 6; rulings A22, D6.
"""

from collections.abc import Mapping

from voice.core.errors import ProviderError
from voice.core.render.answer import lines_beside
from voice.core.render.events import event_line
from voice.core.session.events import Event, Retrieved, Sentence
from voice.entrypoints.forms.turns import told_beside, turn_json
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.answers import TurnFailed
from voice.entrypoints.mcp.calls import Call, ask_request
from voice.entrypoints.mcp.progress import Tell, telling
from voice.services.turn import AskRequest, Turn

_MOST_IDS = 50
"""Of what was found; the ids stand in a line that a client may show."""


async def chat(call: Call) -> Mapping[str, object]:
    """Answer `inner_voice_chat`.

    Raises:
        TurnFailed: the provider gave no usable reply.
        VoiceError: whatever asking raises.
    """
    request = ask_request(call)
    turn = await asked(call.memory, request, call.tell)
    exchange = turn.exchange
    if exchange.status == "error":
        reason = exchange.reason.value if exchange.reason else ProviderError.code
        raise TurnFailed(exchange.notes or "the provider gave no usable reply", reason=reason, exchange_id=exchange.id)
    call.warnings.extend((*lines_beside(exchange), *told_beside(turn)))
    return turn_json(turn, request.shape)


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
