"""Fits the layers that read whether a passage answers (`voice.adapters.rerankers.AnswerLayers`).

Reads files of pairs, a JSON object on each line: `memory`, `question`, `passage` (under its path, as the re-ranker
reads it) and `answers` (true or false). Those of one memory are about the same notes. The re-ranker that is installed
gives the states of the tokens of each pair; the layers begin as its last ones and are fitted on all memories but those
that `--without` names, for which it prints how well both logits tell the pairs apart (area under the curve, 0.5 is
chance). `--write` keeps the layers. It needs three packages that nothing else here does: `pip install jax optax onnx`.

    python -m bench.answer_layers --pairs FILE [--pairs FILE …] [--without MEMORY …] [--write FILE] --json
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.report import machine, progress
from voice.adapters.rerankers import FILE, AnswerLayers, PairReader
from voice.adapters.system.data_directory import models_directory
from voice.core.errors import RerankerUnavailable

_FIRST, _LAST = 10, 11  # the re-ranker's layers that the fitted ones begin as
_HEADS: Final = 12
_BATCH: Final = 32
_EPOCHS: Final = 5
_RATE: Final = 3e-4
_DROPPED: Final = 0.1
_EPSILON: Final = 1e-12
_OPSET, _IR = 20, 10  # of ONNX
_LENGTHS: Final = (32, 64, 96, 128, 192, 256)
_PARTS: Final[Mapping[str, str]] = {
    "query": "attention/self/query",
    "key": "attention/self/key",
    "value": "attention/self/value",
    "output": "attention/output/dense",
    "widened": "intermediate/dense",
    "narrowed": "output/dense",
}
_NORMS: Final[Mapping[str, str]] = {"attention": "attention.output", "layer": "output"}
_ENDS: Final[Mapping[str, str]] = {"pooler": "bert.pooler.dense", "classifier": "classifier"}
Floats = NDArray[np.float32]
Tables = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A question and a passage, as the re-ranker sees them."""

    memory: str
    answers: bool
    relevance: float
    states: Floats
    """Tokens × width."""


def read_pairs(files: Sequence[Path], model: Path) -> Iterator[Pair]:
    """Yield the pairs of some files, in their order.

    Raises:
        RerankerUnavailable: the re-ranker is not installed.
    """
    reader = PairReader(model)
    for line in progress([line for file in files for line in file.read_text("utf-8").splitlines()], "pair"):
        told = json.loads(line)
        relevance, states = reader.read(told["question"], told["passage"])
        yield Pair(memory=told["memory"], answers=told["answers"], relevance=relevance, states=states)


def first_tables(model: bytes) -> dict[str, Floats]:
    """Return the tables of the re-ranker's last layers, in floats, by layer and part."""
    onnx, numpy_helper = import_module("onnx"), import_module("onnx.numpy_helper")
    graph = onnx.load_from_string(model).graph
    kept = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    weights: dict[str, Floats] = {}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            base = node.input[1].removesuffix("_quantized")
            whole = kept[node.input[1]].astype(np.float32) - kept[f"{base}_zero_point"].astype(np.float32)
            weights[node.name] = whole * kept[f"{base}_scale"]
    tables: dict[str, Floats] = {}
    for number, layer in enumerate(range(_FIRST, _LAST + 1)):
        for name, part in _PARTS.items():
            tables[f"{number}.{name}"] = weights[f"/bert/encoder/layer.{layer}/{part}/MatMul_quant"]
            tables[f"{number}.{name}.bias"] = kept[f"bert.encoder.layer.{layer}.{part.replace('/', '.')}.bias"]
        for name, part in _NORMS.items():
            tables[f"{number}.{name}.gain"] = kept[f"bert.encoder.layer.{layer}.{part}.LayerNorm.weight"]
            tables[f"{number}.{name}.shift"] = kept[f"bert.encoder.layer.{layer}.{part}.LayerNorm.bias"]
    for name, part in _ENDS.items():
        tables[name] = weights[f"/{part.replace('.', '/')}/Gemm_MatMul_quant"]
        tables[f"{name}.bias"] = kept[f"{part}.bias"]
    return tables


def logits_of(tables: Tables, states: Any, mask: Any, kept: Any) -> Any:  # noqa: ANN401 - jax has no types here
    """Return a batch's logits as `exported` computes each; `kept` scales what feeds the classifier."""
    jax, jnp = import_module("jax"), import_module("jax.numpy")

    def through(name: str, state: Any) -> Any:  # noqa: ANN401
        return state @ tables[name] + tables[f"{name}.bias"]

    def normal(name: str, state: Any) -> Any:  # noqa: ANN401
        centred = state - state.mean(-1, keepdims=True)
        scaled = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + _EPSILON)
        return scaled * tables[f"{name}.gain"] + tables[f"{name}.shift"]

    state = states[:, 0]
    for number in range(_LAST - _FIRST + 1):
        layer, (batch, length, width) = f"{number}.", states.shape
        query = through(f"{layer}query", state).reshape(batch, _HEADS, -1)
        keys = through(f"{layer}key", states).reshape(batch, length, _HEADS, -1)
        values = through(f"{layer}value", states).reshape(batch, length, _HEADS, -1)
        fits = jnp.einsum("bhd,blhd->bhl", query, keys) / np.sqrt(width // _HEADS)
        shares = jax.nn.softmax(fits + (mask[:, None] - 1) * 1e9, -1)
        seen = jnp.einsum("bhl,blhd->bhd", shares, values).reshape(batch, width)
        attended = normal(f"{layer}attention", state + through(f"{layer}output", seen))
        inner = jax.nn.gelu(through(f"{layer}widened", attended), approximate=True)
        state = normal(f"{layer}layer", attended + through(f"{layer}narrowed", inner))
    return through("classifier", jnp.tanh(through("pooler", state)) * kept)[:, 0]


def fitted(pairs: Sequence[Pair], tables: Tables, *, seed: int = 0) -> Tables:
    """Return the tables after some passes over the pairs, in batches of like length."""
    jax, jnp, optax = (import_module(name) for name in ("jax", "jax.numpy", "optax"))
    steps = _EPOCHS * len(pairs) // _BATCH
    rate = optax.warmup_cosine_decay_schedule(0, _RATE, max(1, steps // 10), steps)
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.01))

    def loss(tables: Tables, states: Any, mask: Any, answers: Any, kept: Any) -> Any:  # noqa: ANN401
        return optax.sigmoid_binary_cross_entropy(logits_of(tables, states, mask, kept), answers).mean()

    def step(tables: Tables, state: Any, batch: Any) -> Any:  # noqa: ANN401
        change, state = rule.update(jax.grad(loss)(tables, *batch), state, tables)
        return optax.apply_updates(tables, change), state

    step, tables = jax.jit(step), jax.tree.map(jnp.asarray, dict(tables))
    state, chance, done = rule.init(tables), np.random.default_rng(seed), 0
    while done < steps:
        for batch in _batches(pairs, chance):
            tables, state = step(tables, state, batch)
            done += 1
            if done == steps:
                break
    return {name: np.asarray(table) for name, table in tables.items()}


def _batches(pairs: Sequence[Pair], chance: np.random.Generator) -> list[tuple[Floats, Floats, Floats, Floats]]:
    order, groups = [int(at) for at in chance.permutation(len(pairs))], list[list[int]]()
    for start in range(0, len(order), 16 * _BATCH):
        like = sorted(order[start : start + 16 * _BATCH], key=lambda at: len(pairs[at].states))
        groups += [like[at : at + _BATCH] for at in range(0, len(like) - _BATCH + 1, _BATCH)]
    chance.shuffle(groups)
    return [_batch([pairs[at] for at in group], chance) for group in groups]


def _batch(pairs: Sequence[Pair], chance: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    width, longest = pairs[0].states.shape[1], max(len(pair.states) for pair in pairs)
    length = next(each for each in _LENGTHS if each >= longest)
    states, mask = np.zeros((len(pairs), length, width), np.float32), np.zeros((len(pairs), length), np.float32)
    for at, pair in enumerate(pairs):
        states[at, : len(pair.states)], mask[at, : len(pair.states)] = pair.states, 1
    kept: Floats = np.asarray((chance.random((len(pairs), width)) > _DROPPED) / (1 - _DROPPED), np.float32)
    return states, mask, np.array([pair.answers for pair in pairs], np.float32), kept


class _Graph:
    """The nodes of the layers, written one after another; each method returns the name of what its node gives."""

    def __init__(self) -> None:
        self._helper = import_module("onnx.helper")
        self.nodes: list[object] = []

    def node(self, kind: str, *inputs: str, gives: str | None = None, **attributes: object) -> str:
        name = gives or f"{kind}_{len(self.nodes)}"
        self.nodes.append(self._helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def through(self, name: str, state: str, gives: str | None = None) -> str:
        return self.node("Add", self.node("MatMul", state, name), f"{name}.bias", gives=gives)

    def above(self, layer: str, some: str, states: str) -> str:
        query = self._heads(self.through(f"{layer}query", some), (0, 2, 1, 3))
        keys = self._heads(self.through(f"{layer}key", states), (0, 2, 3, 1))
        values = self._heads(self.through(f"{layer}value", states), (0, 2, 1, 3))
        shares = self.node("Softmax", self.node("Div", self.node("MatMul", query, keys), "root"), axis=-1)
        seen = self.node("Transpose", self.node("MatMul", shares, values), perm=[0, 2, 1, 3])
        output = self.through(f"{layer}output", self.node("Reshape", seen, "whole"))
        attended = self._normal(f"{layer}attention", self.node("Add", some, output))
        inner = self.node("Gelu", self.through(f"{layer}widened", attended), approximate="tanh")
        return self._normal(f"{layer}layer", self.node("Add", attended, self.through(f"{layer}narrowed", inner)))

    def _heads(self, state: str, order: Sequence[int]) -> str:
        return self.node("Transpose", self.node("Reshape", state, "heads"), perm=list(order))

    def _normal(self, name: str, state: str) -> str:
        return self.node("LayerNormalization", state, f"{name}.gain", f"{name}.shift", epsilon=_EPSILON)


def exported(tables: Tables) -> bytes:
    """Return the layers as an ONNX model of int8: `states` (1 × tokens × width) to `answers` (1 × 1)."""
    onnx, helper = import_module("onnx"), import_module("onnx.helper")
    width, graph = tables["pooler"].shape[0], _Graph()
    state = graph.node("Slice", "states", "start", "one", "one")  # of the first token
    for layer in range(_LAST - _FIRST + 1):
        state = graph.above(f"{layer}.", state, "states")
    state = graph.node("Squeeze", state, "one")
    graph.through("classifier", graph.node("Tanh", graph.through("pooler", state)), gives="answers")
    numbers = {"start": [0], "one": [1], "whole": [1, -1, width]}
    numbers["heads"] = [1, -1, _HEADS, width // _HEADS]
    constants = {**tables, **{name: np.array(each, np.int64) for name, each in numbers.items()}}
    constants["root"] = np.array(np.sqrt(width // _HEADS), np.float32)
    floats = onnx.TensorProto.FLOAT
    whole = helper.make_graph(
        graph.nodes,
        "answers",
        [helper.make_tensor_value_info("states", floats, [1, "tokens", width])],
        [helper.make_tensor_value_info("answers", floats, [1, 1])],
        [import_module("onnx.numpy_helper").from_array(np.asarray(table), name) for name, table in constants.items()],
    )
    with tempfile.TemporaryDirectory() as passing:
        large, small = Path(passing) / "large.onnx", Path(passing) / "small.onnx"
        opsets = [helper.make_opsetid("", _OPSET)]
        onnx.save(helper.make_model(whole, opset_imports=opsets, ir_version=_IR), large)
        import_module("onnxruntime.quantization").quantize_dynamic(large, small, per_channel=True)
        return small.read_bytes()


def area(scores: Sequence[float], answers: Sequence[bool]) -> float:
    """Return how often a pair that answers scores above one that does not."""
    ranks = np.argsort(np.argsort(scores))
    right = np.array(answers)
    number = int(right.sum())
    return round(float(ranks[right].sum() - number * (number - 1) / 2) / (number * (len(right) - number)), 3)


def report_on(pairs: Sequence[Pair], layers: AnswerLayers) -> dict[str, object]:
    """Return what both logits are worth on pairs of one memory."""
    answers = [pair.answers for pair in pairs]
    read = [layers.read(pair.states) for pair in pairs]
    return {
        "pairs": len(pairs),
        "answers": sum(answers),
        "relevance": area([pair.relevance for pair in pairs], answers),
        "read": area(read, answers),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.answer_layers", description=__doc__)
    parser.add_argument("--pairs", type=Path, action="append", required=True, help="a file of pairs")
    parser.add_argument("--without", action="append", default=[], help="a memory that takes no part in the fit")
    parser.add_argument("--write", type=Path, help="where the layers are kept")
    parser.add_argument("--json", action="store_true", help="print one JSON object (as without it)")
    given = parser.parse_args(arguments)
    model = models_directory() / FILE
    try:
        pairs = list(read_pairs(given.pairs, model))
    except RerankerUnavailable as error:
        print(f"bench.answer_layers: {error}", file=sys.stderr)
        return error.exit_code
    shown = [pair for pair in pairs if pair.memory not in given.without]
    written = exported(fitted(shown, first_tables(model.read_bytes())))
    if given.write:
        given.write.write_bytes(written)
    layers = AnswerLayers(written)
    told = {name: report_on([pair for pair in pairs if pair.memory == name], layers) for name in given.without}
    print(json.dumps({"pairs": len(shown), "held out": told, "machine": machine()}, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
