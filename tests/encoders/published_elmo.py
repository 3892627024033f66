"""A small ELMo in the published layout, and what the original computes from it, written out in numpy."""

import json
from pathlib import Path

import h5py
import numpy as np

OPTIONS = {
    "lstm": {
        "use_skip_connections": True,
        "projection_dim": 4,
        "cell_clip": 0.5,
        "proj_clip": 0.4,
        "dim": 6,
        "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu",
        "filters": [[1, 3], [2, 4]],
        "n_highway": 2,
        "embedding": {"dim": 3},
        "n_characters": 262,
        "max_characters_per_token": 12,
    },
}
FILTERS = 7


def arrays(seed=0):
    """The weights by their published names."""
    random = np.random.default_rng(seed)

    def some(*shape):
        return random.normal(scale=0.5, size=shape).astype(np.float32)

    found = {"char_embed": some(261, 3), "CNN_proj/W_proj": some(FILTERS, 4), "CNN_proj/b_proj": some(4)}
    for index, (width, number) in enumerate(OPTIONS["char_cnn"]["filters"]):
        found[f"CNN/W_cnn_{index}"] = some(1, width, 3, number)
        found[f"CNN/b_cnn_{index}"] = some(number)
    for layer in range(2):
        for gate in ("carry", "transform"):
            found[f"CNN_high_{layer}/W_{gate}"] = some(FILTERS, FILTERS)
            found[f"CNN_high_{layer}/b_{gate}"] = some(FILTERS)
    for direction in range(2):
        for layer in range(2):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            found[f"{cell}/W_0"] = some(8, 24)
            found[f"{cell}/B"] = some(24)
            found[f"{cell}/W_P_0"] = some(6, 4)
    return found


def write(folder: Path, weights=None, options=None) -> Path:
    """Write ``options.json`` and ``small_weights.hdf5``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "options.json").write_text(json.dumps(OPTIONS if options is None else options))
    with h5py.File(folder / "small_weights.hdf5", "w") as file:
        for name, array in (arrays() if weights is None else weights).items():
            file.create_dataset(name, data=array)
    return folder


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def characters(token):
    """A token, or a boundary given by its number, as the original's 12 character ids."""
    spelt = [token] if isinstance(token, int) else list(token.encode("utf-8"))[:10]
    row = [258, *spelt, 259]
    return row + [260] * (12 - len(row))


def token_vector(weights, token):
    """The character CNN: filters over all 12 places, highways, projection."""
    x = weights["char_embed"][characters(token)]
    parts = []
    for index, (width, _) in enumerate(OPTIONS["char_cnn"]["filters"]):
        kernel = weights[f"CNN/W_cnn_{index}"][0]
        windows = [np.einsum("wd,wdn->n", x[s : s + width], kernel) for s in range(12 - width + 1)]
        parts.append(np.maximum(np.max(windows, axis=0) + weights[f"CNN/b_cnn_{index}"], 0))
    v = np.concatenate(parts)
    for layer in range(2):
        name = f"CNN_high_{layer}"
        carry = sigmoid(v @ weights[f"{name}/W_carry"] + weights[f"{name}/b_carry"])
        change = np.maximum(v @ weights[f"{name}/W_transform"] + weights[f"{name}/b_transform"], 0)
        v = carry * change + (1 - carry) * v
    return v @ weights["CNN_proj/W_proj"] + weights["CNN_proj/b_proj"]


def lstm(weights, direction, layer, inputs):
    """One direction of one layer: the gates in the order i, j, f, o, one added to f."""
    cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
    c, m, said = np.zeros(6), np.zeros(4), []
    for x in inputs:
        i, j, f, o = np.split(np.concatenate([x, m]) @ weights[f"{cell}/W_0"] + weights[f"{cell}/B"], 4)
        c = np.clip(sigmoid(f + 1.0) * c + sigmoid(i) * np.tanh(j), -0.5, 0.5)
        m = np.clip((sigmoid(o) * np.tanh(c)) @ weights[f"{cell}/W_P_0"], -0.4, 0.4)
        said.append(m)
    return said


def layers(weights, sentence):
    """All three layers of a sentence with its boundaries, ``[3, T + 2, 8]``, in double precision."""
    weights = {name: array.astype(np.float64) for name, array in weights.items()}
    tokens = [token_vector(weights, token) for token in [256, *sentence, 257]]
    found = [np.concatenate([tokens, tokens], axis=1)]
    directions = []
    for direction in range(2):
        x = tokens if direction == 0 else tokens[::-1]
        first = lstm(weights, direction, 0, x)
        second = [
            below + above for below, above in zip(first, lstm(weights, direction, 1, first), strict=True)
        ]
        directions.append([said if direction == 0 else said[::-1] for said in (first, second)])
    for layer in range(2):
        found.append(np.concatenate([directions[0][layer], directions[1][layer]], axis=1))
    return np.stack(found)
