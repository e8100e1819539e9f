"""A worker times the same steps for everybody and takes an error of a peer for its answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from bench.peers.contract import Item, Place, Question, write_lines
from bench.peers.worker import ask, fill

ITEMS = [
    Item(
        id=str(number), text=f"row {number}", words=f"{number}", created_at="2025-01-01T00:00:00+00:00", speaker=None,
        thread=None, kind="note", vector=bytes(8),
    )
    for number in range(5)
]  # fmt: skip
QUESTIONS = [Question(shape="rare", text=text, terms=(text,), vector=bytes(8)) for text in ("row 1", "boom")]


@dataclass
class Kept:
    """A store that keeps rows in a file's lines and breaks on one word."""

    place: Place
    batches: list[int] = field(default_factory=list[int])

    def add(self, items: Sequence[Item]) -> None:
        self.batches.append(len(items))
        with (self.place.directory / "rows").open("a") as file:
            file.writelines(f"{item.text}\t{item.id}\n" for item in items)

    def ask(self, mode: str, question: Question) -> list[str]:
        if question.text == "boom":
            raise RuntimeError(f"{mode} cannot")
        lines = (self.place.directory / "rows").read_text().splitlines()
        return [line.partition("\t")[2] for line in lines if line.startswith(question.text)]

    def close(self) -> None:
        (self.place.directory / "closed").touch()


class Peer:
    """Opens `Kept`."""

    modes: tuple[str, ...] = ("one", "two")
    modules: tuple[str, ...] = ()
    batch = 2

    def __init__(self) -> None:
        self.opened: list[Kept] = []

    def open(self, place: Place) -> Kept:
        self.opened.append(Kept(place))
        return self.opened[-1]


@pytest.fixture
def memory(tmp_path: Path) -> dict[str, object]:
    write_lines(tmp_path / "items", ITEMS)
    write_lines(tmp_path / "questions", QUESTIONS)
    return {"items": str(tmp_path / "items"), "questions": str(tmp_path / "questions"), "dim": 2, "model": "m"}


def test_rows_go_in_by_the_batches_of_the_peer_and_what_lies_on_disk_is_counted(
    tmp_path: Path, memory: dict[str, object]
) -> None:
    peer = Peer()
    filled = fill(peer, tmp_path / "home", memory)
    assert peer.opened[0].batches == [2, 2, 1]
    assert peer.opened[0].place.vectors == {item.text: item.vector for item in ITEMS}
    assert (filled["rows"], filled["disk_bytes"]) == (5, sum(len(f"{item.text}\t{item.id}\n") for item in ITEMS))
    assert (tmp_path / "home" / "closed").exists()


def test_every_mode_is_asked_everything_and_an_error_is_an_answer(tmp_path: Path, memory: dict[str, object]) -> None:
    peer = Peer()
    fill(peer, tmp_path / "home", memory)
    asked = ask(peer, tmp_path / "home", memory)
    answers = cast("dict[str, list[dict[str, object]]]", asked["answers"])
    assert {mode: [answer["found"] for answer in given] for mode, given in answers.items()} == {
        "one": [["1"], []],
        "two": [["1"], []],
    }
    assert answers["one"][1]["error"] == "RuntimeError: one cannot"
    assert answers["two"][1]["error"] == "RuntimeError: two cannot"
    assert answers["one"][0]["error"] is None
