"""What an order of the queue saves: the table of a simulation, its picture, what the Annotate page says.

Run ``python -m core simulate --out FOLDER …`` first, then ``python -m benchmarks.results simulate --
FOLDER``: no figure is typed by hand, on the page or in the app.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.resume import ROOT
from core.commands.simulate import POINTS, RESULT, SHARES, last_size
from core.commands.simulate_pictures import write_svg
from core.corpus.atomic import write_json
from core.learning.active_learning.savings import BASELINE, Saving, savings
from core.learning.active_learning.simulation import FULL, Point

SVG = ROOT / "docs" / "images" / "simulate.svg"
NOTE = ROOT / "assets" / "order_savings.json"
COLUMNS = (
    "order", "seeds", "90 %", "of random", "95 %", "of random", "characters", "of random", "spans",
    "of random",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; write the picture and the note."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="what simulate wrote as --out")
    parser.add_argument("--corpus", default="Resume NER", help="its name, as the page says it (Resume NER)")
    parser.add_argument("--svg", type=Path, default=SVG, help="picture to write")
    parser.add_argument("--note", type=Path, default=NOTE, help="what the Annotate page reads")
    args = parser.parse_args(arguments)
    try:
        result = json.loads((args.folder / RESULT).read_text(encoding="utf-8"))
        lines = (args.folder / POINTS).read_text(encoding="utf-8").splitlines()
        points = [Point.from_json(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError) as error:
        print(
            f"{args.folder} holds no simulation ({error}); run python -m core simulate first", file=sys.stderr
        )
        return 2
    found = savings(points, SHARES, last_size(result["request"]))
    print(render(result["request"], points, found))
    args.svg.parent.mkdir(parents=True, exist_ok=True)
    args.svg.write_text(write_svg(points, SHARES[-1]), encoding="utf-8")
    write_json(args.note, note(args.corpus, points, found))
    return 0


def render(request: Mapping[str, Any], points: Sequence[Point], found: Sequence[Saving]) -> str:
    """What was trained, what the whole pool reaches, and a row for each order."""
    full = [point.f1 for point in points if point.strategy == FULL]
    settings = {**request["config"], **request["settings"]}
    pool, test = request["train"], request["test"]
    rows = [COLUMNS, *(row(name, points, found) for name in dict.fromkeys(s.strategy for s in found))]
    widths = [max(len(cells[at]) for cells in rows) for at in range(len(COLUMNS))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) for cells in rows
    ]
    return "\n".join(
        [
            f"{request['tagger']}, {', '.join(f'{name}={value}' for name, value in settings.items())}",
            f"at least {request['steps']} steps a training",
            f"pool {pool['documents']} documents, {pool['characters']} characters, {pool['spans']} spans; "
            f"test {test['documents']} documents",
            f"all of the pool labelled: test F1 {100 * statistics.fmean(full):.2f} "
            f"(mean of {len(full)} seeds)",
            "documents needed for 90 % and 95 % of that; characters and spans of them at 95 %; seeds of 95 %",
            "…: the replay was stopped before that could be said",
            "",
            *(line.rstrip() for line in table),
        ]
    )


def row(name: str, points: Sequence[Point], found: Sequence[Saving]) -> tuple[str, ...]:
    """The cells of one order; ``> 700`` where it was not reached within so many documents, ``…`` where the
    replay broke off before that could be said."""
    own = {(saving.share, saving.unit): saving for saving in found if saving.strategy == name}
    cells = [name, str(own[SHARES[-1], "documents"].seeds)]
    wanted = [(share, "documents") for share in SHARES] + [
        (SHARES[-1], unit) for unit in ("characters", "spans")
    ]
    for share, unit in wanted:
        saving = own[share, unit]  # type: ignore[index]
        if not saving.seeds:
            cells += ["…", ""]
        elif saving.needed is None:
            cells += [f"> {most(name, points, unit):.0f}", ""]
        else:
            cells += [f"{saving.needed:.0f}", "" if saving.ratio is None else f"{100 * saving.ratio:.0f} %"]
    return tuple(cells)


def most(name: str, points: Sequence[Point], unit: str) -> float:
    """How much was labelled at the end of the shortest curve of an order."""
    ends: dict[int, float] = {}
    for point in points:
        if point.strategy == name:
            ends[point.seed] = max(ends.get(point.seed, 0.0), float(getattr(point, unit)))
    return min(ends.values())


def note(corpus: str, points: Sequence[Point], found: Sequence[Saving]) -> dict[str, Any]:
    """For each order what it and chance needed for 95 %, over the same seeds."""
    last = {(s.strategy, s.unit): s for s in found if s.share == SHARES[-1]}
    orders = {}
    for name in dict.fromkeys(saving.strategy for saving in found):
        documents, characters = last[name, "documents"], last[name, "characters"]
        unknown = documents.needed is not None and documents.ratio is None  # chance did not get there
        if name == BASELINE or unknown or not documents.seeds:
            continue
        orders[name] = {
            "documents": documents.needed,
            "random": by_chance(documents),
            "ratio": documents.ratio,
            "characters": characters.needed,
            "random_characters": by_chance(characters),
            "most": round(most(name, points, "documents")),
        }
    return {"corpus": corpus, "share": SHARES[-1], "orders": orders}


def by_chance(saving: Saving) -> float | None:
    """What chance needed with the same seeds, where both got there."""
    return saving.needed / saving.ratio if saving.needed is not None and saving.ratio else None


if __name__ == "__main__":
    sys.exit(main())
