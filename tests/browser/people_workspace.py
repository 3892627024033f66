"""Two projects: one that three people annotate apart over some days, and one of a single person."""

from __future__ import annotations

import json
import random
from pathlib import Path

from core.store import Workspace
from core.store.annotation.annotations import save
from core.store.document import documents
from core.store.label import labels
from core.store.project import assignments, members, projects
from core.store.run import runs
from core.text import Document, LabelSet, Span
from tests.store.by_hand import save_own

DAY = 86_400_000
FIRST_DAY = 20_600 * DAY + 9 * 3_600_000  # a morning in May 2026
TEXT = "林知远先生出任青禾大学附属医院院长，主任医师周敏介绍了新药的用法。"
TRUTH = ((0, 3, "PER"), (7, 15, "ORG"), (15, 17, "TITLE"), (18, 22, "TITLE"), (22, 24, "PER"))
CARE = {"ann": 0.95, "bao": 0.9, "chen": 0.6}
LABELS = ("PER", "ORG", "TITLE")


def fill(folder: Path, count: int = 48) -> None:
    """The project "team" (its manager is "lin"), then "alone"."""
    draw = random.Random(7)
    with Workspace.open(folder) as workspace:
        team = projects.create(workspace, "team").id
        labels.put(workspace, team, LabelSet().extended(LABELS))
        ids = documents.add(
            workspace, team, [Document(f"t{number}", f"{number}：{TEXT}") for number in range(count)]
        ).ids
        members.put(workspace, team, "lin", "manager", by="lin")
        for user in CARE:
            members.put(workspace, team, user, "annotator", by="lin")
        assignments.set_plan(workspace, team, "separate", 3, by="lin")
        assignments.hand_out(workspace, team, list(CARE), by="lin")
        _versions(workspace, ids, draw)
        learning_runs(workspace, team)
        _alone(workspace, draw)


def _spans(number: int, care: float, draw: random.Random) -> list[Span]:
    shift = len(f"{number}：")
    kept = []
    for start, end, label in TRUTH:
        chance = draw.random()
        if chance > care + (1 - care) / 2:
            continue
        if chance > care:
            end -= 1
        kept.append(Span(start + shift, end + shift, label))
    return kept


def _versions(workspace: Workspace, ids: tuple[int, ...], draw: random.Random) -> None:
    for place, (user, care) in enumerate(CARE.items()):
        at = FIRST_DAY + place * 600_000
        for number, id_ in enumerate(ids):
            at += draw.randint(30_000, 120_000)
            if number and number % 12 == 0:
                at = FIRST_DAY + (number // 12) * DAY + place * 600_000
            spans = _spans(number, min(1, care + 0.002 * number), draw)
            save_own(workspace, id_, 0, spans, user=user, action="done", status="done")
            with workspace.writing() as db:
                for table, column in (("versions", "updated"), ("events", "at")):
                    db.execute(
                        f"UPDATE {table} SET {column} = ? WHERE document_id = ? AND annotator = ?",
                        (at, id_, user),
                    )


def learning_runs(workspace: Workspace, project: int) -> None:
    """Four finished runs whose snapshots grew."""
    for number, f1 in ((40, 0.52), (80, 0.63), (160, 0.705), (320, 0.78)):
        run = runs.create(workspace, project, "flat")
        (run.folder / "snapshot").mkdir()
        manifest = {"parts": {"train": {"documents": number}}, "sha256": {}}
        (run.folder / "snapshot" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        runs.set_status(workspace, run.name, "finished", {"dev": {"f1": f1}})


def _alone(workspace: Workspace, draw: random.Random) -> None:
    alone = projects.create(workspace, "alone").id
    labels.put(workspace, alone, LabelSet().extended(LABELS))
    ids = documents.add(
        workspace, alone, [Document(f"a{number}", f"{number}：{TEXT}") for number in range(12)]
    ).ids
    for number, id_ in enumerate(ids[:6]):
        save(workspace, id_, 0, _spans(number, 0.9, draw), user="me", action="label", status="done")
        with workspace.writing() as db:
            at = FIRST_DAY + number * 90_000
            db.execute("UPDATE events SET at = ? WHERE document_id = ?", (at, id_))
