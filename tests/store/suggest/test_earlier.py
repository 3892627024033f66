"""Earlier decisions: counted as the docstring says, current after every edit, never the document's own."""

import random
import time
from collections import Counter

import pytest

from core.store.annotation import annotations, regions
from core.store.document import documents, trash
from core.store.label import changes as label_changes
from core.store.project import journal
from core.store.suggest import distant
from core.store.suggest.decision_counts import DecisionCounts, Decisions
from core.store.suggest.earlier import EarlierDecisions
from core.text import Document, Span
from tests.store.by_hand import mark, unmark


@pytest.fixture
def earlier(workspace, project):
    return EarlierDecisions(workspace, project.id)


def add(workspace, project, *given):
    batch = [Document(f"{text}-{number}", text, spans) for number, (text, *spans) in enumerate(given)]
    return documents.add(workspace, project.id, batch).ids


def say(workspace, id_, spans=(), rejected=(), action="label"):
    stands = annotations.current(workspace, id_)
    annotations.save(workspace, id_, stands.revision, spans, rejected, user="lin", action=action)


def found(earlier, text, **options):
    return {(text[s.start : s.end], s.label): s.score for s in earlier.find(text, **options)}


def test_a_surface_labelled_once_is_suggested_with_one_half(workspace, project, earlier):
    add(workspace, project, ("林知远来了", Span(0, 3, "PER")))
    assert not earlier.ready
    assert earlier.update() == 1
    assert earlier.ready
    (span,) = earlier.find("见到林知远。")
    assert span == Span(2, 5, "PER", 0.5)


def test_a_span_at_the_end_of_a_long_text_costs_as_much_as_one_in_a_short_text(workspace, project):
    text, many, took = "林知远来了。" * 3_000, range(0, 18_000, 6), []
    for before in ("", "他" * 1_500_000):
        spans = [Span(len(before) + at, len(before) + at + 3, "PER") for at in many]
        add(workspace, project, (before + text, *spans))
        start = time.process_time()
        earlier = EarlierDecisions(workspace, project.id)
        earlier.update()
        took.append(time.process_time() - start)
        assert earlier.of("林知远", "PER").labelled == len(took) * len(many)
    assert took[1] < 6 * took[0] + 1.5  # twice as long it may take: the first document is read again


def test_what_is_decided_of_a_surface_is_counted_once_however_often_a_text_has_it(monkeypatch):
    counted = []
    of = DecisionCounts._decisions
    monkeypatch.setattr(DecisionCounts, "_decisions", lambda *given: counted.append(given[1:3]) or of(*given))
    counts = DecisionCounts()
    counts.put(1, [(("青岛", "LOC"), False), (("青岛", "ORG"), False), (("海", "LOC"), False)])
    found = counts.find("青岛在海边，" * 300)
    assert len(found) == 900
    assert sorted(counted) == [("海", "LOC"), ("青岛", "LOC"), ("青岛", "ORG")]


def test_confidence_is_the_share_of_decisions_with_one_more_against():
    assert Decisions(9, 0, 0).confidence == 0.9
    assert Decisions(3, 1, 2).confidence == pytest.approx(3 / 7)
    assert Decisions(0, 4, 0).confidence == 0.0


def test_trust_in_a_rule_begins_at_one_fades_with_rejections_and_comes_back():
    assert [Decisions(0, 0, times).trust for times in range(4)] == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert Decisions(8, 0, 1).trust == 0.9


def test_labels_that_differ_share_the_confidence(workspace, project, earlier):
    texts = [("青禾来了", Span(0, 2, "PER"))] * 1 + [
        ("青禾大了", Span(0, 2, "ORG")),
        ("青禾小了", Span(0, 2, "ORG")),
    ]
    add(workspace, project, *texts)
    earlier.update()
    assert found(earlier, "在青禾") == {("青禾", "ORG"): 2 / 4, ("青禾", "PER"): 1 / 4}


def test_a_document_is_not_its_own_witness(workspace, project, earlier):
    one, two = add(workspace, project, ("青禾来了", Span(0, 2, "PER")), ("青禾走了", Span(0, 2, "PER")))
    earlier.update()
    assert found(earlier, "青禾来了", but=one) == {("青禾", "PER"): 1 / 2}
    assert found(earlier, "青禾来了") == {("青禾", "PER"): 2 / 3}
    assert earlier.of("青禾", "PER", but=two) == Decisions(1, 0, 0)


def test_rejections_count_against_it_until_it_is_not_suggested(workspace, project, earlier):
    ids = add(workspace, project, ("青禾来了", Span(0, 2, "PER")), ("青禾走了",), ("青禾笑了",))
    say(workspace, ids[1], rejected=[Span(0, 2, "PER")], action="reject")
    earlier.update()
    assert earlier.of("青禾", "PER") == Decisions(1, 0, 1)
    assert found(earlier, "青禾") == {}, "one for and one against: no suggestion"
    say(workspace, ids[2], [Span(0, 2, "PER")])
    earlier.update()
    assert found(earlier, "青禾") == {("青禾", "PER"): 2 / 4}


def test_an_edit_an_undo_and_the_trash_are_followed(workspace, project, earlier):
    (id_, other) = add(workspace, project, ("青禾来了",), ("无关", Span(0, 2, "LOC")))
    earlier.update()
    say(workspace, id_, [Span(0, 2, "PER")])
    assert earlier.update() == 1
    assert ("青禾", "PER") in found(earlier, "青禾")
    annotations.revert(workspace, id_, 0, base_revision=1, user="lin")
    assert earlier.update() == 1
    assert found(earlier, "青禾") == {}
    trash.trash_documents(workspace, project.id, [other])
    assert earlier.update() == 1
    assert found(earlier, "无关") == {}
    trash.restore_documents(workspace, project.id, [other])
    earlier.update()
    assert ("无关", "LOC") in found(earlier, "无关")
    assert earlier.update() == 0


def test_a_label_with_another_name_is_followed(workspace, project, earlier):
    add(workspace, project, ("青禾来了", Span(0, 2, "ORG")))
    earlier.update()
    label_changes.rename(workspace, project.id, "ORG", "COMPANY", user="lin")
    earlier.update()
    assert found(earlier, "青禾") == {("青禾", "COMPANY"): 0.5}


@pytest.mark.parametrize("kind", ["rename", "merge", "delete"])
def test_a_change_of_a_label_is_read_though_no_revision_moves(workspace, project, earlier, kind):
    for number in range(3):
        add(workspace, project, (f"青禾来了{number}", Span(0, 2, "ORG")))
    earlier.update()
    new = {"rename": "COMPANY", "merge": "LOC", "delete": None}[kind]
    change = getattr(label_changes, kind)(
        workspace, project.id, "ORG", *([] if new is None else [new]), user="lin"
    )
    earlier.update()
    assert found(earlier, "青禾") == ({} if new is None else {("青禾", new): 0.75})
    journal.undo(workspace, project.id, change.id, user="lin")
    earlier.update()
    assert found(earlier, "青禾") == {("青禾", "ORG"): 0.75}


def test_surfaces_of_one_character_and_beyond_the_last_plane_are_found(workspace, project, earlier):
    add(workspace, project, ("林说", Span(0, 1, "PER")), ("😀𠮷说", Span(0, 2, "ORG")))
    earlier.update()
    assert [(s.start, s.end, s.label) for s in earlier.find("见林😀𠮷")] == [(1, 2, "PER"), (2, 4, "ORG")]
    assert [(s.start, s.end) for s in earlier.find("林")] == [(0, 1)]


def left_by_loops(workspace, ids, surfaces):
    """Annotated, unlabelled and unrejected occurrences of each surface."""
    left = Counter()
    for id_ in ids:
        now = annotations.current(workspace, id_)
        seen = {at for start, end in regions.get(workspace, id_).regions for at in range(start, end)}
        seen -= {at for span in now.document.spans for at in range(span.start, span.end)}
        refused = {(span.start, span.end) for span in now.rejected}
        text = now.document.text
        for surface in surfaces:
            for start in range(len(text) - len(surface) + 1):
                place = (start, start + len(surface))
                if (
                    text.startswith(surface, start)
                    and seen.issuperset(range(*place))
                    and place not in refused
                ):
                    left[surface] += 1
    return left


def test_a_surface_left_without_a_label_in_text_people_read_counts_against_it(workspace, project, earlier):
    texts = [("青禾来了", Span(0, 2, "ORG")), ("他去青禾。青禾又来",), ("青禾在此",)]
    _, read, raw = add(workspace, project, *texts)
    earlier.update()
    assert found(earlier, "见青禾") == {("青禾", "ORG"): 1 / 2}
    mark(workspace, read, 0, 5, user="mei")
    assert earlier.update() == 1, "a mark moves no revision, and is followed all the same"
    assert earlier.of("青禾", "ORG") == Decisions(1, 0, 0, 1)
    assert found(earlier, "见青禾") == {}, "labelled once, left once"
    assert earlier.of("青禾", "ORG", but=read) == Decisions(1, 0, 0, 0), "not its own witness"
    assert found(earlier, "青禾", but=read) == {("青禾", "ORG"): 1 / 2}
    say(workspace, raw, [Span(0, 2, "ORG")])
    earlier.update()
    assert found(earlier, "见青禾") == {("青禾", "ORG"): 2 / 4}
    unmark(workspace, read, 0, 5, user="mei")
    earlier.update()
    assert found(earlier, "见青禾") == {("青禾", "ORG"): 2 / 3}


def test_what_lies_in_a_longer_label_or_was_rejected_is_not_left_besides(workspace, project, earlier):
    add(workspace, project, ("青禾来了", Span(0, 2, "ORG")), ("青禾大学好", Span(0, 4, "ORG")))
    (other,) = add(workspace, project, ("林说青禾",))
    say(workspace, other, [Span(0, 1, "PER")], [Span(2, 4, "ORG")])
    earlier.update()
    assert earlier.of("青禾", "ORG") == Decisions(1, 0, 1, 0)


@pytest.mark.parametrize("most", [0, 200])
def test_documents_read_before_are_looked_through_again_for_a_surface_that_is_new(
    workspace, project, earlier, monkeypatch, most
):
    monkeypatch.setattr("core.store.suggest.earlier.MOST_ASKED", most)
    early, late = add(workspace, project, ("云州的林说", Span(3, 4, "PER")), ("云州来了",))
    earlier.update()
    say(workspace, late, [Span(0, 2, "LOC")])
    earlier.update()
    assert earlier.of("云州", "LOC") == Decisions(1, 0, 0, 1)
    say(workspace, early, [Span(3, 4, "PER"), Span(0, 2, "LOC")])
    earlier.update()
    assert earlier.of("云州", "LOC") == Decisions(2, 0, 0, 0)


def test_what_a_dictionary_alone_has_labelled_leaves_nothing(workspace, project, earlier):
    _, two = add(workspace, project, ("林在云州", Span(0, 1, "PER")), ("林在云州海边",))
    span = Span(2, 4, "LOC")
    how = {"version": 1, "direction": "forward", "ambiguous": "skip", "user": "mei"}
    distant.put(workspace, project.id, [distant.DistantLabels(two, (span,), {})], "done", **how)
    earlier.update()
    assert earlier.of("林", "PER") == Decisions(1, 0, 0, 0)


def test_it_agrees_with_counting_everything_anew(workspace, project, earlier):
    """A seeded walk of edits, rejections and trash against a count by loops over all documents."""
    chance = random.Random(4)
    text = "青禾林知远来到云州。青禾知远"
    ids = list(add(workspace, project, *[(text + str(n),) for n in range(12)]))
    places = [(0, 2), (2, 5), (7, 9), (10, 12), (3, 5), (2, 3)]
    kept = set(ids)
    for _ in range(60):
        id_ = chance.choice(ids)
        if chance.random() < 0.1:
            action = trash.trash_documents if id_ in kept else trash.restore_documents
            action(workspace, project.id, [id_])
            kept ^= {id_}
        elif id_ in kept:
            choose = [Span(*place, chance.choice(["PER", "ORG"])) for place in chance.sample(places, 3)]
            say(workspace, id_, choose[:2], choose[2:], chance.choice(["label", *["label_others"] * 5]))
        if id_ in kept and chance.random() < 0.2:
            change = chance.choice([mark, unmark])
            change(workspace, id_, *chance.choice([(0, 4), (2, 12), (10, 14)]), user="mei")
        if id_ in kept and chance.random() < 0.1:
            annotations.set_status(workspace, id_, chance.choice(["done", "in_progress"]), user="mei")
        if chance.random() < 0.4:
            earlier.update()
    earlier.update()
    standing, refused = Counter(), Counter()
    for id_ in kept:
        now = annotations.current(workspace, id_)
        standing.update((now.document.surface(span), span.label) for span in now.document.spans)
        refused.update((now.document.surface(span), span.label) for span in now.rejected)
    left = left_by_loops(workspace, kept, {surface for surface, _ in {*standing, *refused}})
    assert left
    for surface, label in {*standing, *refused}:
        other = sum(count for (s, name), count in standing.items() if s == surface and name != label)
        expected = Decisions(standing[surface, label], other, refused[surface, label], left[surface])
        assert earlier.of(surface, label) == expected
    wanted = {
        (i, j, label)
        for i in range(len(text))
        for j in range(i + 1, len(text) + 1)
        for label in ("PER", "ORG")
        if standing[text[i:j], label] > refused[text[i:j], label] + left[text[i:j]]
    }
    inside = {
        (i, j, label)
        for i, j, label in wanted
        if any(a <= i and j <= b and (a, b) != (i, j) and label == other for a, b, other in wanted)
    }
    assert wanted - inside
    assert {span.key for span in earlier.find(text)} == wanted - inside


def test_of_one_label_only_the_longest_is_suggested(workspace, project, earlier):
    add(workspace, project, ("青禾大学和青禾", Span(0, 4, "ORG"), Span(5, 7, "ORG"), Span(0, 2, "LOC")))
    earlier.update()
    found_ = [(span.start, span.end, span.label) for span in earlier.find("青禾大学，青禾")]
    assert found_ == [(0, 4, "ORG"), (0, 2, "LOC"), (5, 7, "LOC"), (5, 7, "ORG")]
