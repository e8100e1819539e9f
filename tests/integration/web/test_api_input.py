"""What is sent to the interface for programs, and what cannot be meant."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import cast

import anyio
import httpx
import pytest

from tables import tables
from voice.core.records import Origin, RowStatus
from voice.entrypoints.web.api.operations import OPERATIONS
from voice.entrypoints.web.server import make_app
from voice.ports.stores import WriteBatch
from voice.services.memory.ingest_values import NewThought
from voice.services.memory.remember import remember_once
from web_door import API, BEARER, DOCUMENT, ORIGIN, Door, door, guard, told

TABLES = tables(__file__)


@pytest.fixture
async def at(tmp_path: Path) -> AsyncGenerator[Door]:
    async with door(tmp_path) as opened:
        yield opened


@pytest.mark.requirement("http:problems")
async def test_what_cannot_be_meant_is_a_problem_and_nothing_of_it_is_stored(at: Door) -> None:
    for body, headers, status, code in TABLES["what_cannot_be_meant_is_a_problem"]:
        how = {"content": body.encode("latin-1"), "headers": {"Content-Type": "application/json", **headers}}
        assert (await told(at, "POST", "/retrieve", status=status, **how))["code"] == code
    twice = [("Content-Type", "application/json"), ("Content-Type", "text/plain")]
    refused = await at.client.post(f"{API}/retrieve", content=b'{"query": "kiln"}', headers=twice)
    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_media_type")
    plain = {"Content-Type": "application/json", "Content-Encoding": "Identity"}
    await told(at, "POST", "/retrieve", content=b'{"query": "kiln"}', headers=plain)
    body = b'{"content": "The safe opens with 1234.", "is_private": true, "is_private": false}'
    problem = await told(
        at, "POST", "/thoughts", content=body, headers={"Content-Type": "application/json"}, status=422
    )
    assert problem["faults"] == [{"at": "is_private", "what": "it is there twice; give it once"}]
    for key in ("", "x" * 201):
        keyed = {"json": {"content": "Cone ten."}, "headers": {"Idempotency-Key": key}}
        await told(at, "POST", "/thoughts", status=422, **keyed)
    assert await at.memory.services.store.changes(0, 1) == []


async def test_events_are_sent_to_who_asks_for_them_and_a_head_without_its_body(at: Door) -> None:
    for accept, streams in TABLES["events_are_sent_to_who_asks_for_them"]:
        answer = await at.client.post(f"{API}/ask", json={"question": "Where is Zanzibar?"}, headers={"Accept": accept})
        assert answer.headers["content-type"].startswith("text/event-stream") is streams
    head = await at.client.head(f"{API}/pins")
    assert (head.status_code, head.content) == (200, b"")
    assert (await at.client.get(f"{API}/openapi.json")).json() == DOCUMENT


@pytest.mark.requirement("http:tags")
async def test_a_tag_has_an_end(at: Door) -> None:
    said = {"content": "Cone ten.", "tags": ["ok", "t" * 201]}
    problem = await told(at, "POST", "/thoughts", json=said, status=422)
    assert (problem["code"], "tags: one has 201 characters" in str(problem["detail"])) == ("invalid_params", True)
    await told(at, "POST", "/thoughts", json={**said, "tags": ["t" * 200]}, status=201)


@pytest.mark.requirement("http:idempotency")
async def test_a_thought_is_stored_once_under_its_key_also_by_a_server_that_was_started_again(tmp_path: Path) -> None:
    key, body = (
        {"Idempotency-Key": "k"},
        {"content": "  Cone ten.", "tags": ["kiln"], "at": "2026-03-05T14:00:00+01:00"},
    )
    async with door(tmp_path) as at:
        first = await at.client.post(f"{API}/thoughts", json=body, headers=key)
        restarted = make_app(at.memory, guard=guard())
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(restarted), base_url=ORIGIN, headers=BEARER
        ) as client:
            again = await client.post(f"{API}/thoughts", json=body, headers=key)
            wrong = [
                await client.post(f"{API}/thoughts", json={**body, **other}, headers=key)
                for other in ({"content": "Cone nine."}, {"is_private": True}, {"tags": ["glaze"]}, {"kind": "error"})
            ]
            fresh = await client.post(f"{API}/thoughts", json=body, headers={"Idempotency-Key": "l"})
    assert (first.status_code, again.status_code, again.json()["id"]) == (201, 201, first.json()["id"])
    assert (again.headers["idempotency-replayed"], again.json()["observations"]) == ("true", 0)
    assert {(answer.status_code, answer.json()["code"]) for answer in wrong} == {(422, "key_reused")}
    assert fresh.json()["id"] not in (None, first.json()["id"])


@pytest.mark.requirement("http:idempotency", "promise:6")
async def test_a_thought_whose_words_were_taken_away_is_not_stored_again_under_its_key(tmp_path: Path) -> None:
    async with door(tmp_path) as at:
        ingest = at.memory.services.ingest
        sent = NewThought(content="The safe opens with 1234.", origin=Origin.TOOL)
        kept = (await remember_once(ingest, sent, "k")).report.stored
        row = (await ingest.store.fetch(kept))[kept[0]]
        gone = replace(row, content="", status=RowStatus.REDACTED, revision=row.revision + 1)  # pyright: ignore[reportCallIssue]
        await ingest.store.write(WriteBatch(rows=(gone,)))
        again = await remember_once(ingest, sent, "k")
    assert (again.report.stored, again.is_replayed) == (kept, True)


@pytest.mark.requirement("http:operations")
async def test_what_is_changed_of_a_session_together_is_changed_together_or_not_at_all(at: Door) -> None:
    await at.memory.ask("Where is the kiln?")
    (session,) = await at.memory.services.life.listed(limit=5)
    path = f"/sessions/{session.id}"
    everything = {"thread_topic": "the kiln", "topic_status": "resolved", "status": "closed"}
    before = (await at.memory.services.life.show(session.id))[0].revision
    made = await told(at, "PATCH", path, json=everything)
    after = (await at.memory.services.life.show(session.id))[0].revision
    await told(at, "PATCH", path, json={"thread_topic": "  ", "status": "open"}, status=422)
    stands, _ = await at.memory.services.life.show(session.id)
    opened = await told(at, "PATCH", path, json={"status": "open"})
    assert {name: made[name] for name in ("status", "topic_status")} == {"status": "closed", "topic_status": "resolved"}
    assert (after - before, stands.status, opened["status"]) == (1, "closed", "open")


@pytest.mark.requirement("http:idempotency")
async def test_what_failed_under_a_key_is_tried_again(at: Door) -> None:
    key = {"Idempotency-Key": "k"}
    pin = {"target": "t:nobody", "reason": "it matters"}
    await told(at, "POST", "/pins", json=pin, headers=key, status=404)
    await told(at, "POST", "/pins", json=pin, headers=key, status=404)


@pytest.mark.requirement("http:idempotency")
async def test_the_same_request_while_the_first_is_under_way_is_told_so(at: Door) -> None:
    began, go_on = anyio.Event(), anyio.Event()
    ingest = at.memory.services.ingest
    embed = ingest.embedder.embed

    async def slowly(texts: object) -> object:
        began.set()
        await go_on.wait()
        return await embed(texts)  # pyright: ignore[reportArgumentType]

    object.__setattr__(ingest.embedder, "embed", slowly)
    key = {"Idempotency-Key": "k"}
    async with anyio.create_task_group() as group:
        group.start_soon(_remembered, at, key)
        await began.wait()
        problem = await told(at, "POST", "/thoughts", json={"content": "Cone ten."}, headers=key, status=409)
        assert problem["code"] == "in_progress"
        go_on.set()


async def _remembered(at: Door, key: dict[str, str]) -> None:
    await told(at, "POST", "/thoughts", json={"content": "Cone ten."}, headers=key, status=201)


@pytest.mark.requirement("http:operations", "http:problems")
def test_the_document_tells_every_status_and_header_that_any_operation_can_be_answered_with() -> None:
    paths = cast("dict[str, dict[str, dict[str, dict[str, dict[str, object]]]]]", DOCUMENT["paths"])
    for operation in OPERATIONS:
        told = paths[f"{API}{operation.path}"][operation.method.lower()]["responses"]
        assert {"400", "401", "403", "405", "408", "421", "429", "431", "500", "503"} <= told.keys(), operation.id
        assert "Retry-After" in cast("dict[str, object]", told["429"]["headers"])
        assert "Retry-After" in cast("dict[str, object]", told["503"]["headers"])
        assert ("outcome_unknown" in str(told["500"])) is (operation.method != "GET")
        kept = cast("dict[str, object]", told[f"{operation.status}"].get("headers", {}))
        assert ("Idempotency-Replayed" in kept) is (operation.once != "no")


_READS = ("foresee", "retrieve", "recall", "check")
"""What is asked in a body and changes nothing."""


@pytest.mark.requirement("http:operations")
def test_every_operation_has_a_name_of_its_own_and_every_brace_a_meaning() -> None:
    assert len({operation.id for operation in OPERATIONS}) == len(OPERATIONS)
    assert len({(operation.method, operation.path) for operation in OPERATIONS}) == len(OPERATIONS)
    for operation in OPERATIONS:
        braces = {part[1:-1] for part in operation.path.split("/") if part.startswith("{")}
        assert braces == operation.needs.keys(), operation.id
        assert operation.once != "no" or operation.method == "GET" or operation.id in _READS
