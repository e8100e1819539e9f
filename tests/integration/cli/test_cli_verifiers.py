"""`voice doctor` shows which verifiers are set up, and what is wrong with one that cannot be used."""

import hashlib
from pathlib import Path

import pytest

from cli_runner import SETTINGS, Voice
from onnx_file import write_onnx


def set_up(voice: Voice, lines: str) -> None:
    voice.home.mkdir(mode=0o700, exist_ok=True)
    (voice.home / "voice.toml").write_text(f"{SETTINGS}[verifier]\n{lines}\n", encoding="utf-8")


def test_a_model_file_is_shown_with_its_hash(voice: Voice, tmp_path: Path) -> None:
    model = write_onnx(tmp_path / "pair.onnx")
    set_up(voice, f'names = "cross-encoder"\nmodel = "{model}"')
    shown = voice("doctor").out
    assert hashlib.sha256(model.read_bytes()).hexdigest()[:40] in "".join(shown.split())


def test_without_any_nothing_is_said_of_them(voice: Voice) -> None:
    set_up(voice, 'names = "none"')
    assert "verifiers" not in voice("doctor").out
    set_up(voice, 'names = "llm"')
    assert "verifiers" in voice("doctor").out


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ('names = "cross-encoder"', "SURR_VERIFIER_MODEL"),
        ('names = "llm"', "extractive is none"),
        ('names = "oracle"', "cross-encoder, llm"),
    ],
)
def test_one_that_cannot_be_used_is_a_fault_with_what_to_do(voice: Voice, lines: str, says: str) -> None:
    set_up(voice, lines)
    sick = voice("doctor")
    said = " ".join(sick.out.split())
    assert sick.code == 1
    assert says in said
    assert "SURR_VERIFIER=none" in said
