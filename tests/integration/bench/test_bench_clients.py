"""The bench of many processes on one memory, in its short form: sound, with a holder killed on the way."""

from collections import Counter
from pathlib import Path
from typing import cast

import pytest
from bench.clients import ENOUGH, FAIR, Found, Share, judge, measure, row
from bench.clients_worker import note, question


@pytest.mark.requirement("holder:fair", "holder:killed")
def test_clients_lose_and_double_nothing_while_a_holder_is_killed(tmp_path: Path) -> None:
    found = measure(tmp_path / "home", clients=3, operations=8, kills=1, seed=3)
    assert found["wrong"] == {kind: [] for kind in cast("dict[str, object]", found["wrong"])}
    assert found["sound"] is True
    assert (found["operations"], found["holders_killed"]) == (24, 1)
    assert set(cast("dict[str, object]", found["per_client"])) == {"c0", "c1", "c2"}
    assert row(found).startswith("| 3 | 24 | 1 | ")
    assert set(cast("dict[str, object]", found["fairness_by_kind"])) == {"ask", "read", "remember", "session"}


def _share(*said: dict[str, object], begun: tuple[str, ...] = ()) -> Share:
    return Share(name="c0", left=0, said=list(said), begun=list(begun))


def _found(*texts: str, faults: tuple[str, ...] = ()) -> Found:
    return Found(notes=Counter(texts), turns=Counter(texts), faults=faults)


@pytest.mark.parametrize(
    ("share", "found", "kind"),
    [
        (_share({"op": "remember", "key": "a"}), _found(), "lost"),
        (_share({"op": "ask", "key": "a"}), _found(question("a"), question("a")), "doubled"),
        (_share({"op": "read", "key": "a", "wrong": "b"}), _found(), "misread"),
        (_share(begun=("a",)), _found(note("a"), note("a")), "doubled"),
        (_share({"op": "remember", "key": "a", "unknown": True}), _found(), "outcome_unknown"),
        (_share(), _found(note("z")), "unknown_to_anybody"),
        (_share(), _found(faults=("half",)), "faults"),
    ],
)
def test_what_went_wrong_is_told(share: Share, found: Found, kind: str) -> None:
    wrong = judge([share], found, kills=0)
    assert [name for name, told in wrong.items() if told] == [kind]


def test_an_outcome_that_was_said_to_be_unknown_may_be_there_or_not() -> None:
    unknown: dict[str, object] = {"op": "remember", "key": "a", "unknown": True}
    for found in (_found(), _found(note("a"))):
        assert not any(judge([_share(unknown)], found, kills=1).values())
    assert judge([_share(unknown)], _found(), kills=0)["outcome_unknown"] != []


def _served(name: str, *ms: float) -> Share:
    """Return what a client said that was served at these times in turn, its reads always at once."""
    said: list[dict[str, object]] = [
        {"op": op, "key": "k", "ms": each} for took in ms for op, each in (("session", took), ("read", 1.0))
    ]
    return Share(name=name, left=0, said=said)


@pytest.mark.requirement("holder:fair")
def test_a_client_that_is_served_far_worse_than_the_others_is_told_with_its_kind() -> None:
    usual = [_served(f"c{number}", *[10.0] * ENOUGH) for number in range(4)]
    for late, told in (
        ([10.0 * FAIR["p50"] * 1.1] * ENOUGH, "session: the worst client's p50"),
        ([10.0] * (ENOUGH - 2) + [10.0 * FAIR["p95"] * 1.1] * 2, "session: the worst client's p95"),
    ):
        wrong = judge([*usual, _served("late", *late)], _found(), kills=0)
        assert [name for name, each in wrong.items() if each] == ["starved"]
        assert wrong["starved"][0].startswith(told)
    assert not any(judge([*usual, _served("good", *[12.0] * ENOUGH)], _found(), kills=0).values())
    few = [10.0 * FAIR["p95"] * 2] * (ENOUGH - 1)
    assert not any(judge([*usual, _served("few", *few)], _found(), kills=0).values())
