"""The pairs that are known to be one or two, and what is printed of them."""

import json
from collections import Counter
from pathlib import Path

import pytest
from bench.same_entity import main
from bench.same_entity_data import NAME, halves, pairs

_LIVES = {
    "Ann": ("glazed forty stoneware bowls yesterday", "fired another kiln full of vases"),
    "Annabel": ("rented her seaside flat to tourists", "signed another lease with a tenant"),
}


def _file(folder: Path) -> Path:
    def items(year: int) -> list[dict[str, str]]:
        return [
            {
                "id": f"D{session}:{name}",
                "text": f"Hello Ann and Annabel, that week my sister {lives[session]}.",
                "speaker": name,
                "thread": f"session_{session}",
                "created_at": f"{year}-0{session + 1}-01T10:00:00Z",
            }
            for session in (0, 1)
            for name, lives in _LIVES.items()
        ]

    corpora = [{"id": f"c{year}", "items": items(year), "questions": []} for year in (2020, 2021)]
    path = folder / "talks.json"
    path.write_text(json.dumps({"format": "memory-bench/1", "corpora": corpora}), encoding="utf-8")
    return path


def test_nobody_is_given_away_by_a_name_or_a_year_and_halves_are_of_one_or_two(tmp_path: Path) -> None:
    chosen, reported = halves(_file(tmp_path))
    assert ({each.corpus for each in chosen}, {each.corpus for each in reported}) == ({"c2021"}, {"c2020"})
    told = [row for each in chosen + reported for row in (*each.early, *each.late)]
    assert {row.speaker for row in told} == {NAME}
    assert not any("Ann" in row.text for row in told)
    assert {row.created_at.year for row in told} == {2024}
    made = pairs([*chosen, *reported], 1, draws=2)
    assert Counter(pair.kind for pair in made) == {
        "same": 8,
        "two, one conversation": 8,
        "two, other conversations": 16,
    }
    assert pairs(chosen, 2, draws=2) == []


def test_it_prints_figures_and_names_a_file_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--data", str(_file(tmp_path)), "--cache", str(tmp_path / "vectors")]
    assert main([*asked, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"bounds", "used", "chosen_on", "reported", "model"}
    assert set(printed["reported"]) == {"1"}
    assert main(asked) == 0
    assert "beside_the_name" in capsys.readouterr().out
    assert main(["--data", str(tmp_path / "none.json")]) != 0
    assert "none.json" in capsys.readouterr().err
