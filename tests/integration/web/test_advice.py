"""What an error advises, in the words of the door."""

from pathlib import Path

import pytest

from browsed_pages import browsing, text_of
from played_turns import KILN, ask, grounded, tell
from voice.core.errors import NoSession, ScopeRequired, VoiceError
from voice.core.graph.review.promotion import EndMissing
from voice.core.records import Scope
from voice.entrypoints.shared.advice import AT_THE_COMMAND_LINE, OVER_HTTP, OVER_MCP, message_with_advice
from web_door import API, door

pytestmark = pytest.mark.requirement("http:advice")

_KINDS = (ScopeRequired("name a scope"), NoSession("there is none"), EndMissing("c:1", "target"))
_OPTION = " --"


@pytest.mark.parametrize("error", _KINDS, ids=lambda error: type(error).__name__)
def test_only_the_command_line_names_its_options_and_each_door_says_what_was_wrong(error: VoiceError) -> None:
    doors = (AT_THE_COMMAND_LINE, OVER_HTTP, OVER_MCP)
    told = [message_with_advice(error, words).replace("`", " ") for words in doors]
    assert [each.startswith(error.message) for each in told] == [True] * 3
    assert [_OPTION in each or "voice " in each for each in told] == [True, False, False]
    assert "{" not in message_with_advice(EndMissing("c:1", "target"), AT_THE_COMMAND_LINE)


async def test_over_http_an_error_names_parameters_of_http(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await at.client.post(f"{API}/thoughts", json={"content": "Marta Lind works at Clay Co in Lisbon."})
        waiting = (await at.client.get(f"{API}/kg/candidates")).json()["items"]
        edge = next(each["id"] for each in waiting if each["kind"] == "relation")
        verdict = {"verdicts": [{"verdict": "approve", "candidate": edge}]}
        ends = await at.client.post(f"{API}/kg/candidates/verdicts", json=verdict)
        both = await at.client.post(f"{API}/kg/candidates/verdicts", json={**verdict, "with_ends": True})
        none = await at.client.post(f"{API}/ask", json={"question": "Where?", "create": False})
        await at.memory.remember("The shed.", scope=Scope(user_id="ann"))
        scoped = await at.client.post(f"{API}/recall", json={"query": "shed"})
        every = await at.client.post(f"{API}/recall", json={"query": "shed", "scope": "all"})
        hers = await at.client.post(f"{API}/recall", json={"query": "shed", "scope": {"user_id": "ann"}})
    told = [each.json()["detail"] for each in (ends, none, scoped)]
    assert ["`with_ends`" in told[0], "`new_topic`" in told[1], '`scope`, "all"' in told[2]] == [True] * 3
    assert [each for each in told if "--" in each or "`voice" in each] == []
    assert [each.status_code for each in (ends, none, scoped)] == [422, 404, 422]
    assert [each.status_code for each in (both, every, hers)] == [200] * 3, "what is advised works"


async def test_on_a_page_an_error_names_no_parameter_of_programs(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        name = (await ask(browser.voice.services)).session.id
        await browser.voice.services.life.change(name, status="closed")
        page = await browser.send("/ask", 404, question="Where is the kiln?", session=name)
        told = "".join(data for _, data in await browser.stream(question="Where is the kiln?", session=name))
    for said in (page, told):
        assert "is closed" in text_of(said)
        assert "`" not in text_of(said)
