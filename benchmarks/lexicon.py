"""How long jieba's dictionary takes to build, save and load, and how fast it matches.

Run it as ``python -m benchmarks.lexicon`` (``--json`` for one JSON object, ``--characters N`` for another
amount of text). The text is drawn from the dictionary itself by frequency, with a fixed seed, so that it
needs no corpus.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from core.lexicon import Lattice, Lexicon, automaton, jieba_dictionary

Result = TypeVar("Result")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the lexicon on jieba's dictionary.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--characters", type=int, default=500_000, help="text to match (default 500000)")
    args = parser.parse_args()
    if args.characters < 1:
        parser.error(f"--characters must be at least 1, got {args.characters}")
    figures = measure(args.characters)
    if args.json:
        print(json.dumps(figures))
        return
    width = max(map(len, figures))
    for name, value in figures.items():
        print(
            f"{name:<{width}}  {value:>12,.4g}"
            if isinstance(value, float)
            else f"{name:<{width}}  {value:>12,}"
        )


def measure(characters: int) -> dict[str, Any]:
    """All figures by name; seconds unless the name says otherwise."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, cache = Path(scratch) / "lexicon", Path(scratch) / "cache"
        read, dictionary = _timed(jieba_dictionary.read)
        words = [entry.word for entry in dictionary]
        build, found = _timed(lambda: automaton.build(words))
        serialised = found.serialize()
        automaton.build_cached(words, dictionary.fingerprint, cache)
        cached, _ = _timed(lambda: automaton.build_cached(words, dictionary.fingerprint, cache))
        lexicon = Lexicon.jieba()
        lexicon.match("")  # the shared automaton is there, as in a running app
        save, _ = _timed(lambda: lexicon.save(folder))
        load, loaded = _timed(lambda: Lexicon.load(folder))
        first, _ = _timed(lambda: loaded.match("记者在北京大学采访"))
        overlay, _ = _timed(lambda: lexicon.with_words(["星辰湾"]).match("记者在星辰湾采访"))
        size = sum(path.stat().st_size for path in folder.iterdir())
    sentences = _sentences(lexicon, characters)
    total = sum(map(len, sentences))
    raw, _ = _timed(lambda: [found.find_overlapping(sentence) for sentence in sentences])
    matching, matches = _timed(lambda: [lexicon.match(sentence) for sentence in sentences])
    lattices, _ = _timed(lambda: [len(Lattice.of(sentence, lexicon)) for sentence in sentences])
    return {
        "words": len(lexicon),
        "read_dictionary_seconds": read,
        "build_automaton_seconds": build,
        "automaton_mib": len(serialised) / 2**20,
        "automaton_from_cache_seconds": cached,
        "save_seconds": save,
        "saved_mib": size / 2**20,
        "load_seconds": load,
        "first_match_after_load_seconds": first,
        "add_a_word_and_match_seconds": overlay,
        "characters": total,
        "matches": sum(map(len, matches)),
        "automaton_million_characters_per_second": total / raw / 1e6,
        "match_million_characters_per_second": total / matching / 1e6,
        "lattice_million_characters_per_second": total / lattices / 1e6,
    }


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def _sentences(lexicon: Lexicon, characters: int) -> list[str]:
    """Sentences of about 40 characters of words drawn by their frequency."""
    chance = random.Random(1)
    entries = list(lexicon)
    drawn = chance.choices(
        [entry.word for entry in entries], [entry.frequency for entry in entries], k=characters // 2 + 20
    )
    text = "".join(drawn)[:characters]
    return [text[start : start + 40] for start in range(0, len(text), 40)]


if __name__ == "__main__":
    main()
