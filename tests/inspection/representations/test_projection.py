"""Projections: principal components against a singular value decomposition, t-SNE by what it promises."""

from __future__ import annotations

import numpy as np
import pytest

from core.inspection.representations.projection import (
    TooFewVectors,
    neighbour_embedding,
    principal_components,
)


@pytest.mark.parametrize("shape", [(40, 7), (7, 40), (3, 2), (5, 1)])
def test_principal_components_are_those_of_a_singular_value_decomposition(shape):
    vectors = np.random.default_rng(3).normal(size=shape).astype(np.float32)
    found = principal_components(vectors)
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    for axis in range(min(2, shape[1])):
        expected = left[:, axis] * sizes[axis]
        same = found.points[:, axis] * np.sign(found.points[:, axis] @ expected)
        np.testing.assert_allclose(same, expected, atol=1e-6)
        assert found.explained[axis] == pytest.approx(sizes[axis] ** 2 / (sizes**2).sum())


def test_vectors_that_are_all_the_same_lie_on_one_point():
    same = np.ones((5, 4))
    assert not principal_components(same).points.any()
    assert not neighbour_embedding(same).points.any()


def test_t_sne_keeps_neighbours_together_and_is_the_same_again():
    random = np.random.default_rng(1)
    centres = np.repeat(np.eye(3, 60) * 20, 15, axis=0)
    vectors = centres + random.normal(size=centres.shape)
    found = neighbour_embedding(vectors, seed=2)
    assert found.explained is None, "the axes of t-SNE mean nothing"
    groups = np.repeat(np.arange(3), 15)
    distances = np.linalg.norm(found.points[:, None] - found.points[None], axis=-1)
    np.fill_diagonal(distances, np.inf)
    assert (groups[distances.argmin(1)] == groups).all()
    np.testing.assert_array_equal(neighbour_embedding(vectors, seed=2).points, found.points)


@pytest.mark.parametrize("project", [principal_components, neighbour_embedding])
def test_two_points_are_no_picture(project):
    with pytest.raises(TooFewVectors, match="at least 3"):
        project(np.zeros((2, 5)))
