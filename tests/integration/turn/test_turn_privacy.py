"""What a turn may see, and what it lets out: private rows, the inner voice's own words, tags."""

from dataclasses import replace
from pathlib import Path

import pytest

from played_turns import GROUNDED, KILN, MOVED, ask, given, grounded, know, memory, quoting, scripted, stored, tell
from present import present
from voice.adapters.llm.scripted import SCRIPTED_PROFILE
from voice.core.errors import ConfigurationError
from voice.core.records import Origin
from voice.core.settings.providers import VerifierSettings
from voice.ports.llm import LlmRequest
from voice.services.graph.editor import Backing
from voice.services.memory.ingest_values import NewThought
from voice.services.turn.ask import AskRequest

REMOTE = replace(SCRIPTED_PROFILE, provider="vendor", remote=True)
DIARY = "My diary says that an emerald ring lies under the kiln in the shed."


@pytest.mark.requirement("promise:6", "ruling:H.5", "s0:constraint:privacy")
async def test_private_rows_stay_out_until_they_are_let_in_and_taint_what_they_touch(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    client = scripted(GROUNDED, quoting(DIARY, MOVED), GROUNDED, seen=seen)
    async with memory(tmp_path, client, told=KILN) as services:
        await tell(services, DIARY, is_private=True)
        public = (await ask(services, "What lies under the kiln in the shed?")).exchange
        private = (await ask(services, "Which ring lies under the kiln, dear diary?", include_private=True)).exchange
        without = (await ask(services)).exchange
        again = (await ask(services, include_private=True)).exchange
    assert not public.is_private
    assert "emerald" not in f"{seen[0]}{public}"
    assert (private.status, private.is_private) == ("answered", True)
    assert "emerald" in seen[1].prompt
    assert (without.status, without.is_private) == ("answered", False)
    assert "emerald" not in seen[2].prompt
    assert "dear diary" not in seen[2].prompt
    assert "What lies under" in seen[2].prompt
    assert private.id not in present(without.prompt).window_exchange_ids
    assert "dear diary" in seen[3].prompt
    assert again.is_private


@pytest.mark.requirement("promise:6", "ruling:H.5")
async def test_a_follow_up_does_not_lean_on_a_private_question_where_private_rows_are_out(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    client = scripted(quoting(DIARY, MOVED), GROUNDED, seen=seen)
    async with memory(tmp_path, client, told=KILN) as services:
        await tell(services, DIARY, is_private=True)
        first = await ask(services, "Which emerald ring lies under the kiln?", include_private=True)
        await ask(services, "And the kiln?", include_private=True)
        await services.sessions.save(
            replace(first.session, id="s:copy", revision=1, total_exchanges=1),
            [replace(first.exchange, id="x:copy", session_id="s:copy")],
            expected=0,
        )
        await ask(services, "And the kiln?", session_id="s:copy")
    assert first.exchange.is_private
    assert "emerald" in seen[1].question
    assert "emerald" not in seen[2].question


@pytest.mark.requirement("promise:6", "ruling:C10")
async def test_a_private_entity_is_named_nowhere_not_even_through_a_public_edge(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    async with memory(tmp_path, grounded(seen), told=KILN) as services:
        editor = services.graph_editor
        await know(services, "The kiln", "tool", "fires bowls")
        await know(services, "Zelda", "person", "owns it", "kiln", is_private=True)
        await editor.add_relation("Zelda", "owns", "The kiln", description="of the shed", backing=Backing())
        await editor.add_relation("The kiln", "belongs to", "Zelda", description="in the shed", backing=Backing())
        turn = await ask(services, "Who owns the kiln in the shed?")
        shown = await ask(services, "Who owns the kiln in the shed?", include_private=True)
    assert "Zelda" not in f"{seen[0]}{turn}"
    assert "Zelda" in seen[1].prompt
    assert shown.exchange.is_private


@pytest.mark.requirement("promise:6", "ruling:H.5", "ruling:H.6")
async def test_a_private_edge_or_neighbour_in_a_public_row_taints_what_it_touches(tmp_path: Path) -> None:
    seen: list[LlmRequest] = []
    edge = "The kiln (tool): fires bowls in the shed; is hidden from → Rex"
    client = scripted(quoting(edge, MOVED, answer=f"{edge}. {MOVED}"), GROUNDED, seen=seen)
    async with memory(tmp_path, client, told=KILN) as services:
        await know(services, "The kiln", "tool", "fires bowls in the shed")
        await know(services, "Rex", "tool", "a dog")
        hidden = Backing(is_private=True)
        await services.graph_editor.add_relation("The kiln", "is hidden from", "Rex", description="", backing=hidden)
        first = (await ask(services, "What is the kiln in the shed hidden from?", include_private=True)).exchange
        second = (await ask(services)).exchange
        vendor = replace(services.makers.ask(), llm=grounded(profile=REMOTE))
        with pytest.raises(ConfigurationError, match="SURR_ALLOW_PRIVATE_REMOTE"):
            await vendor(AskRequest(question="What is the kiln in the shed hidden from?", include_private=True))
    assert edge in {row.text for row in seen[0].evidence}
    assert [row.is_private for row in seen[0].evidence if row.text == edge] == [True]
    assert (first.status, first.is_private) == ("answered", True)
    assert "hidden from" not in seen[1].prompt
    assert not second.is_private


@pytest.mark.requirement("ruling:H.6", "promise:6")
async def test_private_rows_go_to_a_remote_provider_only_with_consent(tmp_path: Path) -> None:
    client = scripted(quoting(DIARY, MOVED), profile=REMOTE)
    async with memory(tmp_path, client, settings=given(verifier=VerifierSettings(name="none")), told=KILN) as services:
        await tell(services, DIARY, is_private=True)
        with pytest.raises(ConfigurationError, match="SURR_ALLOW_PRIVATE_REMOTE=1"):
            await ask(services, "Which ring lies under the kiln?", include_private=True)
        assert (client.calls, await stored(services)) == (0, [])
        assert await services.sessions.sessions(limit=5) == []
        public = await ask(services)
    assert (client.calls, public.exchange.is_private) == (1, False)


def test_thoughts_and_new_thoughts_do_not_show_their_text_by_accident() -> None:
    assert "secret" not in repr(NewThought(content="secret", origin=Origin.HUMAN))
    assert "human" in repr(NewThought(content="secret", origin=Origin.HUMAN))
