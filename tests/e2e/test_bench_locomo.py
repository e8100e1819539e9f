"""`python -m bench.locomo` over a small file: the keys others read, true figures, and plain words for a bad file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]

SMALL = str(Path(__file__).with_suffix(".json"))
"""Three notes and four questions, two of which can be answered."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.locomo", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, check=False)


def test_prints_one_object_with_every_arm_and_leaves_out_what_cannot_be_answered() -> None:
    done = run("--data", SMALL, "--json")
    report = json.loads(done.stdout)
    assert (report["items"], report["questions"]) == (3, 2)
    assert set(report["cpu_ms"]) == {"p50", "p95"}
    for arm in ("lexical", "vector", "fused"):
        assert {"recall@5", "recall@10", "recall@20", "ndcg@10", "by_category"} <= set(report[arm])
        assert set(report[arm]["by_category"]) == {"1", "2"}
    assert report["fused"]["recall@5"] == report["vector"]["recall@5"] == 1.0
    assert done.stderr == ""


def test_a_cache_changes_no_figure(tmp_path: Path) -> None:
    cache = tmp_path / "a cache"
    figures = [json.loads(run("--data", SMALL, "--json", "--cache", str(cache)).stdout) for _ in range(2)]
    assert figures[0]["fused"] == figures[1]["fused"]
    assert len(list(cache.iterdir())) == 5


@pytest.mark.parametrize("content", ["", '{"format": "memory-bench/1", "corpora": [{}]}'])
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path: Path, content: str) -> None:
    path = tmp_path / "bad bench.json"
    path.write_text(content)
    done = run("--data", str(path), "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"bench.locomo: {path} is not a memory-bench/1 file")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.requirement("reranker:found")
def test_without_the_re_ranker_that_is_asked_for_it_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    done = run("--data", SMALL, "--rerank")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.endswith("its model is not installed; run: voice models install reranker\n")
