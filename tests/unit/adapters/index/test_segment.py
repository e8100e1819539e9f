"""A bound from a sketch is never below the cosine, whatever the vectors."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice.adapters.index.segment import QuantisedVectors


def unit(
    matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return (matrix / np.linalg.norm(matrix, axis=1)[:, None]).astype(np.float32)


@pytest.mark.requirement("promise:8")
@settings(deadline=None, max_examples=80)
@given(
    seed=st.integers(0, 10_000),
    dim=st.sampled_from([1, 3, 4, 63, 384, 1536]),
    power=st.sampled_from([0.2, 1.0, 3.0, 9.0]),
)
def test_a_bound_is_never_below_the_cosine_and_not_far_above(seed: int, dim: int, power: float) -> None:
    chance = np.random.default_rng(seed)
    raw = chance.standard_normal((60, dim))
    matrix = unit(np.sign(raw) * np.abs(raw) ** power)
    bounds = np.empty(59, dtype=np.float32)
    QuantisedVectors.of(matrix[1:]).bounds(QuantisedVectors.of(matrix[:1]), bounds)
    cosines = matrix[1:].astype(np.float64) @ matrix[0].astype(np.float64)
    assert (bounds >= cosines).all()
    assert (bounds <= cosines + 2.5 * np.sqrt(dim) / 127).all()


def test_the_sketch_of_no_vectors_bounds_nothing() -> None:
    bounds = np.empty(0, dtype=np.float32)
    QuantisedVectors.of(np.empty((0, 4), dtype=np.float32)).bounds(
        QuantisedVectors.of(np.eye(4, dtype=np.float32)[:1]), bounds
    )
    assert not len(bounds)
    bounds = np.empty(1, dtype=np.float32)
    QuantisedVectors.of(np.eye(4, dtype=np.float32)[:1]).bounds(
        QuantisedVectors.of(np.eye(4, dtype=np.float32)[:1]), bounds
    )
    assert bounds == pytest.approx([1.0], abs=1e-5)


def test_a_scan_keeps_the_interpreter_whole() -> None:
    axes = QuantisedVectors.of(np.eye(4, dtype=np.float32))
    bounds = np.empty(4, dtype=np.float32)
    before = sys.getrefcount(None)
    for _ in range(1000):
        axes.bounds(axes.taken(np.array([0])), bounds)
    assert sys.getrefcount(None) > before - 500


def test_the_sketch_of_an_axis_is_exact() -> None:
    axes = np.eye(4, dtype=np.float32)
    bounds = np.empty(4, dtype=np.float32)
    QuantisedVectors.of(axes).bounds(QuantisedVectors.of(axes[:1]), bounds)
    assert bounds == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-5)
