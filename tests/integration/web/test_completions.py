"""`/v1`: what clients of chat completions send, and what they are answered, as a table."""

import json
import re
from pathlib import Path
from typing import cast

import httpx
import pytest

from tables import tables
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import ProviderRejected, ProviderUnavailable
from voice.entrypoints.web.completions.response import SINCE
from web_door import BEARER, COOKIE, ORIGIN, TOKEN, Door, door, guard

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("http:completions")
MOVED = "The kiln moved to the shed behind the house in March."
FIRED = "Marta fired the first bowls in the kiln on Sunday."
SHED = "Where did the kiln move?"
_PATH = "/v1/chat/completions"
_USER = {"role": "user", "content": SHED}
ANSWERED = TABLES["answered"]
"""Request shapes that are the same question."""
CHORES = TABLES["chores"]
"""What Open WebUI asks for itself."""


async def _post(
    at: Door, status: int = 200, headers: dict[str, str] | None = None, **said: object
) -> dict[str, object]:
    answer = await at.client.post(_PATH, json={"model": "voice/synthesize", **said}, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    return cast("dict[str, object]", answer.json())


def _message(told: dict[str, object]) -> dict[str, object]:
    (choice,) = cast("list[dict[str, object]]", told["choices"])
    assert (choice["finish_reason"], choice["index"]) == ("stop", 0)
    return cast("dict[str, object]", choice["message"])


def _content(told: dict[str, object]) -> str:
    return str(_message(told)["content"])


def _voice(told: dict[str, object]) -> dict[str, object]:
    return cast("dict[str, object]", told["voice"])


def _error(told: dict[str, object]) -> dict[str, object]:
    assert list(told) == ["error"]
    error = cast("dict[str, object]", told["error"])
    assert list(error) == ["message", "type", "param", "code"]
    return error


async def _turns(at: Door) -> int:
    return len(await at.memory.services.sessions.exchanges())


async def test_the_last_message_of_the_person_is_asked_whatever_stands_around_it(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await at.memory.remember(MOVED)
        for shape, said in ANSWERED.items():
            told = await _post(at, **said)
            assert (shape, _content(told)) == (shape, MOVED)
            assert told["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
            assert (told["object"], told["model"]) == ("chat.completion", "voice/synthesize")
        kept = await at.memory.services.sessions.exchanges()
    assert [(each.my_query, "pirate" in str(each)) for each in kept] == [(SHED, False)] * len(ANSWERED)


async def test_what_cannot_be_answered_as_it_is_asked_is_an_error_in_plain_words(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        for said, status, param, words in TABLES["refused"]:
            error = _error(await _post(at, status, **said))
            assert (error["param"], error["type"]) == (param, "invalid_request_error")
            assert error["code"] == ("model_not_found" if status == 404 else "invalid_params")
            assert words in str(error["message"])
        assert await _turns(at) == 0
        listed = (await at.client.get("/v1/models")).json()
        one = await at.client.get("/v1/models/voice/challenge")
        none = await at.client.get("/v1/models/gpt-4o")
        asked = await _post(at, model="voice/question", messages=[{"role": "user", "content": "What of the kiln?"}])
        (kept,) = await at.memory.services.sessions.exchanges()
    assert [each["id"] for each in listed["data"]] == ["voice/synthesize", "voice/challenge", "voice/question"]
    assert one.json() == {"id": "voice/challenge", "object": "model", "created": SINCE, "owned_by": "voice"}
    assert (none.status_code, _error(none.json())["code"]) == (404, "model_not_found")
    assert (kept.stance, asked["model"]) == ("question", "voice/question")


async def test_what_a_client_asks_for_itself_becomes_no_turn(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await at.memory.remember(MOVED)
        for messages in CHORES.values():
            said = {"model": "voice/synthesize", "messages": messages, "stream_options": {"include_usage": True}}
            whole, streamed = [await at.client.post(_PATH, json={**said, "stream": each}) for each in (False, True)]
            assert (_content(whole.json()), "voice" in whole.json()) == ("{}", False)
            assert ('"content":"{}"' in streamed.text, streamed.text.endswith("data: [DONE]\n\n")) == (True, True)
        assert await _turns(at) == 0
        assert await at.memory.services.life.listed(limit=10) == []
        await _post(at, messages=[_USER])
        assert await _turns(at) == 1


@pytest.mark.parametrize("address", [f"{ORIGIN}/sources/o%3A", "voice:o%3A"])
async def test_each_sentence_names_its_sources_where_it_stands(tmp_path: Path, address: str) -> None:
    async with door(tmp_path, pages=address.startswith(ORIGIN)) as at:
        await at.memory.remember(f"{MOVED}\n\n{FIRED}")
        told = await _post(at, messages=[{"role": "user", "content": "What do you know about the kiln?"}])
    content = _content(told)
    cited = [cast("dict[str, object]", each["url_citation"]) for each in _annotations(told)]
    stretches = [content[cast("int", each["start_index"]) : cast("int", each["end_index"])] for each in cited]
    assert cited
    assert all(each.endswith((MOVED, FIRED)) for each in stretches)
    rows = [str(each["source_id"]).removeprefix("o:") for each in cited]
    assert [str(each["url"]).partition("?")[0] for each in cited] == [f"{address}{row}" for row in rows]
    assert [stretch.endswith(str(each["title"])) for each, stretch in zip(cited, stretches, strict=True)]


def _annotations(told: dict[str, object]) -> list[dict[str, object]]:
    found = cast("list[dict[str, object]]", _message(told)["annotations"])
    assert all(each["type"] == "url_citation" for each in found)
    return found


async def test_a_refusal_is_a_message_with_the_closest_passages(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await at.memory.remember(MOVED)
        told = await _post(at, messages=[{"role": "user", "content": "Who is the king of Norway?"}])
    content = _content(told)
    assert content.startswith("I cannot provide a well-grounded answer")
    assert _message(told)["refusal"] is None
    assert (_voice(told)["refused"], _voice(told)["reason"]) == (True, "no_sources")
    for each in _annotations(told):
        place = cast("dict[str, int]", each["url_citation"])
        assert content[place["start_index"] : place["end_index"]] == MOVED


@pytest.mark.parametrize("question", [SHED, "Did the kiln move to Norway?"])
async def test_what_a_note_holds_is_neither_markup_nor_steers(tmp_path: Path, question: str) -> None:
    note = "The kiln ![i](http://e.example/t.png) \x1b[31m<img src=x> [c](javascript:alert(1)) moved\u202e to the shed."
    async with door(tmp_path) as at:
        await at.memory.remember(note)
        content = _content(await _post(at, messages=[{"role": "user", "content": question}]))
    assert "The kiln i [31m\\<img src=x> c moved to the shed." in content.replace("\ufffd", "")


async def test_a_stream_says_who_speaks_then_each_sentence_then_what_was_used(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await at.memory.remember(MOVED)
        said = {"model": "voice/synthesize", "messages": [_USER], "stream": True}
        plain = await at.client.post(_PATH, json=said)
        used = await at.client.post(_PATH, json={**said, "stream_options": {"include_usage": True}})
    assert plain.headers["content-type"].startswith("text/event-stream")
    first, *middle, last = _chunks(plain.text)
    assert first["delta"] == {"role": "assistant", "content": ""}
    assert [cast("dict[str, str]", each["delta"])["content"] for each in middle] == [MOVED]
    assert "annotations" in cast("dict[str, object]", middle[0]["delta"])
    assert (last["delta"], last["finish_reason"]) == ({}, "stop")
    assert '"usage"' not in plain.text
    objects = _objects(used.text)
    assert [each["usage"] for each in objects[:-1]] == [None] * (len(objects) - 1)
    assert objects[-1]["choices"] == []
    assert objects[-1]["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    assert len({each["id"] for each in objects}) == 1


def _objects(text: str) -> list[dict[str, object]]:
    *lines, done = re.findall(r"^data: (.+)$", text, re.MULTILINE)
    assert done == "[DONE]"
    return [cast("dict[str, object]", json.loads(each)) for each in lines]


def _chunks(text: str) -> list[dict[str, object]]:
    found = _objects(text)
    assert {each["object"] for each in found} == {"chat.completion.chunk"}
    return [cast("list[dict[str, object]]", each["choices"])[0] for each in found]


async def test_a_named_session_goes_on_and_an_unnamed_one_never_goes_on_in_the_persons(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await at.memory.remember(MOVED)
        own = (await at.memory.ask(SHED)).session.id
        named = [
            _voice(await _post(at, headers={"X-Voice-Session": name}, messages=[_USER])) for name in ("a", "a", "b")
        ]
        users = [_voice(await _post(at, user=name, messages=[_USER])) for name in ("ann", "bob", " ann ")]
        back = _voice(await _post(at, headers={"X-Voice-Session": own}, user="ann", messages=[_USER]))
        alone = [_voice(await _post(at, user="", messages=[_USER])) for _ in range(2)]
        gone = _error(await _post(at, 404, headers={"X-Voice-Session": "s:none"}, messages=[_USER]))
        two = [("X-Voice-Session", "a"), ("X-Voice-Session", "b")]
        twice = await at.client.post(_PATH, json={"model": "voice/synthesize", "messages": [_USER]}, headers=two)
    first, again, other = (each["session"] for each in named)
    assert (first == again, first == other) == (True, False)
    ann, bob, also = (each["session"] for each in users)
    assert (ann == also, ann == bob) == (True, False)
    assert back["session"] == own
    assert len({own, first, other, ann, bob, *(each["session"] for each in alone)}) == 7
    assert gone["code"] == "unknown_id"
    assert (twice.status_code, "once" in twice.text) == (400, True)


async def test_a_history_that_ends_with_our_answer_goes_on_where_that_was_given(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await at.memory.remember(f"{MOVED}\n\n{FIRED}")
        first = await _post(at, messages=[{"role": "system", "content": "x"}, _USER])
        history = [_USER, {"role": "assistant", "content": f" {_content(first)}\n"}]
        then: dict[str, object] = {"role": "user", "content": [{"type": "text", "text": "And who fired bowls in it?"}]}
        second = await _post(at, messages=[*history, then])
        third = await _post(at, messages=[*history, then, {"role": "assistant", "content": _content(second)}, _USER])
        other = await _post(at, messages=[*history[:1], {"role": "assistant", "content": "On the moon."}, then])
        await at.memory.sessions.close(str(_voice(first)["session"]))
        closed = await _post(at, messages=[*history, then])
        await at.memory.sessions.delete(str(_voice(first)["session"]))
        deleted = await _post(at, messages=[*history, then])
    ids = [_voice(each)["session"] for each in (first, second, third, other, closed, deleted)]
    assert ids[0] == ids[1] == ids[2]
    assert len({*ids[2:]}) == 4


async def test_a_scoped_memory_is_read_in_the_scope_of_the_header(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        await at.client.post("/api/v1/thoughts", json={"content": "Scoped.", "scope": {"user_id": "ann"}})
        await at.memory.remember(MOVED)
        unsaid = _error(await _post(at, 400, messages=[_USER]))
        every = await _post(at, headers={"X-Voice-Scope": "all"}, messages=[_USER])
        anns = await _post(at, headers={"X-Voice-Scope": "user=ann, repo=/a"}, messages=[_USER])
        wrong = [
            _error(await _post(at, 400, headers={"X-Voice-Scope": each}, messages=[_USER])) for each in ("a", "here")
        ]
    assert (unsaid["code"], "X-Voice-Scope" in str(unsaid["message"])) == ("scope_required", True)
    assert (_voice(every)["refused"], _voice(anns)["refused"]) == (False, True)
    assert all(each["code"] == "invalid_params" and "'here'" not in str(each["message"]) for each in wrong)


async def test_the_key_is_the_token_and_a_browsers_cookie_opens_nothing(tmp_path: Path) -> None:
    said = {"model": "voice/synthesize", "messages": [_USER]}
    async with door(tmp_path, pages=True) as at:
        cookies = {"Cookie": f"{guard().cookie_name}={COOKIE}", "Origin": ORIGIN}
        del at.client.headers["Authorization"]
        wrong = await at.client.post(_PATH, json=said, headers={"Authorization": "Bearer sk-none"})
        person = await at.client.post(_PATH, json=said, headers=cookies)
        page = await at.client.get("/v1/models", headers={**cookies, "Accept": "text/html"})
        elsewhere = await at.client.post(_PATH, json=said, headers={**BEARER, "Origin": "http://evil.example"})
        nowhere = await at.client.get("/v1/nothing", headers={**BEARER, "Accept": "text/html"})
        get = await at.client.get(_PATH, headers=BEARER)
        odd = await at.client.post(_PATH, content=b"{", headers={**BEARER, "Content-Type": "application/json"})
    answers: list[httpx.Response] = [wrong, person, page, elsewhere, nowhere, get, odd]
    assert [each.status_code for each in answers] == [401, 401, 401, 403, 404, 405, 400]
    kinds = [_error(each.json())["type"] for each in answers]
    assert kinds[:4] == ["authentication_error"] * 3 + ["permission_error"]
    assert set(kinds[4:]) == {"invalid_request_error"}
    assert not any(TOKEN in each.text for each in answers)


async def test_what_is_switched_off_or_failed_is_an_error_and_says_whether_to_try_again(tmp_path: Path) -> None:
    async with door(tmp_path, flags={"gate.enabled": False}) as at:
        off = await at.client.post(_PATH, json={"model": "voice/synthesize", "messages": [_USER]})
    assert (off.status_code, _error(off.json())["code"]) == (403, "feature_disabled")
    assert off.headers["x-should-retry"] == "false"
    for fault, status in ((ProviderUnavailable("busy", retry_after_s=7), 503), (ProviderRejected("no key"), 502)):
        async with door(tmp_path / fault.code, llm=ScriptedClient([fault])) as at:
            await at.memory.remember(MOVED)
            failed = await at.client.post(_PATH, json={"model": "voice/synthesize", "messages": [_USER]})
        assert (failed.status_code, _error(failed.json())["code"]) == (status, fault.code)
        assert (failed.headers.get("retry-after"), fault.message in failed.text) == (
            "7" if status == 503 else None,
            True,
        )
