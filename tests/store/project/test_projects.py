"""Projects, their labels, runs, predictions and words."""

import pytest

from core.store import LabelInUse, NameTaken, NotFound, PayloadError, StoreError
from core.store.annotation import annotations
from core.store.annotation.events import at_revision
from core.store.document import documents, trash
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import returning as lexicon_returning
from core.store.project import projects
from core.store.run import ledger, predictions, runs
from core.text import Document, LabelSet, Span, UnknownLabelError
from tests.store.by_hand import add_words, undo_batch


def test_a_project_is_made_listed_and_renamed(workspace, project):
    renamed = projects.rename(workspace, project.id, "  evening\nnews ")
    assert renamed.name == "evening news"
    assert projects.by_name(workspace, "evening news").id == project.id
    assert projects.all_projects(workspace) == [renamed]


def test_two_projects_cannot_share_a_name_even_from_the_trash(workspace, project):
    with pytest.raises(NameTaken, match="is here already"):
        projects.create(workspace, "news")
    trash.trash_project(workspace, project.id)
    with pytest.raises(NameTaken, match="in the trash"):
        projects.create(workspace, "news")


@pytest.mark.parametrize("name", ["", " \n", "x" * 201, None])
def test_an_unusable_name_is_refused(workspace, name):
    with pytest.raises(PayloadError, match="1 to 200"):
        projects.create(workspace, name)


def test_a_trashed_project_comes_back_with_its_documents(workspace, project, document_id):
    trash.trash_project(workspace, project.id)
    assert projects.all_projects(workspace) == []
    assert trash.trashed_projects(workspace) == [(project.id, "news")]
    with pytest.raises(NotFound):
        trash.trash_project(workspace, project.id)
    trash.restore_project(workspace, project.id)
    assert documents.count(workspace, project.id)["all"] == 1


def test_a_project_is_deleted_for_good_only_from_the_trash(workspace, project, document_id):
    with pytest.raises(NotFound):
        trash.empty_project(workspace, project.id)
    trash.trash_project(workspace, project.id)
    trash.empty_project(workspace, project.id)
    with pytest.raises(NotFound):
        documents.get(workspace, document_id)


def test_a_deleted_project_takes_its_run_folders_along_and_nothing_else(workspace, project, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "model.safetensors").write_bytes(b"weights")
    own = runs.create(workspace, project.id, "flat")
    (own.folder / "model").mkdir()
    (own.folder / "model" / "config.json").write_text("{}")
    linked = runs.create(workspace, project.id, "flat")
    linked.folder.rmdir()
    linked.folder.symlink_to(outside)
    runs.register(workspace, project.id, "demo", "flat", outside, {})
    kept = runs.create(workspace, projects.create(workspace, "other").id, "flat")
    # A registered run may lie inside the workspace, even at its top: that is no run folder to delete.
    runs.register(workspace, project.id, "odd", "flat", workspace.folder, {})
    for run in (own, linked):
        runs.set_status(workspace, run.name, "finished")
    trash.trash_project(workspace, project.id)
    assert trash.empty_project(workspace, project.id) == (linked.folder,)
    assert not own.folder.exists()
    assert (outside / "model.safetensors").read_bytes() == b"weights"
    assert kept.folder.is_dir()
    assert workspace.file.is_file()


@pytest.mark.parametrize("name", ["../outside", ".", "..", ""])
def test_a_run_that_a_foreign_backup_calls_a_path_deletes_no_folder(workspace, project, name):
    outside = workspace.folder / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    run = runs.create(workspace, project.id, "flat")
    with workspace.writing() as db:
        row = (name, f"runs/{name}", run.name)
        db.execute("UPDATE runs SET name = ?, folder = ?, status = 'finished' WHERE name = ?", row)
    trash.trash_project(workspace, project.id)
    trash.empty_project(workspace, project.id)
    assert (outside / "kept").is_file()
    assert workspace.file.is_file()
    assert run.folder.is_dir()


def test_a_project_with_a_run_under_way_is_not_deleted(workspace, project, document_id):
    run = runs.create(workspace, project.id, "flat")
    trash.trash_project(workspace, project.id)
    with pytest.raises(StoreError, match=r"flat-0001.*cancel it first"):
        trash.empty_project(workspace, project.id)
    assert run.folder.is_dir()
    trash.restore_project(workspace, project.id)
    assert documents.get(workspace, document_id).id == "a"


def test_only_a_run_of_the_project_can_be_active(workspace, project):
    other = projects.create(workspace, "other")
    foreign = runs.create(workspace, other.id, "flat").name
    for run in (foreign, "flat-9999"):
        with pytest.raises(NotFound):
            projects.set_active(workspace, project.id, run)


def test_activating_the_active_run_keeps_the_way_back(workspace, project):
    first, second = (runs.create(workspace, project.id, "flat").name for _ in range(2))
    for run in (first, second, second):
        projects.set_active(workspace, project.id, run)
    assert projects.roll_back(workspace, project.id).active_run == first


def test_a_label_renamed_to_itself_stays(workspace, project):
    label_changes.rename(workspace, project.id, "PER", "PER", user="lin")
    assert labels.get(workspace, project.id).names == ("PER", "ORG", "LOC", "TITLE")


@pytest.mark.parametrize(
    "ask",
    [
        lambda w, p: runs.get(w, "flat-0009"),
        lambda w, p: runs.set_status(w, "flat-0009", "finished"),
        lambda w, p: ledger.baseline_of(w, "flat-0009"),
        lambda w, p: predictions.put(w, "flat-0009", [Document("a", "x")]),
        lambda w, p: projects.by_name(w, "nobody"),
        lambda w, p: projects.rename(w, 99, "x"),
    ],
)
def test_what_is_not_there_is_named_with_what_to_do(workspace, project, ask):
    with pytest.raises(NotFound, match=r"'(flat-0009|nobody|99)' is not in this workspace; reload the page"):
        ask(workspace, project)


def test_rolling_back_with_nothing_before_says_so(workspace, project):
    with pytest.raises(StoreError, match="no earlier active run"):
        projects.roll_back(workspace, project.id)


def test_labels_keep_order_colour_key_and_guideline(workspace, project):
    wanted = LabelSet.from_json([{"name": "人", "description": "姓名"}, {"name": "地", "hotkey": "2"}])
    labels.put(workspace, project.id, wanted)
    assert labels.get(workspace, project.id) == wanted


def test_a_label_on_spans_cannot_be_dropped(workspace, project, document_id):
    annotations.save(workspace, document_id, 0, [Span(0, 3, "PER")], user="lin")
    with pytest.raises(LabelInUse, match="'PER' is on 1 span of"):
        labels.put(workspace, project.id, LabelSet().extended(["ORG"]))
    assert "PER" in labels.get(workspace, project.id)


def test_renaming_a_label_renames_it_everywhere(workspace, project, document_id, answered):
    run = answered("flat", document_id, (0, 2, "PER")).name
    spans, rejected = [Span(0, 3, "PER")], [Span(0, 2, "PER")]
    annotations.save(workspace, document_id, 0, spans, rejected, user="lin", run=run)
    label_changes.rename(workspace, project.id, "PER", '人"物', user="lin")
    stands = annotations.current(workspace, document_id)
    assert (stands.revision, stands.document.spans, stands.rejected) == (
        1, (Span(0, 3, '人"物'),), (Span(0, 2, '人"物'),),
    )  # fmt: skip
    assert at_revision(annotations.history(workspace, document_id), 1)[0] == stands.document.spans
    assert predictions.get(workspace, run, document_id) == (Span(0, 2, '人"物', 0.5),)
    (row,) = ledger.page(workspace, project.id).rows
    assert (row.correction.claim.before.label, row.correction.claim.after.label) == ('人"物', '人"物')
    assert labels.get(workspace, project.id).names[0] == '人"物'


def test_renaming_to_a_taken_or_from_an_unknown_label_is_refused(workspace, project):
    with pytest.raises(NameTaken):
        label_changes.rename(workspace, project.id, "PER", "ORG", user="lin")
    with pytest.raises(UnknownLabelError):
        label_changes.rename(workspace, project.id, "DRUG", "MED", user="lin")


def test_span_counts_by_label(workspace, project):
    batch = [
        Document("a", "青禾", (Span(0, 2, "LOC"), Span(0, 1, "LOC"))),
        Document("b", "禾", (Span(0, 1, "ORG"),)),
    ]
    documents.add(workspace, project.id, batch)
    assert labels.span_counts(workspace, project.id) == {"PER": 0, "ORG": 1, "LOC": 2, "TITLE": 0}


def test_runs_are_numbered_per_tagger_and_own_a_folder(workspace, project):
    names = [runs.create(workspace, project.id, tagger).name for tagger in ("flat", "soft_lexicon", "flat")]
    assert names == ["flat-0001", "soft_lexicon-0001", "flat-0002"]
    assert all((workspace.runs_folder / name).is_dir() for name in names)


def test_a_leftover_run_folder_is_not_written_into(workspace, project):
    (workspace.runs_folder / "flat-0001").mkdir()
    assert runs.create(workspace, project.id, "flat").name == "flat-0002"


@pytest.mark.parametrize("tagger", ["", "../flat", "Flat", "a/b", "x" * 41, None])
def test_a_tagger_name_that_could_leave_the_folder_is_refused(workspace, project, tagger):
    with pytest.raises(PayloadError):
        runs.create(workspace, project.id, tagger)


def test_finishing_a_run_records_scores_and_repeating_it_keeps_the_time(workspace, project):
    run = runs.create(workspace, project.id, "flat", parent="demo")
    finished = runs.set_status(workspace, run.name, "finished", {"test": {"micro": {"f1": 0.9}}})
    assert runs.set_status(workspace, run.name, "finished") == finished
    assert (finished.scores["test"]["micro"]["f1"], finished.parent) == (0.9, "demo")
    assert runs.all_runs(workspace, project.id, "finished") == [finished]
    with pytest.raises(PayloadError):
        runs.set_status(workspace, run.name, "won")
    with pytest.raises(NotFound):
        runs.set_status(workspace, "flat-9999", "finished")


def test_a_tagger_from_elsewhere_is_registered_once(workspace, project, tmp_path):
    model = tmp_path / "demo_tagger"
    for scores in ({}, {"dev": 1}):
        runs.register(workspace, project.id, "demo", "flat", model, scores)
    (run,) = runs.all_runs(workspace, project.id)
    assert (run.folder, run.model_folder, run.scores, run.status) == (model, model, {"dev": 1}, "finished")
    with pytest.raises(PayloadError):
        runs.register(workspace, project.id, "../demo", "flat", model, {})
    other = projects.create(workspace, "other")
    with pytest.raises(NameTaken):
        runs.register(workspace, other.id, "demo", "flat", model, {})


def test_predictions_are_found_by_document_id_and_replaced(workspace, project, document_id):
    run = runs.create(workspace, project.id, "flat").name
    text = documents.get(workspace, document_id).text
    said = [Document("a", text, (Span(7, 15, "ORG", 0.5), Span(0, 3, "PER", 0.25))), Document("gone", "x")]
    assert predictions.missing(workspace, run) == [document_id]
    assert predictions.put(workspace, run, said) == predictions.Put(stored=1, unknown=1)
    assert predictions.get(workspace, run, document_id) == (Span(0, 3, "PER", 0.25), Span(7, 15, "ORG", 0.5))
    assert predictions.missing(workspace, run) == []
    predictions.put(workspace, run, [Document("a", text)])
    assert predictions.get(workspace, run, document_id) == ()


def test_a_prediction_on_another_text_is_not_taken(workspace, project, document_id):
    run = runs.create(workspace, project.id, "flat").name
    assert predictions.put(workspace, run, [Document("a", "另一篇")]).unknown == 1
    assert predictions.get(workspace, run, document_id) is None


def test_predictions_can_be_forgotten(workspace, project, document_id, answered):
    run = answered("flat", document_id, (0, 3, "PER")).name
    predictions.drop(workspace, run, [document_id + 1])
    assert predictions.get(workspace, run, document_id) is not None
    predictions.drop(workspace, run)
    assert predictions.get(workspace, run, document_id) is None
    with pytest.raises(NotFound):
        predictions.put(workspace, "flat-9999", [Document("a", "x")])


def test_words_are_added_removed_and_undone_batch_by_batch(workspace, project):
    add_words(workspace, project.id, {"青禾大学": "ORG", "院长": "TITLE"}, user="lin")
    lexicon_changes.remove(workspace, project.id, ["院长", "先生"], user="lin")
    stands = lexicon_changes.current(workspace, project.id)
    assert (dict(stands.added), stands.removed) == ({"青禾大学": "ORG"}, ("先生", "院长"))
    undone, made = lexicon_returning.undo(workspace, project.id, user="lin")
    assert (undone.kind, made.kind, made.target) == ("remove", "undo", undone.id)
    assert lexicon_batches.words_of(workspace, project.id, undone.id) == ["先生", "院长"]
    stands = lexicon_changes.current(workspace, project.id)
    assert (dict(stands.added), stands.removed) == ({"院长": "TITLE", "青禾大学": "ORG"}, ())
    lexicon_returning.undo(workspace, project.id, user="lin")
    assert lexicon_changes.current(workspace, project.id) == lexicon_changes.LexiconChanges()
    with pytest.raises(StoreError, match="left to undo"):
        lexicon_returning.undo(workspace, project.id, user="lin")


def test_an_earlier_batch_can_be_undone_alone(workspace, project):
    first = add_words(workspace, project.id, ["青禾"], user="lin")
    add_words(workspace, project.id, ["林知远"], user="mei")
    undo_batch(workspace, project.id, first, user="lin")
    assert list(lexicon_changes.current(workspace, project.id).added) == ["林知远"]


@pytest.mark.parametrize("words", [[], [""], ["a\tb"], ["x" * 101], [3]])
def test_words_that_would_break_the_list_are_refused(workspace, project, words):
    with pytest.raises(PayloadError):
        lexicon_changes.remove(workspace, project.id, words, user="lin")
    assert lexicon_changes.current(workspace, project.id).removed == ()


def test_a_run_may_be_called_after_something_else_than_its_tagger(workspace, project):
    named = [runs.create(workspace, project.id, "flat", called="two_step") for _ in range(2)]
    assert [(run.name, run.tagger) for run in named] == [("two_step-0001", "flat"), ("two_step-0002", "flat")]
    assert runs.create(workspace, project.id, "flat").name == "flat-0001"
    with pytest.raises(PayloadError, match="begins with a lower-case word"):
        runs.create(workspace, project.id, "flat", called="../outside")
