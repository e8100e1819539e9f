"""Trains the cross-encoder in an environment that has torch: `python worker.py JOB.json` (`bench.verifier` starts it).

Law: this file needs torch, onnx and onnxruntime and nothing of this project, so that it runs in an environment of its
own; seeds are fixed and one thread is used, so that the same job gives the same model. What the model adds is trained
on top of the lexical score (an offset of the logit with a slope that is learnt) and of one intercept a set, so that
neither what is lexically plain nor how many answers of a set are bad is worth learning.
"""

import copy
import hashlib
import itertools
import json
import math
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

LAYERS, HIDDEN, HEADS, INNER, WORDS, PLACES, MARKS = 6, 384, 12, 1536, 30_522, 512, 4
FROZEN = 3
"""Layers whose weights stay the sentence encoder's: their output is computed once, and marks are added to it."""
LEX_CAP = 6.0


class Layer(nn.Module):
    """One block of BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.merge = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.widen, self.narrow = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.norm_seen, self.norm_out = (nn.LayerNorm(HIDDEN, eps=1e-12) for _ in range(2))
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        def split(y: Tensor) -> Tensor:
            return y.unflatten(-1, (HEADS, HIDDEN // HEADS)).transpose(1, 2)

        scores = split(self.query(x)) @ split(self.key(x)).transpose(-1, -2) / math.sqrt(HIDDEN // HEADS)
        seen = torch.softmax(scores + hidden, dim=-1) @ split(self.value(x))
        x = self.norm_seen(x + self.drop(self.merge(seen.transpose(1, 2).flatten(2))))
        return self.norm_out(x + self.drop(self.narrow(functional.gelu(self.widen(x)))))


class CrossEncoder(nn.Module):
    """Pieces and marks in, one logit out: how much more the claim is unsupported than its words tell."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, HIDDEN), nn.Embedding(PLACES, HIDDEN)
        self.sides, self.norm = nn.Embedding(2, HIDDEN), nn.LayerNorm(HIDDEN, eps=1e-12)
        self.marks = nn.Embedding(MARKS, HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.drop = nn.Dropout(0.1)
        self.whole, self.each = nn.Linear(2 * HIDDEN, 1), nn.Linear(HIDDEN, 1)

    def lower(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Return what the frozen part makes of a pair."""
        places = torch.arange(input_ids.shape[1])
        x = self.norm(self.words(input_ids) + self.places(places) + self.sides(token_type_ids % 2))
        for layer in self.layers[:FROZEN]:
            x = layer(x, unseen(attention_mask, x))
        return x

    def upper(self, x: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Return the logit of what `lower` made."""
        x = x + self.marks(token_type_ids)
        for layer in self.layers[FROZEN:]:
            x = layer(x, unseen(attention_mask, x))
        x = self.drop(x)
        said = attention_mask.to(x.dtype) * (token_type_ids % 2 == 0).to(x.dtype)
        mean = (x * said[..., None]).sum(1) / said.sum(1, keepdim=True).clamp(min=1.0)
        worst = (self.each(x)[..., 0] + (said - 1.0) * 1e4).amax(dim=1)
        return self.whole(torch.cat([x[:, 0], mean], dim=1))[:, 0] + worst

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        return self.upper(self.lower(input_ids, attention_mask, token_type_ids), attention_mask, token_type_ids)


def unseen(attention_mask: Tensor, x: Tensor) -> Tensor:
    """Return what is added to attention so that padding is not looked at."""
    return (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * -1e4


def load(path: str) -> CrossEncoder:
    """Return the model with the sentence encoder's weights in its body and zeros in its head."""
    model, held = CrossEncoder(), load_file(path)
    own = {
        "words.weight": held["embeddings.word_embeddings.weight"],
        "places.weight": held["embeddings.position_embeddings.weight"],
        "norm.weight": held["embeddings.LayerNorm.weight"],
        "norm.bias": held["embeddings.LayerNorm.bias"],
    }
    own["sides.weight"] = held["embeddings.token_type_embeddings.weight"]
    names = {
        "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
        "merge": "attention.output.dense", "norm_seen": "attention.output.LayerNorm",
        "widen": "intermediate.dense", "narrow": "output.dense", "norm_out": "output.LayerNorm",
    }  # fmt: skip
    for number in range(LAYERS):
        for mine, theirs in names.items():
            for part in ("weight", "bias"):
                own[f"layers.{number}.{mine}.{part}"] = held[f"encoder.layer.{number}.{theirs}.{part}"]
    model.load_state_dict(own, strict=False)
    nn.init.normal_(model.marks.weight, std=0.1)
    for head in (model.whole, model.each):
        nn.init.zeros_(head.bias)
        nn.init.normal_(head.weight, std=0.02)
    return model


@dataclass
class Example:
    """One pair with its label."""

    pieces: list[int]
    marks: list[int]
    lexical: float
    label: float
    group: str
    weight: float
    place: int
    lower: Tensor | None = None
    """What the frozen layers make of it, computed once."""


def batches(examples: list[Example], size: int, chance: random.Random | None) -> list[list[Example]]:
    """Return batches of similar length, in random order when `chance` is given."""
    pool = list(examples)
    if chance:
        chance.shuffle(pool)
    step = size * 40
    chunks = [sorted(pool[at : at + step], key=lambda one: len(one.pieces)) for at in range(0, len(pool), step)]
    made = [chunk[at : at + size] for chunk in chunks for at in range(0, len(chunk), size)]
    if chance:
        chance.shuffle(made)
    return made


def tensors(batch: list[Example]) -> tuple[Tensor, Tensor, Tensor]:
    """Return pieces, mask and marks of a batch, padded to its longest."""
    longest = max(len(one.pieces) for one in batch)
    ids, mask, marks = (torch.zeros(len(batch), longest, dtype=torch.long) for _ in range(3))
    for row, one in enumerate(batch):
        ids[row, : len(one.pieces)] = torch.tensor(one.pieces)
        mask[row, : len(one.pieces)] = 1
        marks[row, : len(one.pieces)] = torch.tensor(one.marks)
    return ids, mask, marks


@torch.no_grad()
def prepare(model: CrossEncoder, examples: list[Example]) -> None:
    """Compute what the frozen layers make of every example."""
    model.eval()
    for batch in batches(examples, 32, None):
        ids, mask, marks = tensors(batch)
        for one, x in zip(batch, model.lower(ids, mask, marks), strict=True):
            one.lower = x[: len(one.pieces)].half()


def logits(model: CrossEncoder, batch: list[Example]) -> Tensor:
    """Return the logits of prepared examples."""
    _, mask, marks = tensors(batch)
    x = torch.zeros(*mask.shape, HIDDEN)
    for row, one in enumerate(batch):
        x[row, : len(one.pieces)] = one.lower.float()
    return model.upper(x, mask, marks)


class Stack(nn.Module):
    """The slope of the lexical score and one intercept a set; dropped after training but for the slope."""

    def __init__(self, groups: list[str]) -> None:
        super().__init__()
        self.number = {group: at for at, group in enumerate(groups)}
        self.slope, self.intercept = nn.Parameter(torch.tensor(0.0)), nn.Parameter(torch.zeros(len(groups)))

    def forward(self, batch: list[Example]) -> Tensor:
        lexical = torch.tensor([min(one.lexical, LEX_CAP) for one in batch])
        return (
            functional.softplus(self.slope) * lexical
            + self.intercept[torch.tensor([self.number[one.group] for one in batch])]
        )


def weigh(examples: list[Example]) -> None:
    """Let large sets and small ones come nearer to one another."""
    counts = Counter(one.group for one in examples)
    for one in examples:
        one.weight = min(3.0, max(0.3, math.sqrt(600 / counts[one.group])))


def fit(start: CrossEncoder, examples: list[Example], options: dict, say: str) -> tuple[CrossEncoder, float]:
    """Return the trained model and the slope of the lexical score beside it."""
    torch.manual_seed(options["seed"])
    chance = random.Random(options["seed"])
    model = copy.deepcopy(start)
    stack = Stack(sorted({one.group for one in examples}))
    for part in (model.words, model.places, model.sides, model.norm, *model.layers[:FROZEN]):
        part.requires_grad_(False)
    heads = [*model.whole.parameters(), *model.each.parameters(), *model.marks.parameters()]
    ids = {id(one) for one in heads}
    body = [one for one in model.parameters() if one.requires_grad and id(one) not in ids]
    optimiser = torch.optim.AdamW(
        [
            {"params": body, "lr": options["rate"], "weight_decay": 0.01},
            {"params": heads, "lr": 10 * options["rate"], "weight_decay": 0.01},
            {"params": stack.parameters(), "lr": 0.02, "weight_decay": 0.0},
        ]
    )
    weigh(examples)
    epochs, size = options["epochs"], options["batch"]
    total = sum(len(batches(examples, size, None)) for _ in range(epochs))
    plan = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda at: min((at + 1) / (0.1 * total), max(0.0, (total - at) / (0.9 * total)))
    )
    began, done = time.process_time(), 0
    for _ in range(epochs):
        model.train()
        for batch in batches(examples, size, chance):
            logit = logits(model, batch) + stack(batch)
            labels = torch.tensor([one.label for one in batch])
            weights = torch.tensor([one.weight for one in batch])
            losses = functional.binary_cross_entropy_with_logits(logit, labels, reduction="none")
            loss = (weights * losses).sum() / weights.sum()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(body + heads, 1.0)
            optimiser.step()
            plan.step()
            done += 1
            if done % 25 == 0:
                spent = time.process_time() - began
                print(f"{say} {done}/{total} loss {loss.item():.3f} cpu {spent:.0f}s", file=sys.stderr, flush=True)
    return model.eval(), float(functional.softplus(stack.slope))


def chosen(every: list[Example], rows: list[dict], job: dict, fold: int | None, *, with_made: bool) -> list[Example]:
    """Return what is trained on when `fold` is held out: of the labelled pairs at most as many as the job allows."""
    seen = [(one, row) for one, row in zip(every, rows, strict=True) if row["fold"] != fold and row["trained"]]
    labelled = [one for one, row in seen if not row["made"]]
    if job["most"] and len(labelled) > job["most"]:
        labelled = random.Random(job["seed"]).sample(labelled, job["most"])
    return [replace(one) for one in (*labelled, *(one for one, row in seen if row["made"] and with_made))]


@torch.no_grad()
def predict(model: CrossEncoder, examples: list[Example]) -> dict[int, float]:
    """Return the logit of each example by its place."""
    found: dict[int, float] = {}
    for batch in batches(examples, 32, None):
        for one, value in zip(batch, logits(model, batch), strict=True):
            found[one.place] = float(value)
    return found


def export(model: CrossEncoder, path: Path) -> None:
    """Write the model as ONNX with int8 weights."""
    whole = path.with_suffix(".fp32.onnx")
    names = ["input_ids", "attention_mask", "token_type_ids"]
    pair = tuple(torch.ones(1, 8, dtype=torch.long) for _ in names)
    sides = {name: {0: "pairs", 1: "pieces"} for name in names}
    torch.onnx.export(
        model, pair, str(whole), input_names=names, output_names=["logit"], dynamic_axes=sides, opset_version=17,
        dynamo=False,
    )  # fmt: skip
    quantize_dynamic(str(whole), str(path), weight_type=QuantType.QInt8)
    whole.unlink()
    onnx.checker.check_model(str(path))


class Kept:
    """The held-out predictions of a job so far, beside it: what ended is not lost, and is done once."""

    def __init__(self, job_path: Path) -> None:
        self.path, self.job = job_path.with_suffix(".kept.json"), hashlib.sha256(job_path.read_bytes()).hexdigest()
        said = json.loads(self.path.read_text("utf-8")) if self.path.is_file() else {}
        self.found: dict[str, list] = said["found"] if said.get("job") == self.job else {}

    def put(self, key: str, predictions: list) -> None:
        self.found[key] = predictions
        growing = self.path.with_suffix(".growing")
        growing.write_text(json.dumps({"job": self.job, "found": self.found}), "utf-8")
        growing.replace(self.path)


def main(job_path: str) -> None:
    """Do a job: cross-validate, then train on everything and export; write what came of it beside the job."""
    job = json.loads(Path(job_path).read_text("utf-8"))
    torch.set_num_threads(1)
    torch.manual_seed(job["seed"])
    start = load(job["weights"])
    every = [
        Example(one["pieces"], one["marks"], one["lexical"], float(one["label"]), one["group"], 1.0, place)
        for place, one in enumerate(job["examples"])
    ]
    rows = job["examples"]
    print("computing the frozen layers", file=sys.stderr, flush=True)
    prepare(start, every)
    held_out: dict[str, list[list[float] | None]] = {arm: [None] * len(every) for arm in job["arms"]}
    kept = Kept(Path(job_path))
    for fold, (arm, with_made) in itertools.product(range(job["folds"]), job["arms"].items()):
        if f"{fold} {arm}" not in kept.found:
            unseen_here = [one for one, row in zip(every, rows, strict=True) if row["fold"] == fold and not row["made"]]
            seen = chosen(every, rows, job, fold, with_made=with_made)
            model, slope = fit(start, seen, job, f"fold {fold + 1} of {job['folds']}, {arm}")
            kept.put(f"{fold} {arm}", [[at, logit, slope] for at, logit in predict(model, unseen_here).items()])
        for place, logit, slope in kept.found[f"{fold} {arm}"]:
            held_out[arm][place] = [logit, slope]
    slope = None
    if job["output"]:
        model, slope = fit(start, chosen(every, rows, job, None, with_made=any(job["arms"].values())), job, "all")
        export(model, Path(job["output"]))
    result = {"held_out": held_out, "slope": slope, "cpu_s": round(time.process_time(), 1)}
    Path(job_path).with_suffix(".result.json").write_text(json.dumps(result), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
