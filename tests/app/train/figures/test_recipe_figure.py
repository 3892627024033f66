"""The heat maps of the training recipe."""

from itertools import product

from app.train.figures.recipe import recipe_errors


def row(rate, warm_up, initialisation, depth, batch, error):
    return {
        "learning_rate": rate, "warm_up": warm_up, "initialisation": initialisation, "depth": depth,
        "batch": batch, "error": error, "seconds": 1.0,
    }  # fmt: skip


def test_every_recipe_has_its_cell():
    grid = product((0.003, 0.01), (0, 60), ("own", "normal"), (2, 6), (16, 64))
    rows = [row(*recipe, error=10.0 ** -(number % 4)) for number, recipe in enumerate(grid)]
    figure = recipe_errors(rows[::-1])
    assert len(figure.data) == 2, "one map for each batch size"
    (found,) = (r for r in rows if (r["learning_rate"], r["warm_up"], r["initialisation"], r["depth"],
                                    r["batch"]) == (0.01, 0, "normal", 6, 64))  # fmt: skip
    heat = figure.data[1]
    across, down = list(heat.x).index("0.01<br>warm-up 0"), list(heat.y).index("6 layers, normal")
    assert float(heat.text[down][across]) == found["error"]
    assert 10 ** heat.z[down][across] == found["error"]
    assert len(heat.x) == 4
    assert len(heat.y) == 4


def test_what_is_not_trained_is_blank_and_what_diverged_is_as_bad_as_can_be():
    figure = recipe_errors([row(0.01, 0, "own", 6, 16, None), row(0.003, 60, "own", 2, 16, 0.5)])
    heat = figure.data[0]
    at = {name: index for index, name in enumerate(heat.x)}
    deep, shallow = list(heat.y).index("6 layers, own"), list(heat.y).index("2 layers, own")
    assert heat.text[deep][at["0.01<br>warm-up 0"]] == "∞"
    assert heat.z[deep][at["0.01<br>warm-up 0"]] == 0.0
    assert heat.z[shallow][at["0.01<br>warm-up 0"]] is None
    assert heat.text[shallow][at["0.01<br>warm-up 0"]] == ""


def test_nothing_trained_yet_is_an_empty_figure_and_chinese_is_spoken():
    assert recipe_errors([]).data[0].z == ()
    figure = recipe_errors([row(0.01, 20, "own", 2, 16, 0.5)], "zh")
    assert figure.data[0].y == ("2 层，own",)
