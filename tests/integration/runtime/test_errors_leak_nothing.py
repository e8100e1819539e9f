"""What a caller is told of a failure: a code of ours, what to do, and no word of anybody's."""

import traceback
from collections.abc import Sequence
from pathlib import Path

import pytest

from played_turns import NOW, WHERE, ask, given, memory, scripted, tell
from store_values import exchange, session, thought
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.surreal.opening import open_store
from voice.core import errors
from voice.core.errors import EmbedderUnavailable, InvalidParams, StoreError, VoiceError
from voice.core.records import Provenance, Scope
from voice.core.retrieval.params import RetrieveRequest
from voice.core.session.lifecycle import append
from voice.core.settings.providers import EmbedSettings, LlmSettings
from voice.core.settings.values import StoreSettings
from voice.ports.stores import WriteBatch

SECRET = "canary7291"
NOTE = f"The {SECRET} lies under the kiln."


def told(error: BaseException) -> str:
    """Return everything that a caller could print of an error but the lines of the program."""
    chain = "".join(traceback.format_exception_only(error))
    return f"{error!r} {error} {chain} {error.__cause__!r}"


@pytest.mark.requirement("s0:error:no-leak", "promise:6")
async def test_a_store_that_refuses_a_write_names_neither_text_nor_statement(tmp_path: Path) -> None:
    first = exchange("s:1", 0, my_query=NOTE)
    async with await open_store("surrealkv://memory", home=tmp_path) as stores:
        await stores.memory.write(WriteBatch(rows=(thought("1", NOTE),)))
        await stores.sessions.save(append(session("s:1"), first), [first], expected=0)
        twice = exchange("s:2", 0, id=first.id, my_query=NOTE)
        with pytest.raises(StoreError) as taken:
            await stores.sessions.save(append(session("s:2"), twice), [twice], expected=0)
        with pytest.raises(InvalidParams) as stale:
            await stores.memory.write(WriteBatch(rows=(thought("1", NOTE, revision=9),)))
        with pytest.raises(StoreError) as broken:
            await stores.connection.run("look", f"CREATE thoughts SET content = '{SECRET}', significance = '{SECRET}'")
        with pytest.raises(StoreError) as unparsed:
            await stores.connection.run("look", f"SELECT FROM WHERE {SECRET}")
    for caught in (taken, stale, broken, unparsed):
        assert SECRET not in told(caught.value)
        assert not [word for word in ("INSERT", "CREATE", "SELECT", "UPSERT") if word in told(caught.value)]
    assert [caught.value.code for caught in (taken, stale, broken)] == ["db_error", "invalid_params", "db_error"]


class Quoting(HashedEmbedder):
    """Fails as a careless vendor does: with the text in its message."""

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        raise EmbedderUnavailable("the encoder does not answer") from ValueError(f"cannot encode {texts!r}")


@pytest.mark.requirement("s0:error:no-leak", "s0:error:embedder_unavailable", "ruling:C17")
async def test_a_failing_encoder_says_so_in_words_of_its_own(tmp_path: Path) -> None:
    async with memory(tmp_path, embedder=Quoting(64)) as services:
        await tell(services, NOTE)
        with pytest.raises(EmbedderUnavailable) as caught:
            await services.find(RetrieveRequest(query=f"where is {SECRET}"))
        assert (caught.value.code, SECRET in str(caught.value)) == ("embedder_unavailable", False)


@pytest.mark.requirement("s0:error:no-leak", "promise:6")
async def test_a_model_client_that_breaks_its_promise_is_kept_as_an_error_without_its_words(tmp_path: Path) -> None:
    def quote(request: object) -> str:
        raise KeyError(f"{SECRET} {request!r}")

    async with memory(tmp_path, scripted(quote)) as services:
        await tell(services, NOTE, "The kiln stands in the shed.")
        turn = await ask(services, WHERE)
    assert (turn.exchange.status, turn.exchange.reason) == ("error", errors.ProviderError.code)
    assert SECRET not in (turn.exchange.notes or "")
    assert "KeyError" in (turn.exchange.notes or "")


@pytest.mark.requirement("s0:error:no-leak", "s0:error:invalid_params")
@pytest.mark.parametrize(
    "wrong",
    [
        {"query": " "},
        {"query": "kiln", "provider": SECRET},
        {"query": "kiln", "order": SECRET},
        {"query": "kiln", "when": f"the day of the {SECRET}"},
        {"query": "kiln", "floor": float("nan")},
        {"query": "kiln", "now": NOW.replace(tzinfo=None)},
    ],
)
async def test_what_cannot_be_meant_is_refused_without_repeating_it(tmp_path: Path, wrong: dict[str, object]) -> None:
    async with memory(tmp_path) as services:
        with pytest.raises(InvalidParams) as caught:
            await services.find(RetrieveRequest(**wrong))  # pyright: ignore[reportArgumentType]
    assert caught.value.code == "invalid_params"
    assert SECRET not in told(caught.value)


@pytest.mark.requirement("s0:error:no-leak", "s0:error:invalid_params")
async def test_values_that_are_no_values_do_not_repeat_what_they_were_given() -> None:
    with pytest.raises(InvalidParams) as span:
        Provenance(thought_id=SECRET, start=5, end=1)
    with pytest.raises(InvalidParams) as row_id:
        thought(content=NOTE, id=SECRET)
    with pytest.raises(InvalidParams) as scoped:
        WriteBatch(rows=(thought(content=NOTE, scope=Scope.ALL),))
    assert not [caught for caught in (span, row_id, scoped) if SECRET in told(caught.value)]


@pytest.mark.requirement("s0:error:no-leak", "ruling:D24")
def test_a_secret_is_in_no_picture_of_the_settings() -> None:
    settings = given(
        llm=LlmSettings(api_key=SECRET), embed=EmbedSettings(api_key=SECRET), store=StoreSettings(password=SECRET)
    )
    assert SECRET not in repr(settings)
    assert settings.llm.api_key == SECRET


def test_every_error_has_a_code_that_is_one_word() -> None:
    tree = [cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, VoiceError)]
    assert all(cls.code.replace("_", "").isalpha() for cls in tree)
    assert all(str(cls("said")) == "said" for cls in tree)
