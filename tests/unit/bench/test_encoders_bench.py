"""Other encoders are held against the default one on the same scale, and on what did not choose their constants."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.corpus import Corpus, Question, with_turn_before
from bench.encoder_scale import Scale, Vectors, strangers
from bench.encoders import main
from bench.retrieval import index_corpus, named_speaker
from bench.vault import vault_corpus

from tables import tables
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.core.records import Origin, Thought
from voice.core.retrieval.ranking import DEFAULT_PROFILE

TABLES = tables(__file__)

np = pytest.importorskip("numpy")


def unit(*vectors: tuple[float, ...]):  # noqa: ANN201 - numpy's own type
    matrix = np.array(vectors, dtype=np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def said(key: int, text: str, speaker: str | None = "Ann", thread: str = "one") -> Thought:
    at = datetime(2026, 1, 1, key, tzinfo=UTC)
    return Thought(
        id=f"t:{key}", created_at=at, recorded_at=at, origin=Origin.LOGGED, content=text, speaker=speaker, thread=thread
    )


@pytest.mark.requirement("ruling:C4")
def test_strangers_get_the_mean_and_the_spread_that_they_have_for_the_default() -> None:
    noise, default = np.array([0.70, 0.75, 0.80, 0.75]), np.array([0.0, 0.1, 0.2, 0.1])
    scale = Scale.of(noise, default)
    scaled = scale.unit * (noise - scale.zero)
    assert (scaled.mean(), scaled.std()) == pytest.approx((default.mean(), default.std()))


@pytest.mark.requirement("ruling:C4")
def test_lifted_vectors_have_length_1_and_their_weighed_cosine_is_the_scaled_one() -> None:
    scale = Scale(zero=0.6, unit=3.0)
    rows, questions = unit((1.0, 0.2), (0.5, 0.5)), unit((1.0, 0.0))
    up, down = scale.lifted(rows, 1.0), scale.lifted(questions, -1.0)
    assert np.linalg.norm(up, axis=1) == pytest.approx(1.0)
    weight = scale.constants(DEFAULT_PROFILE).vector / DEFAULT_PROFILE.vector
    assert weight * (up @ down.T) == pytest.approx(3.0 * (rows @ questions.T - 0.6), abs=1e-6)


@pytest.mark.requirement("ruling:C4")
def test_strangers_are_questions_with_rows_of_other_memories_alone() -> None:
    one = Vectors(rows=unit((1.0, 0.0)), questions=unit((1.0, 0.0)))
    other = Vectors(rows=unit((0.0, 1.0)), questions=unit((0.0, 1.0)))
    assert strangers([one, other]).tolist() == [0.0, 0.0]


@pytest.mark.requirement("ruling:C4")
def test_a_message_follows_the_one_before_it_in_its_thread() -> None:
    rows = (said(1, "A kiln?"), said(2, "Yes.", "Bob"), said(3, "Rain.", "Bob", "two"), said(4, "A note.", None, "two"))
    corpus = Corpus(name="small", rows=rows, questions=())
    encoded, indexed = (with_turn_before(corpus, encodes=encodes).rows for encodes in (True, False))
    assert [(row.speaker, row.content) for row in encoded[:2]] == [("Ann", "A kiln?"), ("Ann", "A kiln? Bob: Yes.")]
    assert (indexed[1].speaker, indexed[1].content) == ("Bob", "Ann: A kiln? Yes.")
    assert encoded[2:] == indexed[2:] == rows[2:]


@pytest.mark.requirement("ruling:C4")
async def test_a_note_counts_once_at_its_best_row() -> None:
    asked = Question(text="?", category="fact", evidence=frozenset({"a.md", "b.md"}))
    indexed = await index_corpus(Corpus(name="small", rows=(said(1, "kiln"),), questions=(asked,)), HashedEmbedder(8))
    indexed = replace(indexed, note_of={"t:1": "a.md", "t:2": "a.md"})
    assert indexed.score(asked, ["t:1", "t:2"]).recall == (0.5, 0.5, 0.5)


@pytest.mark.requirement("ruling:C4")
async def test_the_sentences_of_a_vault_know_their_notes_and_a_question_stands_behind_the_one_it_follows(
    tmp_path: Path,
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Kiln.md").write_text("# Kiln\n\nThe kiln needs new bricks.\n")
    (vault / "Boat.md").write_text("# Boat\n\nThe boat leaks at the stern.\n")
    asked = [
        {"id": "q1", "question": "What of the kiln?", "kind": "fact", "answerable": True, "notes": ["Kiln.md"]},
        {"id": "q2", "question": "Why?", "follows": "q1", "kind": "why", "answerable": True, "notes": ["Kiln.md"]},
        {"id": "q3", "question": "Who am I?", "kind": "fact", "answerable": False},
    ]
    questions = tmp_path / "vault.json"
    questions.write_text(json.dumps({"format": "vault-bench/1", "questions": asked}))
    corpus, note_of = await vault_corpus(vault, questions)
    assert [one.text for one in corpus.questions] == ["What of the kiln?", "What of the kiln? Why?"]
    assert {note_of[row.id] for row in corpus.rows if "bricks" in row.content} == {"Kiln.md"}
    assert all(row.content.startswith(("Kiln", "Boat")) for row in corpus.rows)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    def memory(name: str, *texts: str) -> dict[str, object]:
        items = [{"id": f"{name}{n}", "text": text, "created_at": "2025-03-05"} for n, text in enumerate(texts)]
        asked = [{"question": f"What about {text}?", "evidence": [f"{name}{n}"]} for n, text in enumerate(texts)]
        return {"id": name, "items": items, "questions": asked}

    corpora = [memory("a", "the kiln in the shed", "a cold studio"), memory("b", "a violin lesson", "a wet orchestra")]
    path = tmp_path / "two.json"
    path.write_text(json.dumps({"format": "memory-bench/1", "corpora": corpora}), encoding="utf-8")
    return path


@pytest.mark.requirement("ruling:C4")
def test_each_arm_is_printed_and_what_it_differs_from_the_default(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(data), "--turn-before"]) == 0
    figures, differences, cost, _ = capsys.readouterr().out.split("\n\n")
    assert figures.splitlines()[1].split()[-4:] == ["alone", "100.0", "/", "100.0"]
    assert len(figures.splitlines()) == 1 + 3 * 3
    assert len(differences.splitlines()) == 1 + 1 + 2 * 3
    assert [line.split("  ")[0] for line in cost.splitlines()[1:]] == [
        "default",
        "turn before encoded",
        "turn before indexed",
    ]


@pytest.mark.requirement("ruling:C4")
def test_a_file_that_is_no_known_encoder_is_refused(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "--model", str(data)]) == 2
    assert "is no model that this benchmark knows (sha256 differs)" in capsys.readouterr().err


@pytest.mark.parametrize(("question", "name"), TABLES["the_one_person_a_question_names"])
def test_the_one_person_a_question_names(question: str, name: str | None) -> None:
    assert named_speaker(question, ["Caroline", "Bob", "Mary Ann", "Анна", ""]) == name


@pytest.mark.parametrize(("question", "name"), TABLES["a_question_in_the_first_person_is_about_the_user_of_a_chat"])
def test_a_question_in_the_first_person_is_about_the_user_of_a_chat(question: str, name: str | None) -> None:
    assert named_speaker(question, ["assistant", "user", "Ada"]) == name
