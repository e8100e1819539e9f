"""The bench of many processes on one memory, in its short form: sound, with a holder killed on the way."""

from collections import Counter
from pathlib import Path
from typing import cast

import pytest
from bench.clients import Found, Share, judge, measure, row
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


def test_what_went_wrong_is_told_and_an_outcome_that_was_said_to_be_unknown_may_be_there_or_not() -> None:
    unknown = _share({"op": "remember", "key": "a", "unknown": True})
    cases: list[tuple[Share, Found, str]] = [
        (_share({"op": "remember", "key": "a"}), _found(), "lost"),
        (_share({"op": "ask", "key": "a"}), _found(question("a"), question("a")), "doubled"),
        (_share({"op": "read", "key": "a", "wrong": "b"}), _found(), "misread"),
        (_share(begun=("a",)), _found(note("a"), note("a")), "doubled"),
        (unknown, _found(), "outcome_unknown"),
        (_share(), _found(note("z")), "unknown_to_anybody"),
        (_share(), _found(faults=("half",)), "faults"),
    ]
    for share, found, kind in cases:
        assert [name for name, told in judge([share], found, kills=0).items() if told] == [kind]
    for found in (_found(), _found(note("a"))):
        assert not any(judge([unknown], found, kills=1).values())
