"""A run or a source that teaches a run: what goes into its snapshot and request, and what is refused."""

from dataclasses import replace

import pytest

from app.services.errors import AppError
from app.services.session import Session
from app.services.training.training_runs import Plan, plan_of, start
from app.train import teacher as section
from core.corpus.snapshot import TAUGHT, read_snapshot
from core.sources import SourceSettings
from core.store.db.errors import NotFound
from core.store.document import documents
from core.store.run import runs, snapshot
from core.store.suggest import sources
from core.text import Document, Span
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from tests.taggers.small_taggers import small_tagger

pytestmark = pytest.mark.usefixtures("no_worker")
PLAN = Plan("bilstm_crf", {}, {"epochs": 1}, "cpu", {"source": "LAC", "share": 0.25})


@pytest.fixture
def raw(filled: Session) -> dict[str, int]:
    """Raw documents of every split, and a source without a word on any of them."""
    splits = {"none": "林在清河。", "train": "王在清河。", "dev": "李在清河。", "test": "赵在清河。"}
    new = [Document(f"raw-{split}", text, (), {"split": split}) for split, text in splits.items()]
    ids = documents.add(filled.workspace, filled.project_id, new).ids
    settings = SourceSettings("lac", "LAC").to_json()
    sources.add(filled.workspace, filled.project_id, settings, user=filled.user)
    return dict(zip(splits, ids, strict=True))


def lac(session: Session) -> int:
    return sources.of(session.workspace, session.project_id)[0].id


def say(session: Session, ids: list[int], *spans: Span) -> None:
    sources.put(session.workspace, session.project_id, lac(session), [(id_, spans) for id_ in ids])


def test_what_a_source_said_outside_dev_and_test_is_in_the_snapshot(
    filled: Session, raw: dict[str, int]
) -> None:
    say(filled, list(raw.values()), Span(0, 1, "PER", 0.75))
    assert snapshot.count_taught(filled.workspace, filled.project_id, lac(filled)) == 2
    folder = RunFolder(start(filled, PLAN).folder)
    taught = read_snapshot(folder.snapshot)[TAUGHT]
    assert [document.id for document in taught] == ["raw-none", "raw-train"]
    assert all(document.spans == (Span(0, 1, "PER", 0.75),) for document in taught)
    teacher = folder.read_request().teacher
    assert {"source": "LAC", "labels": "PER", "share": 0.25}.items() <= teacher.items()
    again = plan_of(folder, "cpu")
    assert RunFolder(start(filled, again).folder).read_request().teacher == teacher
    untaught = RunFolder(start(filled, Plan("bilstm_crf", {}, {}, "cpu")).folder)
    assert (untaught.read_request().teacher, read_snapshot(untaught.snapshot)[TAUGHT]) == ({}, ())


def test_a_source_with_nothing_to_teach_is_refused_and_no_run_is_made(
    filled: Session, raw: dict[str, int]
) -> None:
    held = list(filled.workspace.folder.glob("runs/*"))
    say(filled, [raw["dev"], raw["test"]], Span(0, 1, "PER"))
    with pytest.raises(AppError, match="LAC has not been run on any raw document outside dev and test"):
        start(filled, PLAN)
    say(filled, [raw["none"]])
    sources.forget(filled.workspace, filled.project_id, lac(filled))
    say(filled, [raw["none"]])
    with pytest.raises(AppError, match="found nothing in the raw documents"):
        start(filled, PLAN)
    say(filled, [raw["none"]], Span(0, 1, "PER"))
    both = replace(PLAN, self_training={"self_training_rounds": 1})
    with pytest.raises(AppError, match="not from both"):
        start(filled, both)
    with pytest.raises(TrainingError, match="BERT-MRC cannot learn from a teacher"):
        start(filled, Plan("mrc", {}, {}, "cpu", PLAN.teacher))
    with pytest.raises(TrainingError, match="share"):
        start(filled, Plan("bilstm_crf", {}, {}, "cpu", {"source": "LAC", "share": 7}))
    sources.delete(filled.workspace, filled.project_id, lac(filled), user=filled.user)
    with pytest.raises(AppError, match="The source LAC, from which this run would learn, is gone"):
        start(filled, PLAN)
    assert list(filled.workspace.folder.glob("runs/*")) == held


@pytest.fixture
def earlier(filled: Session) -> str:
    """The name of a finished run with a model of the project's labels."""
    run = runs.create(filled.workspace, filled.project_id, "bilstm_crf")
    small_tagger("bilstm_crf").save(run.folder / "model")
    runs.set_status(filled.workspace, run.name, "finished")
    return run.name


def test_a_run_teaches_and_so_it_does_when_its_pupil_is_trained_again(filled: Session, earlier: str) -> None:
    shown = section.show(filled, f"run {earlier}")
    assert shown["teacher"]["value"] == f"run {earlier}"
    assert "Before the first epoch it reads" in shown["facts"]
    assert not shown["ask"]["visible"]
    plan = replace(PLAN, teacher=section.teacher_of(filled, f"run {earlier}", 0.25))
    folder = RunFolder(start(filled, plan).folder)
    teacher = folder.read_request().teacher
    model = str(runs.get(filled.workspace, earlier).model_folder)
    assert {"model": model, "share": 0.25}.items() <= teacher.items()
    assert RunFolder(start(filled, plan_of(folder, "cpu")).folder).read_request().teacher == teacher


def test_a_run_that_cannot_teach_is_refused_and_no_run_is_made(filled: Session, earlier: str) -> None:
    plan = replace(PLAN, teacher=section.teacher_of(filled, f"run {earlier}", 0.25))
    held = sorted(filled.workspace.folder.glob("runs/*"))
    for elsewhere in ("/etc", str(filled.workspace.folder)):  # named by a request that was written by hand
        with pytest.raises(AppError, match="is gone"):
            start(filled, replace(plan, teacher={"model": elsewhere, "share": 0.5}))
    documents.add(filled.workspace, filled.project_id, [Document("new", "青鸟牌", (Span(0, 2, "BRAND"),))])
    with pytest.raises(AppError, match="does not know the labels BRAND"):
        start(filled, plan)
    with pytest.raises(NotFound):
        section.teacher_of(filled, "run of-another-project", 0.5)
    assert section.show(filled, "source ²")["teacher"]["value"] == section.NONE
    assert sorted(filled.workspace.folder.glob("runs/*")) == held


def test_of_dev_and_test_no_teacher_is_asked(filled: Session, raw: dict[str, int]) -> None:
    held = sources.unasked(filled.workspace, filled.project_id, lac(filled))
    asked = sources.unasked(filled.workspace, filled.project_id, lac(filled), to_teach=True)
    left_out = {id_ for id_, _ in held} - {id_ for id_, _ in asked}
    assert left_out == {raw["dev"], raw["test"]}
    say(filled, [raw["none"]])
    # The train one and the document without a split that the project had are left.
    facts = section.show(filled, f"source {lac(filled)}")["facts"]
    assert "2 raw documents have not been processed yet" in facts


@pytest.mark.parametrize(
    ("language", "told"), [("en", "neither a run nor a source"), ("zh", "也没有建议来源")]
)
def test_without_a_teacher_the_section_leads_to_the_settings(
    filled: Session, language: str, told: str
) -> None:
    filled.language = language
    shown = section.show(filled)
    assert told in shown["facts"]
    assert "settings" in shown["facts"]
    assert not shown["teacher"]["visible"]


def test_the_section_says_how_much_there_is_to_learn_and_what_asking_costs(
    filled: Session, raw: dict[str, int]
) -> None:
    say(filled, [raw["none"]], Span(0, 1, "PER"))
    assert "answered on 1 raw document" in section.show(filled, f"source {lac(filled)}")["facts"]
    settings = SourceSettings(
        "language_model", "M", target="m", address="http://one.example/v1", read_price=1000.0
    )
    model = sources.add(filled.workspace, filled.project_id, settings.to_json(), user=filled.user).id
    facts = section.show(filled, f"source {model}")["facts"]
    assert "answered on 0 raw documents" in facts
    assert "Very roughly, it reads" in facts
    assert section.teacher_of(filled, f"source {model}", 0.5) == {"source": "M", "share": 0.5}
    assert section.teacher_of(filled, section.NONE, None) == {}
    with pytest.raises(AppError, match="Enter the share"):
        section.teacher_of(filled, f"source {model}", None)
