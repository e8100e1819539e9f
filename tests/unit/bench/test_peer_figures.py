"""Figures are what the turns say: medians of all turns, recall of the evidence, ratios to this program."""

import json

from bench.peers.contract import Question
from bench.peers.figures import PeerFigures, figures_of
from bench.peers.markdown import tables
from bench.peers.report import Comparison
from bench.peers.roster import ROSTER
from bench.peers.running import Answer, Asked, Filled, Turn
from bench.peers.workload import HOSTILE, Memory

_VOICE, _FTS5, *_ = ROSTER


def _question(text: str, shape: str = "sentence") -> Question:
    return Question(shape=shape, text=text, terms=(), vector=b"")


def _memory(name: str, *asked: tuple[Question, frozenset[str]]) -> Memory:
    questions, evidence = zip(*asked, strict=True)
    return Memory(name=name, items=(), questions=questions, evidence=evidence, model="m", dim=4)


TALK = _memory("talk", (_question("a?"), frozenset({"1", "2"})), (_question("b?"), frozenset({"3"})))
TRAPS = _memory(
    HOSTILE,
    (_question("auth-bug", HOSTILE), frozenset({"p"})),
    (_question("C++", HOSTILE), frozenset({"p"})),
    (_question("猫", HOSTILE), frozenset({"p"})),
    (_question("🦊", HOSTILE), frozenset()),
)


def _answer(*found: str, ms: float = 1.0, error: str | None = None) -> Answer:
    return Answer(cpu_ms=ms, wall_ms=2 * ms, found=found, error=error)


def _asked(mode: str, *answers: Answer) -> Asked:
    return Asked(open_cpu_ms=5.0, open_wall_ms=9.0, rss_mb=60.0, rss_before_mb=20.0, answers={mode: answers})


def _turn(mode: str, ms: float) -> Turn:
    talk = _asked(mode, _answer("1", "9", "8", "7", "6", "2", ms=ms), _answer(ms=3 * ms, error="Broken: no"))
    traps = _asked(mode, _answer("x", "p"), _answer(error="Broken: near +"), _answer("x"), _answer("x", "y"))
    filled = Filled(cpu_ms=500.0, wall_ms=1000.0, rows=100, disk_bytes=2_000_000)
    return Turn(import_cpu_ms=7.0, filled=(filled, filled), asked=(talk, traps), loads=(1.0, 2.0, 3.0))


def _figures(entry: int = 0, mode: str = "local-hybrid", ms: float = 10.0) -> PeerFigures:
    return figures_of(ROSTER[entry], {}, [_turn(mode, ms), _turn(mode, ms)], [TALK, TRAPS])


def test_times_are_of_all_turns_and_the_hostile_memory_is_not_timed() -> None:
    sentence = _figures().modes["local-hybrid"].shapes["sentence"]
    assert (sentence.asked, sentence.errors, sentence.empty) == (4, 2, 0)
    assert sentence.cpu_ms == {"p50": 10.0, "p95": 10.0}
    assert list(_figures().modes["local-hybrid"].shapes) == ["sentence"]


def test_ingest_is_rows_a_second_and_disk_counts_what_was_measured() -> None:
    figures = _figures()
    assert (figures.ingest_rows_per_cpu_s, figures.ingest_rows_per_s, figures.disk_mb) == (200.0, 100.0, 2.0)
    assert figures.loads == ((1.0, 2.0, 3.0), (1.0, 2.0, 3.0))


def test_recall_is_the_share_of_the_evidence_and_a_failed_question_counts() -> None:
    assert _figures().modes["local-hybrid"].recall == {"recall@5": 0.25, "recall@10": 0.5}


def test_recall_of_data_without_evidence_is_unknown_and_not_zero() -> None:
    plain = _memory("talk", (_question("a?"), frozenset()), (_question("b?"), frozenset()))
    figures = figures_of(_VOICE, {}, [_turn("local-hybrid", 1.0)], [plain, TRAPS])
    assert figures.modes["local-hybrid"].recall is None
    assert _figures().modes["local-hybrid"].recall is not None


def test_a_hostile_query_is_found_or_not_or_failed() -> None:
    assert _figures().modes["local-hybrid"].hostile == {
        "auth-bug": "found at 2",
        "C++": "error: Broken: near +",
        "猫": "not found",
        "emoji": "2 rows",
    }


def _comparison(*peers: PeerFigures) -> Comparison:
    return Comparison(what="talk", rows=2, dim=4, encoder="m", repeats=2, peers=peers, missing={"mem0": "no network"})


def test_a_ratio_is_the_peer_divided_by_this_program() -> None:
    document = json.loads(json.dumps(_comparison(_figures(), _figures(1, "or", ms=5.0)).as_json()))
    assert document["peers"]["sqlite-fts5"]["modes"]["or"]["shapes"]["sentence"]["ratio"] == 0.5
    assert document["peers"]["voice"]["modes"]["local-hybrid"]["shapes"]["sentence"]["ratio"] == 1.0
    assert document["peers"]["sqlite-fts5"]["ratio"]["disk_mb"] == 1.0
    assert document["missing"] == {"mem0": "no network"}


def test_the_tables_of_the_page_say_what_the_document_says() -> None:
    failing = figures_of(_FTS5, {}, [_turn("plain", 1.0)], [TALK, TRAPS])
    lines = tables(_comparison(_figures(), failing).as_json()).splitlines()
    assert "| voice | 200 | 1.00 | 100 | 5.0 | 1.00 | 9.0 | 60 (imports 20) | 2.0 | 1.0–3.0 |" in lines
    assert "| voice | local-hybrid | – | – | – | 10.00 / 10.00, 1.00 | 2 | 25.0 | 50.0 |" in lines
    assert "| sqlite-fts5 | plain | – | – | – | 1.00 / 1.00, 0.10 | 1 | 25.0 | 50.0 |" in lines
    assert "| `C++` | error | error |" in lines
    assert "| `auth-bug` | at 2 | at 2 |" in lines
