"""A bound from a sketch is never below the cosine, whatever the vectors."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from voice.adapters.index.segment import QuantisedVectors

Floats = NDArray[np.float32]
AXES = np.eye(4, dtype=np.float32)


def unit(matrix: NDArray[np.float64]) -> Floats:
    return (matrix / np.linalg.norm(matrix, axis=1)[:, None]).astype(np.float32)


def bounds_of(rows: Floats, question: Floats) -> Floats:
    """Return by what the cosine of each row to the question is bounded."""
    bounds = np.empty(len(rows), dtype=np.float32)
    QuantisedVectors.of(rows).bounds(QuantisedVectors.of(question), bounds)
    return bounds


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
    bounds = bounds_of(matrix[1:], matrix[:1])
    cosines = matrix[1:].astype(np.float64) @ matrix[0].astype(np.float64)
    assert (bounds >= cosines).all()
    assert (bounds <= cosines + 2.5 * np.sqrt(dim) / 127).all()


def test_the_sketch_of_an_axis_is_exact_and_that_of_no_vectors_bounds_nothing() -> None:
    assert bounds_of(AXES, AXES[:1]) == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-5)
    assert not len(bounds_of(AXES[:0], AXES[:1]))


def test_a_scan_keeps_the_interpreter_whole() -> None:
    axes = QuantisedVectors.of(AXES)
    bounds = np.empty(4, dtype=np.float32)
    before = sys.getrefcount(None)
    for _ in range(1000):
        axes.bounds(axes.taken(np.array([0])), bounds)
    assert sys.getrefcount(None) > before - 500
