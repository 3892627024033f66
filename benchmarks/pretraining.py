"""What pretraining on raw text adds to FLAT, SoftLexicon and BERT, by the number of labelled documents.

``python -m benchmarks.pretraining OUT --data FOLDER --encoder DIR --more FILE`` trains what
``OUT/rows.jsonl`` lacks, the small sizes first, and adds a row after every training, so that a stop loses
nothing. Without ``--data`` it only prints the table and draws the plot:
``python -m benchmarks.results pretraining -- OUT``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.pretraining_picture import write_svg
from benchmarks.resume import FILES, ROOT, machine

SVG = ROOT / "docs" / "images" / "pretraining.svg"
ROWS, SETUP = "rows.jsonl", "setup.json"
# Passes over the labelled documents by how many there are: few documents need more to learn anything.
EPOCHS = {100: 20, 500: 8, 2000: 4}
MOST_EPOCHS = 3
BERT_EPOCHS = {100: 10, 500: 5, 2000: 2}
DEV = 100  # documents the best epoch is chosen by
MLM_RATE = 1e-4  # step size of masked-language-model training
# The encoder has no head: a fresh one learns alone first, or at once with all else.
MLM: dict[str, dict[str, Any]] = {"mlm": {}, "mlm_at_once": {"head_steps": 0}}
TAGGERS = {
    "flat": ("none", "word2vec", "fasttext"),
    "soft_lexicon": ("none", "word2vec", "fasttext"),
    "bert": ("none", *MLM),
}
UNITS = {"char_vectors": "characters", "bigram_vectors": "bigrams", "word_vectors": "words"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is missing where data is given, then print the table and write the plot."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path, help="folder of rows.jsonl and of what was pretrained")
    parser.add_argument("--data", type=Path, help="folder of train, dev and test .char.bmes")
    parser.add_argument("--encoder", type=Path, help="folder of the BERT tagger's encoder")
    parser.add_argument("--more", type=Path, action="append", default=[], help="more raw text for vectors")
    parser.add_argument("--sizes", default="100,500,2000,0", help="labelled documents, 0 for all")
    parser.add_argument("--taggers", default=",".join(TAGGERS), help="of flat, soft_lexicon, bert")
    parser.add_argument("--vector-epochs", type=int, default=5, help="of word2vec and fastText (5)")
    parser.add_argument("--mlm-epochs", type=int, default=3, help="of masked-language-model training (3)")
    parser.add_argument("--svg", type=Path, default=SVG, help="plot to write")
    args = parser.parse_args(arguments)
    if args.data is not None:
        missing = [name for name in FILES.values() if not (args.data / name).is_file()]
        if missing:
            print(f"{args.data} lacks {', '.join(missing)}", file=sys.stderr)
            return 2
        for row in measure(args):
            print(json.dumps(row, ensure_ascii=False), file=sys.stderr, flush=True)
    rows = read_rows(args.out)
    if not any(row["kind"] == "score" for row in rows):
        print(f"{args.out} holds no scores; give --data to measure them", file=sys.stderr)
        return 2
    print(render(rows, json.loads((args.out / SETUP).read_text(encoding="utf-8"))))
    args.svg.parent.mkdir(parents=True, exist_ok=True)
    args.svg.write_text(write_svg([row for row in rows if row["kind"] == "score"]), encoding="utf-8")
    return 0


def measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Every row that is not there yet, written as it comes."""
    import torch

    from core.formats import read_file
    from core.jobs.learning_curve import nested_parts
    from core.training.device import choose_device
    from core.training.run.run_scores import environment

    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    data = {part: read_file(args.data / name).documents for part, name in FILES.items()}
    more = [document for path in args.more for document in read_file(path).documents]
    sizes = [int(size) or len(data["train"]) for size in args.sizes.split(",")]
    setup = {
        "resume": {"documents": len(data["train"]), "characters": _characters(data["train"])},
        "more": {"files": [str(path) for path in args.more], "characters": _characters(more)},
        "encoder": args.encoder.name if args.encoder else "",
        "dev": min(DEV, len(data["dev"])),
        "test": len(data["test"]),
        "machine": machine(environment(choose_device("cpu").device)),
    }
    (args.out / SETUP).write_text(json.dumps(setup, ensure_ascii=False, indent=1), encoding="utf-8")
    parts = nested_parts(data["train"], [size / len(data["train"]) for size in sizes])
    known = {(row.get("tagger"), row["start"], row.get("documents")) for row in read_rows(args.out)}
    for size, documents in zip(sizes, parts, strict=True):
        for tagger in args.taggers.split(","):
            for start in TAGGERS[tagger]:
                if (tagger, start, size) in known:
                    continue
                folder = args.out / "pretrained" / start
                if start != "none" and (None, start, None) not in known:
                    row = pretrain(start, folder, data["train"], more, args)
                    known.add((None, start, None))
                    yield _add(args.out, row)
                data_part = {"train": documents, "dev": data["dev"][:DEV], "test": data["test"]}
                yield _add(args.out, score(tagger, start, folder, size, data_part, args))


def pretrain(
    start: str, folder: Path, texts: Sequence[Any], more: Sequence[Any], args: argparse.Namespace
) -> dict[str, Any]:
    """Pretrain by one of the ways; what it came to."""
    import torch

    from core.learning.bilm.preparation import hold_out
    from core.learning.mlm.config import MlmConfig, TinyBertConfig
    from core.learning.mlm.preparation import prepare_mlm
    from core.learning.mlm.training import train_mlm
    from core.learning.vectors.config import VectorsConfig
    from core.learning.vectors.training import train_vectors

    begun = time.monotonic()
    row: dict[str, Any] = {"kind": "pretraining", "start": start}
    if start in MLM:
        config = MlmConfig(
            encoder=str(args.encoder), epochs=args.mlm_epochs, learning_rate=MLM_RATE, **MLM[start]
        )
        learned, dev = hold_out(texts, config.seed)
        model, corpus, _ = prepare_mlm(learned, dev, config, TinyBertConfig())
        events: list[Mapping[str, Any]] = []
        result = train_mlm(
            model, corpus, config, folder=folder, report=events.append, should_stop=lambda: False,
            device=torch.device("cpu"),
        )  # fmt: skip
        head = next((event for event in events if event["event"] == "head"), None)
        row |= {"characters": _characters(learned), "epochs": config.epochs, "rate": config.learning_rate,
                "masking": config.masking, "before": result.before,
                "head": None if head is None else {"steps": head["steps"], "perplexity": head["dev"]},
                "perplexity": [epoch.dev for epoch in result.history]}  # fmt: skip
    else:
        settings = VectorsConfig(model=start, epochs=args.vector_epochs)
        found = train_vectors(
            [*texts, *more], settings, folder=folder, report=_quiet, should_stop=lambda: False
        )
        row |= {"characters": _characters([*texts, *more]), "epochs": settings.epochs,
                "units": [asdict(unit) for unit in found.units]}  # fmt: skip
    return {**row, "seconds": round(time.monotonic() - begun, 1)}


def score(
    tagger: str, start: str, folder: Path, size: int, parts: dict[str, Any], args: argparse.Namespace
) -> dict[str, Any]:
    """One training as the app runs it, with one seed and one thread; its test scores."""
    from core.corpus.snapshot import Snapshot, write_snapshot
    from core.training.run.run import execute_training
    from core.training.run.run_folder import RunFolder
    from core.training.run.run_request import RunRequest

    config: dict[str, Any] = {}
    if tagger == "bert":
        config["encoder"] = str(folder / "model" if start in MLM else args.encoder)
    elif start != "none":
        config |= {field: str(folder / f"{unit}.vec") for field, unit in UNITS.items()}
    run = RunFolder(args.out / "work")
    shutil.rmtree(run.path, ignore_errors=True)
    write_snapshot(run.snapshot, Snapshot({part: tuple(found) for part, found in parts.items()}))
    epochs = (BERT_EPOCHS if tagger == "bert" else EPOCHS).get(size, MOST_EPOCHS - (tagger == "bert") * 2)
    settings = {"epochs": epochs, "threads": 1}
    run.write_request(
        RunRequest(tagger=tagger, config=config, settings=settings, device="cpu", predict_all=False)
    )
    scores = execute_training(run, _quiet, lambda: False)
    shutil.rmtree(run.path, ignore_errors=True)
    test = scores["test"]["micro"] if "micro" in scores["test"] else scores["test"]
    return {
        "kind": "score", "tagger": tagger, "start": start, "documents": size, "epochs": epochs,
        "f1": test["f1"], "precision": test["precision"], "recall": test["recall"],
        "seconds": round(scores["seconds"], 1),
    }  # fmt: skip


def render(rows: Sequence[dict[str, Any]], setup: dict[str, Any]) -> str:
    """What was pretrained on what, then test F1 of every tagger by documents and start."""
    resume, more = setup["resume"], setup["more"]
    lines = [
        f"{setup['machine']}; one seed, one thread, on a machine that other work shared",
        f"labelled: Resume, parts of its {resume['documents']} training documents, each part in the next; "
        f"{setup['dev']} dev documents choose the epoch; {setup['test']} test documents",
    ]
    for row in rows:
        if row["kind"] == "pretraining":
            lines.append(_pretrained(row, setup, more))
    scores = [row for row in rows if row["kind"] == "score"]
    sizes = sorted({row["documents"] for row in scores})
    lines += ["", "test F1 by labelled documents, with the difference to the same tagger from scratch", ""]
    table = [["tagger", "starts from", *map(str, sizes)]]
    for tagger, starts in TAGGERS.items():
        for start in starts:
            found = {
                row["documents"]: row for row in scores if (row["tagger"], row["start"]) == (tagger, start)
            }
            base = {
                row["documents"]: row for row in scores if (row["tagger"], row["start"]) == (tagger, "none")
            }
            if found:
                table.append(
                    [tagger, _start(tagger, start, setup), *(_cell(found, base, s, start) for s in sizes)]
                )
    epochs = {row["documents"]: row["epochs"] for row in scores if row["tagger"] != "bert"}
    bert = {row["documents"]: row["epochs"] for row in scores if row["tagger"] == "bert"}
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
    lines += [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines += ["", "epochs: " + ", ".join(f"{epochs[size]} at {size}" for size in sizes if size in epochs)]
    if bert:
        lines.append(
            "epochs of bert: " + ", ".join(f"{bert[size]} at {size}" for size in sizes if size in bert)
        )
    lines.append("…: not run; with one seed small differences may be chance")
    return "\n".join(lines)


def read_rows(out: Path) -> list[dict[str, Any]]:
    """The rows there are; half a line that a stop left is passed over."""
    found = []
    for line in (out / ROWS).read_text(encoding="utf-8").splitlines() if (out / ROWS).is_file() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def _pretrained(row: dict[str, Any], setup: dict[str, Any], more: dict[str, Any]) -> str:
    if row["start"] in MLM:
        values = ", ".join(f"{value:.1f}" for value in row["perplexity"])
        head = row["head"]
        alone = f", {head['perplexity']:.1f} after {head['steps']} steps of the head alone" if head else ""
        return (
            f"{row['start']}: {setup['encoder']} goes on with {row['characters']} characters (Resume's "
            f"training text less a twentieth), {row['epochs']} epochs, step size {row['rate']:g}, "
            f"masking {row['masking']}; perplexity on the twentieth {row['before']:.1f} at the start{alone}, "
            f"then after each epoch {values}; {row['seconds']:.0f} s"
        )
    units = ", ".join(f"{unit['tokens']} {unit['unit']}" for unit in row["units"])
    names = " and ".join(Path(name).parent.name or name for name in more["files"])
    text = "Resume's training text" + (f" and that of {names}" if names else "")
    return (
        f"{row['start']}: {row['characters']} characters ({text}), {row['epochs']} epochs, 50 dimensions: "
        f"{units}; {row['seconds']:.0f} s"
    )


def _start(tagger: str, start: str, setup: dict[str, Any]) -> str:
    if tagger == "bert":
        return setup["encoder"] + ("" if start == "none" else f", {start}")
    return "scratch" if start == "none" else start


def _cell(found: dict[int, Any], base: dict[int, Any], size: int, start: str) -> str:
    if size not in found:
        return "…"
    f1 = 100 * found[size]["f1"]
    if start == "none" or size not in base:
        return f"{f1:.2f}"
    return f"{f1:.2f} ({f1 - 100 * base[size]['f1']:+.2f})"


def _add(out: Path, row: dict[str, Any]) -> dict[str, Any]:
    with (out / ROWS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return row


def _characters(documents: Sequence[Any]) -> int:
    return sum(len(document.text) for document in documents)


def _quiet(event: Any) -> None:
    """Nobody watches."""


if __name__ == "__main__":
    sys.exit(main())
