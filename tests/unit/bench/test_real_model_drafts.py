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


async def test_what_a_reply_took_is_kept_with_it(tmp_path: Path) -> None:
    (asked,) = [one for one in [client(tmp_path, "yes")] if await one.complete(request())]
    replayed = client(tmp_path, asks=False)
    await replayed.complete(request())
    calls = asked.take()
    assert calls == replayed.take()
    assert [call.cpu_s for call in calls] == [1.0]
    assert asked.take() == ()


@pytest.mark.parametrize(
    "other",
    [request("Where is the  kiln?"), request(temperature=0.2), request(longest=64)],
    ids=["prompt", "temperature", "length"],
)
async def test_anything_that_could_change_the_reply_is_asked_anew(tmp_path: Path, other: LlmRequest) -> None:
    asking = client(tmp_path, "one", "two")
    await asking.complete(request())
    assert (await asking.complete(other)).text == "two"


async def test_another_model_is_asked_for_itself(tmp_path: Path) -> None:
    await client(tmp_path, "one").complete(request())
    assert (await client(tmp_path, "two", model="b" * 64).complete(request())).text == "two"


async def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ProviderUnavailable):
        await client(tmp_path, ProviderUnavailable("busy")).complete(request())
    assert (await client(tmp_path, "yes").complete(request())).text == "yes"


async def test_nobody_is_asked_where_that_was_not_wanted(tmp_path: Path) -> None:
    quiet = client(tmp_path, "never said", asks=False)
    with pytest.raises(ProviderRejected, match="run again without --rejudge"):
        await quiet.complete(request())
    assert (quiet.missing, quiet.asked) == (1, 0)


@pytest.mark.parametrize("broken", ["", "{", '{"text": "a"}', "[]"])
async def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, broken: str) -> None:
    await client(tmp_path, "one").complete(request())
    (file,) = tmp_path.iterdir()
    file.write_text(broken, encoding="utf-8")
    assert (await client(tmp_path, "two").complete(request())).text == "two"


async def test_closing_it_closes_the_client_it_wraps(tmp_path: Path) -> None:
    inner = ScriptedClient([])
    wrapped = RecordingClient(inner, DraftCache(directory=tmp_path, model_sha256="a"), cpu_s=None)
    await wrapped.aclose()
    assert inner.closed
    assert wrapped.profile == inner.profile
