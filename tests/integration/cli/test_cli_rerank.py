"""`--rerank` on the command line: who read how many is shown, and without a re-ranker one line says what to run."""

from pathlib import Path

import pytest

from cli_runner import Documented, Voice
from voice.adapters import rerankers
from voice.adapters.rerankers import RerankerContext
from voice.adapters.system.data_directory import models_directory
from words_reranker import WordsReranker

pytestmark = pytest.mark.requirement("reranker:found")


@pytest.fixture
def reranker(monkeypatch: pytest.MonkeyPatch) -> WordsReranker:
    made = WordsReranker()

    def make(name: str, context: RerankerContext) -> WordsReranker:
        assert (name, context.models.name) == ("auto", "voice-models")
        return made

    monkeypatch.setattr(rerankers, "make_reranker", make)
    return made


def test_the_accounts_say_who_read_how_many(told: Voice, reranker: WordsReranker, is_as_documented: Documented) -> None:
    explained = told.ok("retrieve", "kiln", "--floor", "0", "--rerank", "--explain", "--json")
    recalled = told.ok("recall", "kiln", "--rerank", "--json")
    is_as_documented("retrieve-explain", explained)
    is_as_documented("recall", recalled)
    for account in (explained.json["diagnostics"], recalled.json["provenance"]):
        read = account["reranked"]
        assert read == {"name": "words", "version": "1", "rows": read["rows"]}
        assert read["rows"] > 0
    assert reranker.read
    shown = told.ok("retrieve", "kiln", "--floor", "0", "--rerank", "--explain").out
    assert "re-ranked: words 1 read the best" in shown


def test_who_wants_a_re_ranker_is_told_how_to_get_one_until_it_is_there(
    told: Voice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    ran = told("retrieve", "kiln", "--rerank")
    assert (ran.code, ran.out) == (5, "")
    assert ran.only_line.startswith("voice: no re-ranker is installed; run: voice models install reranker")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "kiln.md").write_text("The kiln is at cone 9.")
    assert "voice models install reranker" in told.ok("import", str(notes)).out
    assert _found(told)["state"] == "remark"
    models_directory().mkdir(parents=True)
    (models_directory() / rerankers.FILE).write_bytes(b"<html>404</html>")
    damaged = _found(told)
    assert (damaged["state"], "is not the model" in damaged["detail"]) == ("fault", True)
    monkeypatch.setenv("SURR_RERANKER", "none")
    assert _found(told)["state"] == "ok"


def _found(told: Voice) -> dict[str, str]:
    return next(each for each in told("doctor", "--json").json["findings"] if each["name"] == "reranker")
