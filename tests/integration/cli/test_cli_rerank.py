"""`--rerank` on the command line: who read how many is shown, and without a re-ranker one line says what to run."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from cli_runner import Ran, Voice
from voice.adapters import rerankers
from voice.adapters.rerankers import RerankerContext
from words_reranker import WordsReranker

pytestmark = pytest.mark.requirement("reranker:found")
BY = {"name": "words", "version": "1"}


@pytest.fixture
def told(voice: Voice) -> Voice:
    voice.ok("remember", "Moved the kiln to the shed.")
    return voice


@pytest.fixture
def reranker(monkeypatch: pytest.MonkeyPatch) -> WordsReranker:
    made = WordsReranker()

    def make(name: str, context: RerankerContext) -> WordsReranker:
        assert (name, context.models.name) == ("auto", "voice-models")
        return made

    monkeypatch.setattr(rerankers, "make_reranker", make)
    return made


def test_the_accounts_say_who_read_how_many(
    told: Voice, reranker: WordsReranker, is_as_documented: Callable[[str, Ran], None]
) -> None:
    explained = told.ok("retrieve", "kiln", "--floor", "0", "--rerank", "--explain", "--json")
    recalled = told.ok("recall", "kiln", "--rerank", "--json")
    is_as_documented("retrieve-explain", explained)
    is_as_documented("recall", recalled)
    diagnostics = cast("dict[str, dict[str, object]]", explained.json)["diagnostics"]
    provenance = cast("dict[str, dict[str, object]]", recalled.json)["provenance"]
    for account in (diagnostics, provenance):
        read = cast("dict[str, object]", account["reranked"])
        assert read == {**BY, "rows": read["rows"]}
        assert cast("int", read["rows"]) > 0
    assert reranker.read
    assert (
        "re-ranked: words 1 read the best" in told.ok("retrieve", "kiln", "--floor", "0", "--rerank", "--explain").out
    )


@pytest.mark.parametrize("command", ["retrieve", "recall"])
def test_without_a_re_ranker_one_line_says_what_to_run(
    told: Voice, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    ran = told(command, "kiln", "--rerank")
    assert (ran.code, ran.out) == (5, "")
    assert ran.only_line.startswith("voice: no re-ranker is installed; run: voice models install reranker")
