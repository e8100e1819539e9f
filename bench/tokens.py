"""How far the estimate of tokens lies above true counts: `python -m bench.tokens [--json] [--count]`.

The samples are `bench/data/token-counts.json`: texts of the kinds that memories and prompts are made of, each with the
highest of its true counts in the byte-pair vocabularies cl100k, o200k (tiktoken) and the first public Claude one
(tokenizers), all three as litellm carries them, and with the counts of a few hundred slices of it, cut anywhere. The
counts are part of the file, so nothing needs to be installed to check against them; `--count` makes them anew.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Final, TypedDict, cast

from bench.report import table
from voice.core.token_estimates import estimate_tokens

SAMPLES: Final = Path(__file__).parent / "data" / "token-counts.json"
SHORTEST_SLICE: Final = 20
_SLICES: Final = 200
_SEED: Final = 20260320
_VOCABULARIES: Final = ("o200k_base", "cl100k_base", "claude (2023)")


class Sample(TypedDict):
    """A text with its true counts."""

    kind: str
    text: str
    tokens: int
    """The highest of the three counts."""
    slices: list[list[int]]
    """[start, end, tokens] of parts of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """How the estimate does on one kind of text."""

    kind: str
    samples: int
    slices: int
    mean_over: float
    """Estimate by true count of the whole samples, on average."""
    least_over: float
    """The least of it, slices included; below 1 the estimate was too low."""

    def as_json(self) -> dict[str, object]:
        """Return the figures as they are printed."""
        return {
            "kind": self.kind,
            "samples": self.samples,
            "slices": self.slices,
            "mean_over": round(self.mean_over, 2),
            "least_over": round(self.least_over, 2),
        }


def samples(path: Path = SAMPLES) -> list[Sample]:
    """Return the samples with their counts."""
    return cast("list[Sample]", json.loads(path.read_text(encoding="utf-8"))["samples"])


def measure(found: Sequence[Sample]) -> list[Measured]:
    """Return how the estimate does, kind by kind."""
    kinds = dict.fromkeys(sample["kind"] for sample in found)
    return [_measured(kind, [sample for sample in found if sample["kind"] == kind]) for kind in kinds]


def over(sample: Sample) -> Iterator[float]:
    """Yield estimate by true count for the sample and each of its slices."""
    yield estimate_tokens(sample["text"]) / sample["tokens"]
    for start, end, tokens in sample["slices"]:
        yield estimate_tokens(sample["text"][start:end]) / tokens


def highest_count() -> Callable[[str], int] | None:
    """Return what counts a text with all three vocabularies; None where they are not on this machine."""
    spec = find_spec("litellm")
    folder = Path(spec.origin or "").parent / "litellm_core_utils" / "tokenizers" if spec else Path("/nonexistent")
    if not (folder / "anthropic_tokenizer.json").exists():
        return None
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)  # so that tiktoken fetches nothing
    import tiktoken  # noqa: PLC0415 - see above
    from tokenizers import Tokenizer  # noqa: PLC0415 - not everywhere installed

    openai = [tiktoken.get_encoding(name) for name in _VOCABULARIES[:2]]
    claude = Tokenizer.from_file(str(folder / "anthropic_tokenizer.json"))
    return lambda text: max(*(len(each.encode_ordinary(text)) for each in openai), len(claude.encode(text).ids))


def _measured(kind: str, of_kind: Sequence[Sample]) -> Measured:
    return Measured(
        kind=kind,
        samples=len(of_kind),
        slices=sum(len(sample["slices"]) for sample in of_kind),
        mean_over=fmean(estimate_tokens(sample["text"]) / sample["tokens"] for sample in of_kind),
        least_over=min(ratio for sample in of_kind for ratio in over(sample)),
    )


def _counted(kind: str, text: str, count: Callable[[str], int], chance: random.Random) -> Sample:
    slices: list[list[int]] = []
    for _ in range(_SLICES):
        start = chance.randrange(len(text) - SHORTEST_SLICE)
        end = chance.randrange(start + SHORTEST_SLICE, len(text) + 1)
        slices.append([start, end, count(text[start:end])])
    return {"kind": kind, "text": text, "tokens": count(text), "slices": slices}


def count_anew(path: Path = SAMPLES) -> None:
    """Count every sample again and cut its slices anew, with the same chance each time."""
    count, chance = highest_count(), random.Random(_SEED)
    if count is None:
        raise SystemExit("the vocabularies are not on this machine; install voice with its litellm extra")
    made = [_counted(each["kind"], each["text"], count, chance) for each in samples(path)]
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in made)
    head = json.dumps({"highest_of": _VOCABULARIES, "made_with": "python -m bench.tokens --count"})[:-1]
    path.write_text(f'{head}, "samples": [\n{lines}\n]}}\n', encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 where the estimate was ever too low."""
    parser = argparse.ArgumentParser(prog="python -m bench.tokens", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--count", action="store_true", help="count the samples anew first")
    said = parser.parse_args(arguments)
    if said.count:
        count_anew()
    found = measure(samples())
    if said.json:
        print(json.dumps({"highest_of": _VOCABULARIES, "kinds": [each.as_json() for each in found]}, indent=2))
    else:
        rows = [[str(value) for value in each.as_json().values()] for each in found]
        print(table(["kind", "samples", "slices", "estimate by true, mean", "least"], rows))
    return int(any(each.least_over < 1 for each in found))


if __name__ == "__main__":
    sys.exit(main())
