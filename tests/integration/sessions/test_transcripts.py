"""Conversations leave a store and come into one: whole, checked, and never over what is there."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from played_turns import KILN, ask, memory, tell
from travelling_conversations import begun, carried, content, exported, full, kept, save, talk
from voice.adapters.files.session_file import parse_session
from voice.adapters.system.clock_and_ids import CountingIds
from voice.bootstrap import Services
from voice.core.errors import DataFileError, StoreDamaged
from voice.core.session.lifecycle import append
from voice.core.session.turn_traces import with_link

pytestmark = pytest.mark.requirement("sessions:portable")
Json = dict[str, object]


async def test_a_conversation_goes_to_another_store_and_back_unchanged(
    tmp_path: Path, here: Services, there: Services
) -> None:
    session_id = await talk(here)
    done = await carried(here, there, session_id, tmp_path)
    assert (done.added, done.known, done.new_ids, done.is_own) == (3, 0, 0, False)
    mine, theirs = await kept(here, session_id), await kept(there, session_id)
    assert [content(each) for each in theirs[1]] == [content(each) for each in mine[1]]
    assert [each.imported_from for each in theirs[1]] == [each.link for each in mine[1]]
    counted = ("total_exchanges", "answered", "refused", "total_tokens", "total_cost", "thread_topic", "status")
    assert [getattr(theirs[0], name) for name in counted] == [getattr(mine[0], name) for name in counted]
    back = await carried(there, here, session_id, tmp_path)
    assert (back.added, back.known) == (0, 3)
    assert await there.transcripts.faults() == []


@pytest.mark.parametrize("forged", ["the answer", "its sentence too"])
async def test_words_that_a_source_here_does_not_say_are_not_taken_for_proven(
    tmp_path: Path, here: Services, there: Services, forged: str
) -> None:
    turn = (await kept(here, await talk(here)))[1][0]
    await tell(there, *KILN)  # both stores count their ids from one
    said = "The kiln is radioactive."
    first = replace(turn.sentences[0], start=0, end=len(said), text=said)
    other = replace(turn, id="x:1", session_id=begun().id, answer=said.ljust(len(turn.answer), "."))
    other = other if forged == "the answer" else replace(other, sentences=(first,))
    path = await exported(here, await save(here, other), tmp_path / "a.json")
    with pytest.raises(DataFileError, match="turn 1 shows words as proven"):
        await there.transcripts.bring_in(str(path))
    assert (await there.store.status()).exchanges == 0


async def test_an_id_that_is_taken_gets_another_one_and_links_follow(
    tmp_path: Path, here: Services, there: Services
) -> None:
    session_id = await talk(here)
    await tell(there, *KILN)
    theirs = await ask(there, new_topic="something else entirely")
    assert theirs.session.id == session_id  # both stores count their ids from one
    path = str(await exported(here, session_id, tmp_path / "a.json"))
    done = await there.transcripts.bring_in(path)
    assert done.session_id != session_id
    assert (done.added, done.new_ids) == (3, 2)
    held, turns = await kept(there, session_id)
    assert (held, [replace(each, seq=0) for each in turns]) == (
        replace(theirs.session, context_window=()),
        [theirs.exchange],
    )
    arrived = (await kept(there, done.session_id))[1]
    shown = [each for turn in arrived if turn.prompt for each in turn.prompt.window_exchange_ids]
    assert shown
    assert set(shown) <= {each.id for each in arrived}
    assert await there.maintenance.verify() == []
    assert await there.transcripts.faults() == []
    assert (await there.transcripts.bring_in(path)).added == 0


async def test_two_histories_that_part_are_both_kept(tmp_path: Path) -> None:
    ids = CountingIds()
    async with memory(tmp_path / "one", ids=ids) as here, memory(tmp_path / "two", ids=ids) as there:
        session_id = await talk(here)
        await carried(here, there, session_id, tmp_path)
        await ask(here, "What needs cobalt?", session_id=session_id)
        await tell(there, *KILN)
        await ask(there, session_id=session_id)
        done = await carried(here, there, session_id, tmp_path)
        assert done.session_id != session_id
        assert done.added == 4
        assert len((await kept(there, session_id))[1]) == 4


async def test_of_a_private_turn_only_figures_leave_and_the_chain_still_holds(
    tmp_path: Path, here: Services, there: Services
) -> None:
    turns = [full(index, is_private=index == 1) for index in range(3)]
    session_id = await save(here, *(replace(each, my_query=f"SECRET{each.index}") for each in turns))
    path = await exported(here, session_id, tmp_path / "a.json")
    assert "SECRET0" in path.read_text()
    assert "SECRET1" not in path.read_text()
    written = cast("list[dict[str, Json]]", json.loads(path.read_text())["exchanges"])[1]
    assert written["values"].keys() == written["nonces"].keys()
    assert {"my_query", "answer", "prompt"} <= written["commitments"].keys() - written["values"].keys()
    done = await there.transcripts.bring_in(str(path))
    assert done.undisclosed == 1
    arrived = (await kept(there, session_id))[1]
    assert (arrived[1].my_query, arrived[1].answer, arrived[1].is_private) == ("", "", True)
    assert arrived[1].cost_estimate == turns[1].cost_estimate
    assert await there.transcripts.faults() == []
    assert (await there.transcripts.bring_in(str(path))).added == 0
    onward = await exported(there, session_id, tmp_path / "b.json", include_private=True)
    assert "SECRET1" not in onward.read_text()
    assert (await here.transcripts.bring_in(str(onward))).added == 0


async def test_a_turn_that_was_changed_in_the_store_does_not_leave(here: Services) -> None:
    turn = with_link(full(0), after="", key=here.transcripts.key)
    changed = replace(turn, answer="Something else.")
    await here.sessions.save(replace(append(begun(), changed), revision=1), [changed], expected=0)
    with pytest.raises(StoreDamaged, match="turn 1 of s:1"):
        await here.transcripts.export("s:1")
    assert await here.transcripts.faults() == ["s:1: its turn 1 is not what was stored, or not in its place"]


async def test_turns_that_were_cut_off_in_the_store_are_seen(here: Services) -> None:
    turn = with_link(full(0), after="", key=here.transcripts.key)
    grown = replace(append(begun(), turn), revision=1, last_link="f" * 64)
    await here.sessions.save(grown, [turn], expected=0)
    assert await here.transcripts.faults() == ["s:1: its newest turn is not the last one that was stored"]


def _turn(document: Json, place: int) -> dict[str, Json]:
    return cast("list[dict[str, Json]]", document["exchanges"])[place]


def _set(place: int, part: str, name: str, value: object) -> Callable[[Json], None]:
    return lambda document: _turn(document, place)[part].__setitem__(name, value)


def _drop(place: int) -> Callable[[Json], None]:
    return lambda document: cast("list[object]", document["exchanges"]).pop(place).__class__ and None


def _swap(document: Json) -> None:
    turns = cast("list[object]", document["exchanges"])
    turns[0], turns[1] = turns[1], turns[0]


def _drop_value(document: Json) -> None:
    for part in ("values", "nonces", "commitments"):
        del _turn(document, 0)[part]["answer"]


TAMPERED: dict[str, tuple[Callable[[Json], None], str]] = {
    "an answer": (_set(0, "values", "answer", "No."), r"exchanges\[0\]\.values\.answer"),
    "a verdict": (_set(2, "values", "sentences", []), r"exchanges\[2\]\.values\.sentences"),
    "a time": (_set(1, "values", "timestamp", "2026-01-01T00:00:00Z"), r"exchanges\[1\]\.values\.timestamp"),
    "an id": (_set(1, "values", "id", "x:other"), r"exchanges\[1\]\.values\.id"),
    "a nonce": (_set(0, "nonces", "answer", "0" * 64), r"exchanges\[0\]\.values\.answer"),
    "a commitment": (_set(0, "commitments", "notes", "0" * 64), r"exchanges\[0\]\.link"),
    "a nonce too many": (_set(0, "nonces", "notes", "0" * 64), r"exchanges\[0\]\.nonces"),
    "a value gone": (_drop_value, r"exchanges\[0\]\.link"),
    "the first turn gone": (_drop(0), r"exchanges\[0\]\.values\.index"),
    "the last turn gone": (_drop(2), r"session: it was changed"),
    "two turns swapped": (_swap, r"exchanges\[0\]\.values\.index"),
    "the topic": (lambda document: cast("Json", document["session"]).__setitem__("thread_topic", "x"), r"session: "),
    "a number as text": (_set(0, "values", "index", "0"), r"exchanges\[0\]\.values\.index: it is of another kind"),
    "an unknown member": (_set(0, "values", "mood", "good"), r"exchanges\[0\]\.values: it has a member"),
    "a verdict that is none": (_set(0, "values", "status", "maybe"), r"exchanges\[0\]\.values\.status: it is none of"),
    "no format": (lambda document: document.__delitem__("format"), r"format: it must be voice-session/1"),
    "a later format": (lambda document: document.__setitem__("format", "voice-session/2"), r"update voice"),
    "a member gone": (lambda document: document.__delitem__("seal"), r"the document: something that must be there"),
}


async def test_a_file_that_was_changed_is_refused_with_its_place(
    tmp_path: Path, here: Services, there: Services
) -> None:
    path = await exported(here, await talk(here), tmp_path / "a.json")
    whole = path.read_text()
    for change, place in TAMPERED.values():
        document = cast("Json", json.loads(whole))
        change(document)
        path.write_text(json.dumps(document))
        with pytest.raises(DataFileError, match=place):
            await there.transcripts.bring_in(str(path))
    assert (await there.store.status()).sessions == 0


async def test_a_broken_file_is_told_in_one_line_whatever_is_broken(tmp_path: Path, here: Services) -> None:
    """Bytes and members put in, taken out and replaced at random: an error with a place, or the conversation."""
    path = await exported(here, await talk(here), tmp_path / "a.json")
    whole = path.read_bytes()
    chance = random.Random(7)
    told = [_told(_broken(whole, chance)) for _ in range(300)]
    refused = [message for message in told if message is not None]
    assert len(refused) > 250
    assert [each for each in refused if "a.json" not in each or "kiln" in each.lower()] == []


def _told(data: bytes) -> str | None:
    try:
        parse_session(data, "a.json")
    except DataFileError as error:
        return error.message
    return None


_ODD: tuple[object, ...] = (
    None, True, -1, 1e308, 2**70, "", "\ud800", "x" * 5000, [], {}, "1e400", "0000-00-00T00:00:00Z"
)  # fmt: skip
_BYTES = (b"", b"\xff", b"1e999", b"NaN", b"{", b"\x00")


def _broken(whole: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.3:
        at = chance.randrange(len(whole))
        return whole[:at] + chance.choice(_BYTES) + whole[at + 1 :]
    document = cast("Json", json.loads(whole))
    node: object = document
    while chance.random() < 0.9:
        step = _step(node, chance)
        if step is None:
            break
        inner = step[0]
        if not isinstance(inner, dict | list):
            break
        node = cast("object", inner)
    step = _step(node, chance)
    if step is None:
        return b"[" * chance.randrange(5000)
    step[1](chance.choice(_ODD))
    return json.dumps(document).encode()


def _step(node: object, chance: random.Random) -> tuple[object, Callable[[object], None]] | None:
    if isinstance(node, dict) and node:
        members = cast("Json", node)
        name = chance.choice(list(members))
        return members[name], lambda value: members.__setitem__(name, value)
    if isinstance(node, list) and node:
        items = cast("list[object]", node)
        place = chance.randrange(len(items))
        return items[place], lambda value: items.__setitem__(place, value)
    return None
