"""One process holds the store, the others are its guests, and whoever goes away is survived."""

import json
import signal
from pathlib import Path

import jsonschema
import pytest

from cli_runner import SCHEMAS, SETTINGS, findings
from commands_here import run_here
from held_processes import Start
from voice.adapters.surreal.opening import open_store
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, read_holder_card


async def _kept(home: Path) -> set[str]:
    async with await open_store("surrealkv://memory", home=home) as stores:
        assert await stores.maintenance.verify() == []
        changes = await stores.memory.changes(0, 10_000)
        keys = [change.row_id.removeprefix("t:") for change in changes]
        assert len(keys) == len(set(keys))
        return set(keys)


@pytest.mark.requirement("holder:one", "holder:hands-over", "holder:busy")
async def test_the_first_holds_the_store_the_others_use_it_without_an_engine_and_it_hands_over(
    start: Start, tmp_path: Path
) -> None:
    holder, one, other = start(), start("--wait", "1"), start()
    assert (holder.said, one.said) == ("open", "open")
    assert (holder("status"), one("status")) == ("ok holder", "ok guest")
    assert (one("write a"), holder("write b")) == ("ok", "ok")
    assert (holder("read a"), one("read b")) == ("ok yes", "ok yes")
    assert (holder("engine"), one("engine")) == ("ok yes", "ok no")
    one.tell("sleep 3s")
    assert other("write meanwhile") == "ok"
    assert one.hears() == "ok", "a statement that takes longer than the wait is waited for"
    assert holder("close") == "ok"
    assert holder.wait() == 0
    assert (one("read a"), other("write c")) == ("ok yes", "ok")
    assert sorted([one("status"), other("status")]) == ["ok guest", "ok holder"]
    assert (one("close"), other("close")) == ("ok", "ok")
    assert not HoldingPlace(tmp_path / "memory").socket.exists()
    assert await _kept(tmp_path) == {"a", "b", "c", "meanwhile"}


@pytest.mark.requirement("holder:killed", "promise:3")
async def test_no_acknowledged_write_is_lost_or_doubled_when_holders_are_killed(start: Start, tmp_path: Path) -> None:
    guests = [start() for _ in range(3)]
    acknowledged: set[str] = set()
    unknown: set[str] = set()
    while len(guests) > 1:
        under_way = [
            (guest, f"{len(guests)}-{place}-{number}") for place, guest in enumerate(guests) for number in range(6)
        ]
        for guest, key in under_way:
            guest.tell(f"write {key}")
        holder = next(guest for guest in guests if guest.pid == _holder(tmp_path))
        assert guests[0].hears() == "ok"
        acknowledged.add(under_way[0][1])
        holder.send(signal.SIGKILL)
        for guest, key in under_way[1:]:
            said = guest.hears()
            if said == "ok":
                acknowledged.add(key)
            elif guest is not holder:
                assert said.startswith("outcome_unknown")
                unknown.add(key)
        guests.remove(holder)
    assert guests[0]("close") == "ok"
    assert acknowledged <= await _kept(tmp_path)
    assert unknown == set()  # every one of them could be looked up


def _holder(home: Path) -> int | None:
    card = read_holder_card(HoldingPlace(home / "memory"))
    return None if card is None else card.pid


@pytest.mark.requirement("holder:asleep", "holder:unknown")
async def test_a_holder_that_is_stopped_is_named_and_what_it_was_sent_is_there_at_most_once(
    start: Start, tmp_path: Path
) -> None:
    holder, guest = start(), start("--wait", "2")
    assert guest("write before") == "ok"
    holder.send(signal.SIGSTOP)
    said = guest("read before")
    assert said.startswith("store_unavailable")
    assert f"(process {holder.pid}) has not answered for 2 seconds" in said
    assert f"kill -CONT {holder.pid}" in said
    assert guest("write meanwhile").startswith(("outcome_unknown", "store_unavailable", "store_held"))
    assert start("--wait", "2").said.startswith("store_held")
    holder.send(signal.SIGCONT)
    assert (guest("write after"), holder("read after")) == ("ok", "ok yes")
    assert (guest("close"), holder("close")) == ("ok", "ok")
    assert {"before", "after"} <= await _kept(tmp_path) <= {"before", "meanwhile", "after"}


@pytest.mark.requirement("holder:step-down")
def test_a_newer_program_takes_the_store_over_and_the_older_ones_become_its_guests(start: Start) -> None:
    older, guest = start(), start()
    assert older("write a") == "ok"
    newer = start("--version", "9.0.0")
    assert (newer.said, newer("status"), newer("read a")) == ("open", "ok holder", "ok yes")
    assert (older("write b"), guest("write c")) == ("ok", "ok")
    assert (older("status"), guest("status"), newer("read c")) == ("ok guest", "ok guest", "ok yes")


@pytest.mark.requirement("holder:step-down")
def test_an_older_program_is_told_that_the_store_has_a_newer_form(start: Start) -> None:
    newer = start("--version", "9.0.0", "--format", "900")
    assert newer.said == "open"
    said = start().said
    assert said.startswith("schema_drift")
    assert f"(process {newer.pid}) is voice 9.0.0" in said


@pytest.mark.requirement("holder:doctor")
def test_the_doctor_names_the_holder_and_its_guests_and_clears_up_after_a_killed_one(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "voice.toml").write_text(SETTINGS)
    assert run_here("remember", "The kiln is in the shed.", home=tmp_path).code == 0
    holder, guest = start(), start()
    assert holder("status") == "ok holder"
    ran = run_here("doctor", "--json", home=tmp_path)
    jsonschema.validate(ran.json, json.loads((SCHEMAS / "cli" / "doctor.schema.json").read_text()))
    told = ran.json["holder"]
    assert (told["pid"], [each["pid"] for each in told["guests"]]) == (holder.pid, [guest.pid])
    assert f"process {holder.pid}" in findings(ran)["holder"]["detail"]
    for each in (guest, holder):
        each.send(signal.SIGKILL)
        each.wait()
    ran = run_here("doctor", "--json", home=tmp_path)
    said = "no process holds the store; voice removed what a killed one left behind"
    assert (ran.json["holder"], findings(ran)["holder"]["detail"]) == (None, said)
    assert sorted(each.name for each in tmp_path.glob("memory*")) == ["memory"]
