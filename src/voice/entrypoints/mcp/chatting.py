"""What `inner_voice_chat` does: one turn, with word of how far it is.

Law: a refusal is an answer (ruling D6); a provider that failed is an error, with the id of the turn that says so. No
word of a draft leaves before it was judged.

Source: spec stateful-design-v2, 8; DESIGN 6; rulings A22, D6.
"""

import math
from collections.abc import Mapping

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream

from voice.core.errors import ProviderError
from voice.core.render.events import event_line
from voice.core.session.events import Event, Sentence
from voice.entrypoints.forms.turns import turn_json, warnings_of
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.answers import TurnFailed
from voice.entrypoints.mcp.calls import Call, Tell, ask_request
from voice.services.ask import AskRequest, Turn


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
    call.warnings.extend(warnings_of(turn))
    return turn_json(turn, request.shape)


async def asked(memory: Voice, request: AskRequest, tell: Tell) -> Turn:
    """Run the turn, and tell of each of its events as it happens.

    Raises:
        VoiceError: whatever asking raises.
    """
    happening, heard = anyio.create_memory_object_stream[Event](math.inf)
    turn, fault = None, None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell_all, heard, tell)
        with happening:
            try:
                turn = await memory.services.ask(request, happening.send_nowait)
            except Exception as error:  # noqa: BLE001 - raised again outside, where it is not one of a group
                fault = error
    if fault is not None:
        raise fault
    assert turn is not None
    return turn


async def _tell_all(heard: MemoryObjectReceiveStream[Event], tell: Tell) -> None:
    with heard:
        done = 0.0
        async for event in heard:
            done += 1
            await tell(done, in_words(event))


def in_words(event: Event) -> str:
    """Return an event as a line of progress; a sentence of the answer once it was judged, no word before."""
    return f"{event.verdict}: {event.text}" if isinstance(event, Sentence) else event_line(event)
