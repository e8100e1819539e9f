"""A model is asked once for each prompt; whoever judges again asks nobody."""

from pathlib import Path

import pytest
from bench.real_model.drafts import DraftCache, RecordingClient

from played_turns import USAGE
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.core.errors import ProviderRejected, ProviderUnavailable
from voice.core.grounding.draft import DRAFT_SCHEMA
from voice.core.grounding.values import Stance
from voice.ports.llm import LlmRequest


def request(prompt: str = "Where is the kiln?", *, temperature: float = 0.0, longest: int = 320) -> LlmRequest:
    return LlmRequest(
        system="Speak from the sources.",
        prompt=prompt,
        question=prompt,
        evidence=(),
        stance=Stance.SYNTHESIZE,
        schema=DRAFT_SCHEMA,
        temperature=temperature,
        max_output_tokens=longest,
        timeout_s=10.0,
    )


def client(place: Path, *lines: Line, asks: bool = True, model: str = "a" * 64) -> RecordingClient:
    seconds = iter(range(1_000))
    return RecordingClient(
        ScriptedClient(lines, usage=USAGE),
        DraftCache(directory=place, model_sha256=model),
        cpu_s=(lambda: float(next(seconds))) if asks else None,
    )


async def test_a_prompt_that_was_asked_is_answered_from_the_cache_word_for_word(tmp_path: Path) -> None:
    first = client(tmp_path, "In the shed — „hier“.")
    said = await first.complete(request())
    again = client(tmp_path, asks=False)
    assert await again.complete(request()) == said
    assert (first.asked, first.replayed, again.asked, again.replayed) == (1, 0, 0, 1)
    assert said.usage == USAGE


@pytest.mark.parametrize(
    "other",
    [request("Where is the  kiln?"), request(temperature=0.2), request(longest=64)],
    ids=["prompt", "temperature", "length"],
)
async def test_anything_that_could_change_the_reply_is_asked_anew(tmp_path: Path, other: LlmRequest) -> None:
    asking = client(tmp_path, "one", "two")
    await asking.complete(request())
    assert (await asking.complete(other)).text == "two"


async def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ProviderUnavailable):
        await client(tmp_path, ProviderUnavailable("busy")).complete(request())
    assert (await client(tmp_path, "yes").complete(request())).text == "yes"


async def test_nobody_is_asked_where_that_was_not_wanted(tmp_path: Path) -> None:
    quiet = client(tmp_path, "never said", asks=False)
    with pytest.raises(ProviderRejected, match="run again without --rejudge"):
        await quiet.complete(request())
    assert (quiet.missing, quiet.asked) == (1, 0)
