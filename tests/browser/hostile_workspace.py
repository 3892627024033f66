"""A workspace in which everything that people can name or write is one of the `PAYLOADS`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from core.lexicon import Lexicon
from core.runtime.message import Told
from core.store import Workspace
from core.store.annotation import annotations, comments
from core.store.db import audit
from core.store.document import documents
from core.store.knowledge import bases
from core.store.label import labels
from core.store.project import assignments, guideline, members, projects, tokens, webhooks
from core.store.run import predictions, runs
from core.store.suggest import patterns
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.text import Document, Label, LabelSet, Span
from core.text.entity_link import EntityLink
from core.text.knowledge_entry import KnowledgeEntry
from tests.browser.hostile_payloads import CALL, PAYLOADS
from tests.browser.people_workspace import learning_runs
from tests.store.by_hand import add_words, save_own
from tests.taggers.small_flat import train
from tests.taggers.small_taggers import OPTIONS

PROJECT, PEOPLE = PAYLOADS[1], PAYLOADS[2]  # names of the two projects
USER = "lin"  # manages both
LABELS_LEARNT = 4
# Short ones, so that a label, a word of the dictionary and a person can be called so.
NAMES = tuple(text for text in PAYLOADS if len(text) < 60 and text.strip() == text and text.isprintable())
SAMPLE = f"他说<img src=x onerror={CALL}>来了{{{{{CALL}}}}}。"  # what is tagged and looked into
RUN, OTHER_RUN = "flat-hostile", "bert-hostile"


def taken(make, *arguments, **options):
    """What ``make`` comes to, or None where it refuses in its own words."""
    with suppress(Told, ValueError):
        return make(*arguments, **options)
    return None


def fill(folder: Path) -> None:
    """Two projects: one of a single person, in which all is written, and one of several with versions."""
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, PROJECT).id
        names = _labels(workspace, project)
        ids = _documents(workspace, project, names)
        _runs(workspace, project, ids, names)
        _settings(workspace, project, names)
        _people(workspace, names)


def _labels(workspace: Workspace, project: int) -> list[str]:
    made = [taken(Label, one.strip()[:60]) for one in PAYLOADS]
    names = list(dict.fromkeys(label.name for label in made if label is not None))[:60]
    coloured = LabelSet().extended(names)
    described = (Label(one.name, one.colour, "", text) for one, text in zip(coloured, PAYLOADS, strict=False))
    labels.put(workspace, project, LabelSet(described))
    return names


def _documents(workspace: Workspace, project: int, names: list[str]) -> list[int]:
    """One with every payload as its text, id, label, comment, metadata, link and person."""
    texts = [
        Document(
            SAMPLE[:at] + SAMPLE, SAMPLE[:at] + SAMPLE, (), {"split": split, PAYLOADS[at]: PAYLOADS[-at]}
        )
        for at, split in enumerate(("train", "train", "train", "dev", "dev", "test"))
    ]
    for at, text in enumerate(PAYLOADS):
        meta = {text[:80]: text, "split": ("train", "dev", "test")[at % 3]}
        texts.append(taken(Document, text[:200], f"{text}\n第{at}篇", (), meta))
    added = [one for one in texts if one is not None and taken(one.text.encode)]
    ids = list(documents.add(workspace, project, added).ids)
    written = 0
    for at, (number, document) in enumerate(zip(ids, added, strict=True)):
        link = taken(EntityLink, PAYLOADS[at % len(PAYLOADS)], NAMES[at % len(NAMES)], NAMES[at % 7])
        if document.text.endswith(SAMPLE):
            start = len(document.text) - len(SAMPLE) + 2
            spans = [Span(start, start + len(SAMPLE) - 10, names[0], link=link)]
        else:
            spans = [Span(0, len(document.text) - 1, names[at % len(names)], link=link)]
        person = PAYLOADS[at % 40]
        done = {"user": person, "action": "label", "status": "done"}
        written += taken(annotations.save, workspace, number, 0, spans, **done) is not None
        taken(comments.add, workspace, number, PAYLOADS[at % len(PAYLOADS)], user=person)
    assert written > 150, "nearly all is taken"
    return ids


def _runs(workspace: Workspace, project: int, ids: list[int], names: list[str]) -> None:
    """Two small taggers that have learned the labels and their predictions, and one run that failed."""
    learnt = names[:LABELS_LEARNT]
    end = len(SAMPLE)
    spans = (Span(2, end - 12, learnt[0]), Span(end - 5, end - 1, learnt[1]))
    words = [Document(name, f"在{name}。", (Span(1, 1 + len(name), name),)) for name in learnt[2:]]
    texts = [Document("t", SAMPLE, spans), *words]
    stored = [documents.get(workspace, number).with_spans(()) for number in ids]
    short = [document for document in stored if len(document.text) < 300]
    for name, steps in ((RUN, 40), (OTHER_RUN, 4)):
        kind = by_name(name.split("-")[0])
        options = {key: value() if callable(value) else value for key, value in OPTIONS[kind.name].items()}
        tagger = kind.build(kind.Config(**options), learnt, Resources(texts, Lexicon(NAMES)))
        train(tagger, texts, steps).save(workspace.folder / "runs" / name / "model")
        runs.register(workspace, project, name, kind.name, workspace.folder / "runs" / name, {})
        runs.describe(workspace, name, title=f"{PAYLOADS[1]} {name}", note="\n".join(PAYLOADS[:20]))
        predictions.put(workspace, name, tag(tagger, short))
        for number, document in zip(ids, stored, strict=True):
            if document not in short:
                predictions.put_one(workspace, name, number, [Span(0, 20, learnt[0], 0.4)])
    projects.set_active(workspace, project, RUN)
    failed = runs.create(workspace, project, "flat").name
    runs.describe(workspace, failed, title=PAYLOADS[0], note=PAYLOADS[3])
    runs.set_status(workspace, failed, "failed")


def _settings(workspace: Workspace, project: int, names: list[str]) -> None:
    guideline.save(workspace, project, "\n\n".join(PAYLOADS).replace("\0", ""), 0, user=PAYLOADS[1])
    taken(add_words, workspace, project, dict(zip(NAMES, names * 3, strict=False)), user=PAYLOADS[1])
    entries = [
        (at, entry)
        for at, text in enumerate(PAYLOADS, 1)
        if (entry := taken(KnowledgeEntry, text, text, NAMES[:3], NAMES[at % 9], text)) is not None
    ]
    bases.put(workspace, project, NAMES[1], entries, user=USER, file=PAYLOADS[1])
    for text in PAYLOADS:
        taken(patterns.add, workspace, project, text, names[0], user=PAYLOADS[1])
        taken(tokens.make, workspace, project, text, "annotator", user=USER)
        taken(webhooks.make, workspace, project, text, user=USER)
        detail = {"member": text, "run": text, "file": text, "token": text, "label": text}
        audit.note(workspace, "member.role", project, user=PAYLOADS[1].replace("\0", ""), **detail)


def _people(workspace: Workspace, names: list[str]) -> None:
    """Three people with such names who annotated the same documents apart, and runs that learned more."""
    project = projects.create(workspace, PEOPLE).id
    labels.put(workspace, project, LabelSet().extended(names[:6]))
    texts = [Document(f"{PAYLOADS[at]}{at}", f"{SAMPLE}{at}") for at in range(12)]
    ids = documents.add(workspace, project, texts).ids
    people = [PAYLOADS[1], PAYLOADS[3], NAMES[60]]
    members.put(workspace, project, USER, "manager", by=USER)
    for person in people:
        members.put(workspace, project, person, "annotator", by=USER)
    assignments.set_plan(workspace, project, "separate", 3, by=USER)
    assignments.hand_out(workspace, project, people, by=USER)
    for at, person in enumerate(people):
        for place, number in enumerate(ids):
            spans = [Span(2, 20 + (at * place) % 3, names[(at + place) % 2]), Span(22, 24, names[2])]
            save_own(workspace, number, 0, spans, user=person, action="done", status="done")
    learning_runs(workspace, project)
