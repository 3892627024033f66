"""LR-CNN written from its equations, one character of one sentence at a time."""

import torch


def naive(layer, x, words, vectors):
    """Hidden ``[T, H]``, scale weights ``[T, L]`` and the shares ``[words, sides]`` of one sentence."""
    length, layers = len(x), len(layer.beginning.convolutions) + 1
    vector = dict(zip(words, vectors, strict=True))
    unigrams = [torch.tanh(layer.characters(character)) for character in x]
    grams = [ngrams(side, unigrams) for side in layer.sides]

    def features(m, n, top):
        total, shares = 0, []
        for side, stack in zip(layer.sides, grams, strict=True):
            place = (m - n + 1, m) if side.ends else (m, m + n - 1)
            word = vector.get(place, x.new_zeros(layer.beginning.attention.word.in_features))
            made, share = attend(side.attention, stack[n][m], word, top)
            total, shares = total + made, [*shares, share]
        return total, shares

    top = [None] * length
    for _ in range(layer.rethinking):
        top = [features(m, layers, top[m])[0] for m in range(length)]
    hidden, scales, shares = [], [], {word: [] for word in words}
    for m in range(length):
        scale = [unigrams[m]]
        for n in range(2, layers + 1):
            made, found = features(m, n, top[m])
            scale.append(made)
            for side, share in zip(layer.sides, found, strict=True):
                place = (m - n + 1, m) if side.ends else (m, m + n - 1)
                if place in vector:
                    shares[place].append((side.ends, share.mean()))
        weights = scale_weights(layer.scales, scale)
        hidden.append(sum(weight * part for weight, part in zip(weights, scale, strict=True)))
        scales.append(weights)
    ordered = [torch.stack([share for _, share in sorted(shares[word])]) for word in words]
    return torch.stack(hidden), torch.stack(scales), ordered


def ngrams(side, unigrams):
    """``C_m^l = tanh(<C^{l-1}[*, m:m+1], H_{l-1}> + b_{l-1})``, or with m-1:m, by l (n here) and m."""
    stack, zero = {1: unigrams}, torch.zeros_like(unigrams[0])
    for n, convolution in enumerate(side.convolutions, start=2):
        below = stack[n - 1]
        around = [zero, *below] if side.ends else [*below, zero]
        pairs = [torch.cat([around[m], around[m + 1]]) for m in range(len(below))]
        stack[n] = [torch.tanh(convolution(pair)) for pair in pairs]
    return stack


def attend(attention, gram, word, top):
    """The features of an n-gram and its word, and the share of the word."""
    brought = (attention.ngram(gram) + attention.word(word)).split(len(gram))
    u = torch.tanh(brought[0])
    if top is None:
        i, f = (torch.sigmoid(gate) for gate in brought[1:3])
        shares = torch.stack([i, f]).softmax(0)
        return shares[0] * u + shares[1] * gram, shares[0]
    fed = attention.top(top).split(len(gram))
    gates = [torch.sigmoid(gate + back) for gate, back in zip(brought[1:], fed, strict=True)]
    shares = torch.stack(gates).softmax(0)
    return shares[0] * u + shares[1] * gram + shares[2] * top, shares[0]


def scale_weights(scales, layers):
    sums = torch.stack([layer.sum() for layer in layers])
    return torch.tanh(scales.outer(torch.tanh(scales.inner(sums)))).softmax(0)
