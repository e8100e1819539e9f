"""A memory for the desk in a browser: the example memory with what waits in it, turns that cost, and hostile rows."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from example_home import example
from report_turns import REFUSED, exchange
from voice.adapters.files.packaged_data import EXAMPLE_NOW
from voice.core.session.lifecycle import append, new_session
from voice.core.session.values import DialogueExchange
from voice.entrypoints.library import Voice

HOSTILE = (
    "<script>document.title = 'taken over'</script> [click](javascript:alert(1)) \u202egnp.exe "
    "<img src=https://elsewhere.example/x.png onerror=alert(2)> " + "and more and more " * 400
)
_DAYS = 45


async def prepare(home: Path) -> None:
    """Make the memory in `home`, or of the example that is there, and close it again."""
    async with example(home) as memory:
        rows = await memory.services.store.changes(0, 2_000)
        await memory.services.extracting.arrived([each.row_id for each in rows if each.row_id.startswith("t:")])
        await memory.remember(HOSTILE, tags=["<b>"])
        await _talk(memory)


async def _talk(memory: Voice) -> None:
    """Let there have been turns on many days: answered, refused, and of unknown cost."""
    session = new_session(
        session_id="s:talks", topic="Repairs", provider="gemini", model="pro", max_prompt_tokens=9, now=EXAMPLE_NOW
    )
    turns = [_turn(number) for number in range(_DAYS * 2)]
    for each in turns:
        session = append(session, each)
    saved = replace(session, revision=1, context_window=())
    await memory.services.sessions.save(saved, turns, expected=0)


def _turn(number: int) -> DialogueExchange:
    at = EXAMPLE_NOW - timedelta(days=_DAYS - number // 2, minutes=number % 2)
    own = {"session_id": "s:talks", "timestamp": at}
    if number % 7 == 3:
        return exchange(number, **REFUSED, **own)
    cost = None if number % 11 == 5 else Decimal(number * 37 % 41) / 1000
    tokens = {"prompt_tokens": 900 + number * 131 % 700, "completion_tokens": 60 + number * 17 % 90}
    return exchange(number, **own, **tokens, cost_estimate=cost, coverage_ratio=0.7 + number * 13 % 31 / 100)
