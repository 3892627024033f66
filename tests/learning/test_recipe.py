"""The recipe: the same seed gives the same error, a Transformer learns the task, and the grid is complete."""

import pytest
import torch

from core.learning.recipe import (
    TASKS,
    Grid,
    PairTransformer,
    Recipe,
    VectorTransformer,
    results,
    row,
    run_recipe,
    target_of_pairs,
    target_of_vectors,
    vectors,
)

QUICK = Grid((0.01,), (0, 10), ("own", "xavier_normal"), (1,), (8,))


def test_the_task_is_the_polynomial():
    pairs = torch.tensor([[0.0, 0.0], [1.0, -2.0], [-1.5, 0.25]])
    assert target_of_pairs(pairs).tolist() == [1.0, 2.0, 0.5]


def test_of_vectors_it_is_the_polynomial_of_every_element():
    drawn = vectors(300)
    assert drawn.shape == (300, 10, 256)
    assert abs(float(drawn.mean())) < 0.01
    assert abs(float(drawn.std()) - 1) < 0.01
    told = target_of_vectors(drawn)
    assert told.shape == VectorTransformer(1)(drawn).shape == (300, 5, 256)
    for sample, token, place in ((0, 0, 0), (7, 4, 255), (299, 2, 100)):
        a, b = float(drawn[sample, token, place]), float(drawn[sample, token + 5, place])
        assert float(told[sample, token, place]) == pytest.approx((a + 1) ** 2 + b, rel=1e-5)


def test_a_shallow_transformer_learns_a_batch_of_vectors_by_heart():
    torch.manual_seed(1)
    model, drawn = VectorTransformer(1), vectors(4)
    optimiser = torch.optim.Adam(model.parameters(), 0.003)
    losses = []
    for _ in range(60):
        losses.append(((model(drawn) - target_of_vectors(drawn)) ** 2).mean())
        optimiser.zero_grad()
        losses[-1].backward()
        optimiser.step()
    assert losses[-1] < 0.2 * losses[0]


def test_an_initialisation_takes_a_scale(monkeypatch):
    seen = []

    class Watched(PairTransformer):
        def forward(self, pairs):
            seen.append(self.layers[0].linear1.weight.detach().clone())
            return super().forward(pairs)

    monkeypatch.setitem(TASKS, "numbers", (Watched, *TASKS["numbers"][1:]))
    for name, largest in (("normal:0.1", 0.6), ("uniform:0.001", 0.001), ("normal", 0.12)):
        run_recipe(Recipe(1e-9, 0, name, 1, 4), steps=1, seed=1)
        assert largest / 3 < float(seen[0].abs().max()) <= largest + 1e-6, name
        seen.clear()


def test_the_grid_is_every_combination_once():
    recipes = Grid().recipes()
    assert len(recipes) == len(set(recipes)) == 3 * 2 * 3 * 2 * 2
    assert {recipe.depth for recipe in recipes} == {2, 6}


def test_rows_come_one_by_one_and_stop_when_asked():
    seen = []
    for result in results(QUICK, steps=2, should_stop=lambda: len(seen) == 3):
        seen.append(row(result))
    assert len(seen) == 3
    assert [r["warm_up"] for r in seen] == [0, 10, 0]
    assert set(seen[0]) == {
        "task", "learning_rate", "warm_up", "initialisation", "depth", "batch", "error", "seconds",
    }  # fmt: skip


def test_the_same_seed_gives_the_same_error_and_leaves_the_random_numbers_alone():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    recipe = Recipe(0.01, 5, "kaiming_normal", 2, 8)
    errors = [run_recipe(recipe, steps=5, seed=seed).error for seed in (1, 1, 2)]
    assert errors[0] == errors[1] != errors[2]
    assert torch.equal(torch.get_rng_state(), before)


def test_a_shallow_transformer_learns_it_and_an_untrained_one_has_not():
    recipe = Recipe(0.003, 10, "own", 2, 64)
    assert run_recipe(recipe, steps=150, seed=1).error < 0.05
    assert run_recipe(recipe, steps=1, seed=1).error > 0.5


def test_a_training_that_blows_up_is_told_apart_from_an_error():
    diverged = run_recipe(Recipe(1e30, 0, "own", 2, 8), steps=6, seed=1)
    assert diverged.error is None
    assert row(diverged)["error"] is None


def test_it_is_as_deep_as_asked():
    assert len(PairTransformer(6).layers) == 6
    assert PairTransformer(1)(torch.zeros(5, 2)).shape == (5,)
    assert sum(p.numel() for p in PairTransformer(6).parameters()) == pytest.approx(
        6 * sum(p.numel() for p in PairTransformer(1).layers.parameters()), rel=0.01
    )
