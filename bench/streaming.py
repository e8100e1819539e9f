"""What ending a call early saves: tokens paid for a refusal, with and without it.

Law: the fake provider of the tests writes one piece after the other, at the pace of a fast model, until its caller
hangs up; what it wrote is what would have been paid. It is asked for the same refused draft twice, once piece by piece
and once whole: one that cites a source that was not sent, one that cites one source where two are needed. A good draft
costs the same both ways.

    PYTHONPATH=tests:. python -m bench.streaming

Source: docs/streaming.md.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import anyio

from fakes.fake_provider import FakeProvider
from fakes.fake_replies import Dialect
from voice.bootstrap import Services, open_services
from voice.core.records import Origin
from voice.core.settings.parse import parse_settings
from voice.services.memory.ingest_values import NewThought
from voice.services.turn.ask import AskRequest

_NOTES = (
    "The kiln moved to the shed behind the house in March.",
    "Marta fired the first bowls in the kiln in the shed on Sunday.",
    "The shed has a new roof since Jonas repaired it above the kiln.",
)
_QUESTION = "Where is the kiln?"
_DRAFTS = {"invented source": "invented", "too few sources": "one-source", "good draft": "success"}
_PACE_S = 0.004
_DIALECTS: dict[str, Dialect] = {"gemini": "gemini", "openai": "openai"}


async def _asked(services: Services, fake: FakeProvider, model: str) -> dict[str, object]:
    """Ask once and return what was written and what is on record of it."""
    before = fake.written[model]
    turn = await services.ask(AskRequest(question=_QUESTION, new_topic="bench"))
    (attempt, *_) = turn.exchange.attempts
    written = fake.written[model] - before
    taken = attempt.usage if attempt.reckoned is None else attempt.reckoned
    return {
        "outcome": turn.exchange.status,
        "reason": turn.exchange.reason,
        "output_tokens_written": written or taken.output_tokens,
        "output_tokens_on_record": taken.output_tokens,
        "input_tokens": taken.input_tokens,
        "is_estimate": attempt.reckoned is not None,
    }


async def _with(fake: FakeProvider, home: Path, provider: str, behaviour: str, *, stream: bool) -> dict[str, object]:
    model = f"fake-{behaviour}"
    flags = {
        "gate.enabled": True,
        "embed.provider": "hash",
        "store.url": "mem://",
        "llm.provider": provider,
        "llm.model": model,
        "llm.api_key": "none",
        "llm.api_base": fake.api_base(_DIALECTS[provider]),
        "llm.stream": stream,
        "llm.deadline_s": 600.0,
    }
    async with open_services(parse_settings(flags, {}, {}).settings, home) as services:
        await services.ingest.remember([NewThought(content=text, origin=Origin.HUMAN) for text in _NOTES])
        return await _asked(services, fake, model)


async def measured() -> dict[str, object]:
    """Return, for each provider and kind of draft, what it took with and without streaming, and the ratio."""
    found: dict[str, object] = {}
    with FakeProvider() as fake, tempfile.TemporaryDirectory() as folder:
        fake.is_metered, fake.pace_s = True, _PACE_S
        for provider in _DIALECTS:
            for number, (kind, behaviour) in enumerate(_DRAFTS.items()):
                whole, streamed = [
                    await _with(fake, Path(folder) / f"{provider}{number}{stream}", provider, behaviour, stream=stream)
                    for stream in (False, True)
                ]
                ratio = int(str(streamed["output_tokens_written"])) / int(str(whole["output_tokens_written"]))
                found[f"{provider}: {kind}"] = {"whole": whole, "streamed": streamed, "output_ratio": round(ratio, 3)}
    return found


def main() -> None:
    """Print the measurement as JSON."""
    argparse.ArgumentParser(description="What ending a call early saves.").parse_args()
    json.dump(anyio.run(measured), sys.stdout, indent=2)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
