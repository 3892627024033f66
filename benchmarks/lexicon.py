"""How long jieba's dictionary takes to build, save and load, and how fast it matches; the same with a million
words, of random characters and of jieba's words in pairs, and a project's word list of a million.

Seconds are those of one core that the process computed, so that other work on the machine does not count.
Run it as ``python -m benchmarks.lexicon`` (``--json`` for one JSON object, ``--characters N`` for another
amount of text). The text is drawn from the dictionary itself by frequency, with a fixed seed, so that it
needs no corpus.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.word_list import measure_list
from core.lexicon import Lattice, Lexicon, automaton, jieba_dictionary

Result = TypeVar("Result")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the lexicon on jieba's dictionary.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--characters", type=int, default=500_000, help="text to match (default 500000)")
    parser.add_argument(
        "--million", type=int, default=1_000_000, help="words of the large list (default 1000000; 0: none)"
    )
    parser.add_argument("--large-alone", choices=WORDS, help="the large lexicon alone, for its memory")
    args = parser.parse_args()
    if args.characters < 1:
        parser.error(f"--characters must be at least 1, got {args.characters}")
    if args.large_alone:
        figures = measure_large(args.large_alone, args.million)
    else:
        figures = measure(args.characters)
        if args.million:
            for kind in WORDS:
                figures |= _in_own_process(kind, args.million)
            figures |= measure_list(_random_words(args.million))
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
        automaton.build_cached(words, lambda: dictionary.fingerprint, cache)
        (serialised,) = (path.stat().st_size for path in cache.iterdir())
        cached, _ = _timed(lambda: automaton.build_cached(words, lambda: dictionary.fingerprint, cache))
        lexicon = Lexicon.jieba()
        lexicon.match("")  # the shared automaton is there, as in a running app
        save, _ = _timed(lambda: lexicon.save(folder))
        load, loaded = _timed(lambda: Lexicon.load(folder))
        load = min(load, _fastest(lambda: Lexicon.load(folder), 3))
        first, _ = _timed(lambda: loaded.match("记者在北京大学采访"))
        look, _ = _timed(lambda: "北京大学" in loaded)
        assert "北京大学" in lexicon  # as in a running app: the words were looked up once
        overlay, _ = _timed(lambda: lexicon.with_words(["星辰湾"]).match("记者在星辰湾采访"))
        size = sum(path.stat().st_size for path in folder.iterdir())
    sentences = _sentences(lexicon, characters)
    total = sum(map(len, sentences))
    raw = _fastest(lambda: _each(found.find_overlapping, sentences))
    places = _fastest(lambda: _each(lexicon.offsets, sentences))
    words_of_text = _fastest(lambda: _each(lexicon.match, sentences))
    lattices = _fastest(lambda: _each(lambda sentence: Lattice.of(sentence, lexicon), sentences))
    matches = sum(len(lexicon.offsets(sentence)) for sentence in sentences)
    return {
        "words": len(lexicon),
        "read_dictionary_seconds": read,
        "build_automaton_seconds": build,
        "automaton_mib": serialised / 2**20,
        "automaton_from_cache_seconds": cached,
        "save_seconds": save,
        "saved_mib": size / 2**20,
        "load_seconds": load,
        "first_match_after_load_seconds": first,
        "first_look_up_after_load_seconds": look,
        "add_a_word_and_match_seconds": overlay,
        "characters": total,
        "matches": matches,
        "automaton_million_characters_per_second": total / raw / 1e6,
        "places_million_characters_per_second": total / places / 1e6,
        "match_million_characters_per_second": total / words_of_text / 1e6,
        "lattice_million_characters_per_second": total / lattices / 1e6,
    }


def measure_large(kind: str, count: int) -> dict[str, Any]:
    """A lexicon of so many words: built, saved, loaded, matched; its memory is that above the bare words."""
    with tempfile.TemporaryDirectory() as scratch:
        words = WORDS[kind](count)
        before = _peak_mib()
        build, lexicon = _timed(lambda: _built(words))
        peak = _peak_mib() - before
        folder = Path(scratch) / "lexicon"
        save, _ = _timed(lambda: lexicon.save(folder))
        load, _ = _timed(lambda: Lexicon.load(folder))
    chance = random.Random(2)
    text = "".join(chance.choices(words, k=100_000))
    sentences = [text[start : start + 40] for start in range(0, len(text), 40)]
    places = _fastest(lambda: _each(lexicon.offsets, sentences))
    return {
        f"{kind}_words": len(lexicon),
        f"{kind}_build_seconds": build,
        f"{kind}_build_mib": peak,
        f"{kind}_save_seconds": save,
        f"{kind}_load_seconds": load,
        f"{kind}_places_million_characters_per_second": len(text) / places / 1e6,
    }


def _peak_mib() -> float:
    """The most memory this process has held. What getrusage tells begins at what its parent held."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 2**10


def _built(words: list[str]) -> Lexicon:
    lexicon = Lexicon(words)
    lexicon.offsets("")  # the automaton is built when it is first asked
    return lexicon


def _in_own_process(kind: str, count: int) -> dict[str, Any]:
    # What this process has held before would hide the peak; an empty cache makes it build.
    with tempfile.TemporaryDirectory() as cache:
        asked = ["--json", "--large-alone", kind, "--million", str(count)]
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.lexicon", *asked],
            env={**os.environ, "XDG_CACHE_HOME": cache}, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    return dict(json.loads(run.stdout))


def _random_words(count: int) -> list[str]:
    """Different words of two to five Chinese characters, the same at every call: a hard case, since they
    share few beginnings."""
    chance = random.Random(1)
    made: dict[str, None] = {}
    while len(made) < count:
        length = chance.choice((2, 3, 3, 4, 5))
        made["".join(map(chr, chance.choices(range(0x4E00, 0x4E00 + 4000), k=length)))] = None
    return list(made)


def _paired_words(count: int) -> list[str]:
    """Different pairs of jieba's words, drawn by their frequency, the same at every call."""
    chance = random.Random(1)
    entries = list(jieba_dictionary.read())
    weights = list(accumulate(entry.frequency for entry in entries))
    made: dict[str, None] = {}
    while len(made) < count:
        drawn = chance.choices(entries, cum_weights=weights, k=200_000)
        pairs = (first.word + second.word for first, second in zip(drawn[::2], drawn[1::2], strict=True))
        made |= dict.fromkeys(islice(pairs, count - len(made)))
    return list(made)


def _each(work: Callable[[str], object], sentences: list[str]) -> None:
    for sentence in sentences:
        work(sentence)


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def _fastest(work: Callable[[], object], times: int = 5) -> float:
    return min(_timed(work)[0] for _ in range(times))


def _sentences(lexicon: Lexicon, characters: int) -> list[str]:
    """Sentences of about 40 characters of words drawn by their frequency."""
    chance = random.Random(1)
    entries = list(lexicon)
    drawn = chance.choices(
        [entry.word for entry in entries], [entry.frequency for entry in entries], k=characters // 2 + 20
    )
    text = "".join(drawn)[:characters]
    return [text[start : start + 40] for start in range(0, len(text), 40)]


WORDS: dict[str, Callable[[int], list[str]]] = {"random": _random_words, "paired": _paired_words}

if __name__ == "__main__":
    main()
