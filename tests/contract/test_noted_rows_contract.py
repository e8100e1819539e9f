"""What programs noted is found by what its owner said of it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from store_values import NOON, Stores, observation, thought
from voice.core.records import Origin, Thought
from voice.core.vouch import Vouch
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("ruling:J2")


def noted(key: str, state: Vouch) -> Thought:
    spans = (0, 4) if state is Vouch.PARTLY else ()
    return thought(key, "Text of a tool.", origin=Origin.TOOL, vouched=state, vouched_spans=spans)


async def test_they_are_found_by_their_states_in_the_order_in_which_they_were_recorded(stores: Stores) -> None:
    days = {2: NOON, 1: NOON + timedelta(days=1)}
    rows = [replace(noted(f"{at}{state.value}", state), recorded_at=days[at]) for at in days for state in sorted(Vouch)]
    await stores.memory.write(WriteBatch(rows=(*rows, thought("own"), observation("1"))))
    assert await stores.noted.noted((Vouch.WAITING,)) == ["t:2waiting", "t:1waiting"]
    assert await stores.noted.noted((Vouch.APPROVED, Vouch.PARTLY)) == [
        "t:2approved", "t:2partly", "t:1approved", "t:1partly",
    ]  # fmt: skip
    assert await stores.noted.noted(tuple(Vouch)) == [row.id for row in rows]
    assert await stores.noted.noted(()) == []


async def test_a_decision_moves_a_note_from_one_state_to_another(stores: Stores) -> None:
    note = noted("1", Vouch.WAITING)
    await stores.memory.write(WriteBatch(rows=(note,)))
    await stores.memory.write(WriteBatch(rows=(replace(note, vouched=Vouch.DECLINED, revision=note.revision + 1),)))
    assert await stores.noted.noted((Vouch.WAITING,)) == []
    assert await stores.noted.noted((Vouch.DECLINED,)) == ["t:1"]
