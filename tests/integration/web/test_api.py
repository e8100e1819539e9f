"""The interface for programs, operation by operation, held against its own document."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import cast

import pytest

from voice.core.graph.review.candidates import CandidateStatus
from voice.core.records import Origin, Thought
from web_door import API, Door, door, told

_VERDICTS = "/kg/candidates/verdicts"
_KILN = "Moved the kiln to the shed."
_NAMES = "Marta Lind works at Clay Co in Lisbon. Marta Lind fired the kiln with Jonas Berg."


@pytest.fixture
async def at(tmp_path: Path) -> AsyncGenerator[Door]:
    async with door(tmp_path) as opened:
        await opened.memory.remember(_KILN, tags=["kiln"])
        await opened.memory.remember("The safe opens with 1234.", is_private=True)
        yield opened


@pytest.mark.requirement("http:operations")
async def test_asks_and_answers_with_proof(at: Door) -> None:
    turn = await told(at, "POST", "/ask", json={"question": "Where did I move the kiln?"})
    short = await told(at, "POST", "/ask", json={"question": "Where is the kiln?", "shape": "nlq"})
    explained = await told(at, "POST", "/ask", json={"question": "Where is the kiln?", "explain": True})
    foreseen = await told(at, "POST", "/ask/dry-run", json={"question": "Where is the kiln?"})
    assert (turn["status"], turn["replayed"]) == ("answered", False)
    assert short.keys() == {"answer", "sources"}
    assert "understood" in explained
    assert foreseen["would_ask"] is True


@pytest.mark.requirement("http:idempotency")
async def test_a_question_under_a_key_is_asked_once(at: Door) -> None:
    key = {"Idempotency-Key": "one"}
    asked = [await at.client.post(f"{API}/ask", json={"question": "Where is the kiln?"}, headers=key) for _ in range(2)]
    other = await told(at, "POST", "/ask", json={"question": "Who?"}, headers=key, status=422)
    first, again = (answer.json() for answer in asked)
    assert (again["id"], again["replayed"], other["code"]) == (first["id"], True, "key_reused")
    assert [answer.headers.get("idempotency-replayed") for answer in asked] == [None, "true"]


@pytest.mark.requirement("http:origin-of-words", "ruling:H.3b")
async def test_what_comes_over_http_is_of_origin_tool_and_waits_for_review(at: Door) -> None:
    kept = await told(at, "POST", "/thoughts", json={"content": _NAMES, "tags": ["a"], "kind": "note"}, status=201)
    row_id = str(kept["id"])
    row = (await at.memory.services.store.fetch([row_id]))[row_id]
    assert isinstance(row, Thought)
    assert (row.origin, kept["observations"]) == (Origin.TOOL, 0)


@pytest.mark.requirement("http:origin-of-words")
async def test_candidates_are_listed_judged_and_approved_by_a_tool(at: Door) -> None:
    await at.memory.remember(_NAMES)
    every = await told(at, "GET", "/kg/candidates")
    listed = cast("list[dict[str, object]]", every["items"])
    first = await told(at, "GET", "/kg/candidates", params={"limit": "1"})
    rest = await told(at, "GET", "/kg/candidates", params={"cursor": str(first["next"])})
    assert [*cast("list[object]", first["items"]), *cast("list[object]", rest["items"])] == listed
    assert len(listed) > 1
    entities = [str(each["id"]) for each in listed if each["kind"] == "entity"]
    verdicts = [{"verdict": "approve", "candidate": entities[0]}]
    dry = await told(at, "POST", _VERDICTS, json={"verdicts": verdicts, "dry_run": True})
    done = await told(at, "POST", _VERDICTS, json={"verdicts": verdicts})
    held = await at.memory.services.review.moderation.candidates.fetch(entities)
    assert (dry["dry_run"], done["dry_run"]) == (True, False)
    assert held[entities[0]].status is CandidateStatus.APPROVED
    assert held[entities[0]].decided_by is Origin.TOOL
    known = await told(at, "GET", "/kg/entities")
    name = str(cast("list[dict[str, object]]", known["items"])[0]["name"])
    around = await told(at, "GET", f"/kg/entities/{name}")
    assert cast("dict[str, object]", around["entity"])["name"] == name
    verdicts = [
        {"verdict": "alias", "candidate": entities[1], "entity": name},
        {"verdict": "edit", "candidate": entities[2], "name": "Somebody", "entity_type": "person"},
        {"verdict": "reject", "candidate": entities[2], "reason": "nobody"},
    ]
    for verdict in verdicts:
        await told(at, "POST", _VERDICTS, json={"verdicts": [verdict]})
    held = await at.memory.services.review.moderation.candidates.fetch(entities)
    assert (held[entities[1]].status, held[entities[2]].reason) == (CandidateStatus.APPROVED, "nobody")


@pytest.mark.requirement("http:origin-of-words")
async def test_what_a_program_noted_is_corrected_and_the_words_of_a_person_are_not(at: Door) -> None:
    own = (await at.memory.remember("Jonas has the key.")).stored[0]
    noted = str((await told(at, "POST", "/thoughts", json={"content": _NAMES}, status=201))["id"])
    said = {"row": noted, "text": "Marta has the key.", "reason": "misheard"}
    dry = await told(at, "POST", "/corrections", json={**said, "dry_run": True})
    done = await told(at, "POST", "/corrections", json=said)
    assert (dry["id"], done["replaced"]) == (None, noted)
    (sentence, *_) = await at.memory.services.graph.derived_from([own])
    for body in ({**said, "row": own}, {**said, "row": sentence.id}, {"row": noted}):
        assert (await told(at, "POST", "/corrections", json=body, status=422))["code"] == "invalid_params"
    assert {each.status for each in (await at.memory.services.store.fetch([own, sentence.id])).values()} == {"active"}


@pytest.mark.requirement("http:paging", "promise:6")
async def test_rows_are_leafed_through_and_one_is_told_with_where_it_comes_from(at: Door) -> None:
    pages = [await told(at, "GET", "/sources", params={"limit": "1"})]
    while pages[-1]["next"] is not None:
        pages.append(await told(at, "GET", "/sources", params={"limit": "1", "cursor": str(pages[-1]["next"])}))
    rows = [cast("dict[str, dict[str, str]]", each) for page in pages for each in cast("list[object]", page["items"])]
    observation = next(each["row"]["id"] for each in rows if each["row"]["id"].startswith("o:"))
    thought = await told(at, "GET", "/sources", params={"table": "thoughts", "tag": "kiln", "superseded": "true"})
    whole = await told(at, "GET", f"/sources/{observation}")
    assert [each["text"] for each in rows] == [_KILN, _KILN]
    assert len(cast("list[object]", thought["items"])) == 1
    assert "1234" not in str(pages)
    assert [each["text"] for each in cast("list[dict[str, object]]", whole["grounds"])] == [_KILN]


@pytest.mark.requirement("promise:6")
async def test_a_private_id_is_answered_like_one_that_is_not_there_and_no_private_row_is_counted(at: Door) -> None:
    private = {"include_private": "true"}
    secret = (await at.memory.remember("Zoe Quill works at Vex Co.", tags=["kiln"], is_private=True)).stored[0]
    await at.memory.services.extracting.arrived([secret])
    waiting = await at.memory.services.review.moderation.candidates.candidates(limit=1)
    pinned = {"target": secret, "reason": "x", "allow_private": True}
    pin = str((await told(at, "POST", "/pins", json=pinned, status=201))["id"])
    for method, path, body, hidden in (
        ("GET", "/sources/ID", "", secret),
        ("DELETE", "/pins/ID", "", secret),
        ("DELETE", "/pins/ID", "", pin),
        ("POST", "/pins", '{"target": "ID", "reason": "x"}', secret),
        ("POST", "/corrections", '{"row": "ID", "text": "x"}', secret),
        ("POST", _VERDICTS, '{"verdicts": [{"verdict": "reject", "candidate": "ID"}]}', waiting[0].id),
    ):
        absent, said = f"{hidden[:2]}nobody", list[str]()
        for name in (hidden, absent):
            sent = {"content": body.replace("ID", name), "headers": {"Content-Type": "application/json"}}
            said.append(str(await told(at, method, path.replace("ID", name), status=404, **sent)))
        assert said[0].replace(hidden, absent) == said[1]
    listed = await told(at, "GET", "/sources", params={"tag": "kiln"})
    assert (secret in str(listed), "private" in listed) == (False, False)
    assert (await told(at, "GET", f"/sources/{secret}", params=private))["text"] == "Zoe Quill works at Vex Co."
    assert (await told(at, "GET", "/kg/candidates"))["total"] == 0
    assert (await told(at, "DELETE", f"/pins/{pin}", params=private))["removed"] == [pin]


async def test_a_session_is_shown_changed_forked_proven_and_deleted(at: Door) -> None:
    turn = await at.memory.ask("Where did I move the kiln?", new_topic="the kiln")
    name, path = turn.session.id, f"/sessions/{turn.session.id}"
    shown = await told(at, "GET", "/sessions/the kiln")
    change = {"thread_topic": "kilns", "topic_status": "resolved", "status": "closed"}
    renamed = await told(at, "PATCH", path, json=change)
    opened = await told(at, "PATCH", path, json={"status": "open"})
    nothing = await told(at, "PATCH", path, json={}, status=422)
    forked = await told(at, "POST", f"{path}/forks", json={"at": 1, "thread_topic": "electric"}, status=201)
    exported = await told(at, "GET", f"{path}/export")
    audit = await told(at, "GET", f"{path}/audit")
    await told(at, "GET", f"{path}/replay")
    dry = await told(at, "DELETE", path, params={"dry_run": "true"})
    refused = await told(at, "DELETE", path, status=422)
    gone = await told(at, "DELETE", path, params={"with_forks": "true"})
    await told(at, "GET", path, status=404)
    assert shown["id"] == name
    assert (renamed["thread_topic"], renamed["topic_status"], renamed["status"]) == ("kilns", "resolved", "closed")
    assert (opened["status"], nothing["code"]) == ("open", "invalid_params")
    assert (forked["thread_topic"], exported["format"], audit["grounded"]) == ("electric", "voice-session/1", True)
    assert (dry["needs_with_forks"], refused["code"], gone["deleted"]) == (True, "invalid_params", True)
    assert str(refused["detail"]).endswith("you can only delete them together: with_forks=true")


async def test_reports_settings_doctor_and_errors_are_told(at: Door) -> None:
    await at.memory.ask("Where did I move the kiln?")
    report = await told(at, "GET", "/report", params={"by": "day"})
    settings = await told(at, "GET", "/settings")
    doctor = await told(at, "GET", "/doctor")
    errors = await told(at, "GET", "/errors")
    budget = await told(at, "GET", "/errors/budget")
    lost = await told(at, "GET", "/errors/nothing", status=404)
    assert cast("dict[str, object]", report["total"])["turns"] == 1
    values = {each["name"]: each["value"] for each in cast("list[dict[str, str]]", settings["settings"])}
    assert values["llm.api_key"] == "not set"
    found = {each["name"] for each in cast("list[dict[str, str]]", doctor["findings"])}
    assert found >= {"store", "index", "retrieval"}
    assert len(cast("list[object]", errors["errors"])) > 20
    assert (budget["status"], lost["code"]) == (402, "unknown_id")


async def test_while_it_is_switched_off_nothing_is_asked_and_one_s_own_rows_stay_open(tmp_path: Path) -> None:
    async with door(tmp_path, flags={"gate.enabled": False}) as at:
        for path, said in (("/ask", {"question": "a"}), ("/retrieve", {"query": "a"}), ("/recall", {"query": "a"})):
            refused = await told(at, "POST", path, json=said, status=403)
            assert refused["code"] == "feature_disabled"
        await told(at, "POST", "/thoughts", json={"content": "Cone ten."}, status=201)
