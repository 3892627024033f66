"""Pretraining from the app: what is started, offered to taggers, refused and deleted."""

import json
from functools import partial
from types import SimpleNamespace

import gradio as gr
import pytest

from app.dictionary import learn as dictionary_learn
from app.i18n import text
from app.i18n.binding import Texts
from app.server.first_run import ASSETS
from app.services.errors import AppError
from app.services.limits.table import Limits
from app.services.session import Sessions
from app.services.training import pretraining
from app.services.training.training_runs import named_config, plan_from_form
from app.train import form as train_form
from app.train import page as train
from app.train import pretrain as page
from app.train import pretrain_form
from app.train.form import typed_values
from app.ui.frame import Frame
from app.ui.runs import panel as run_panel
from core.corpus.errors import DiskFullError
from core.corpus.snapshot import UNLABELLED, read_snapshot
from core.learning.pretraining.pretraining import CONFIGS
from core.store.document import documents
from core.store.project import projects
from core.store.run import runs
from core.taggers.base.config_fields import ConfigError, config_fields
from core.text import Document
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder

pytestmark = pytest.mark.usefixtures("no_worker")


def start(session, method="vectors", name="ours", **values):
    return pretraining.start_pretraining(session, method, name, values)


def finish(session, run, **scores):
    folder = session.workbench.jobs.folder(run)
    request = folder.read_request()
    folder.model.mkdir()
    if request.method == "vectors":
        for unit in ("characters", "words"):
            (folder.model / f"{unit}.vec").write_text("1 2\n水 1 0\n", encoding="utf-8")
    told = {"name": request.name, "method": request.method, "characters": 9, "perplexity": None, **scores}
    folder.write_scores(told)
    folder.set_state(status="finished", fraction=1.0)
    return folder


def test_a_run_holds_the_texts_that_are_not_measured_on(filled):
    run = start(filled, dimension=16.0, epochs=2)
    folder = filled.workbench.jobs.folder(run)
    request = folder.read_request()
    assert (request.kind, request.method, request.name) == ("pretrain", "vectors", "ours")
    assert request.config == {"dimension": 16, "epochs": 2}
    texts = (folder.snapshot / "unlabelled.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in texts] == ["d-0", "d-1", "d-2", "raw"]


@pytest.mark.parametrize(
    ("changes", "error", "why"),
    [
        ({"method": "../x"}, AppError, "one of the three"),
        ({"name": "a\nb"}, TrainingError, "visible characters"),
        ({"name": ""}, TrainingError, "visible characters"),
        ({"dimension": 0}, ConfigError, "dimension"),
        ({"dimension": 1.5}, ConfigError, "dimension"),
        ({"magic": 1}, ConfigError, "magic"),
        ({"characters": False, "bigrams": False, "words": False}, ConfigError, "at least one"),
    ],
)
def test_what_does_not_fit_starts_nothing(filled, changes, error, why):
    with pytest.raises(error, match=why):
        start(filled, **changes)
    assert pretraining.results_of(filled) == []
    assert not list(filled.workspace.runs_folder.glob("pretrain-*"))


@pytest.mark.parametrize(("masking", "kept"), [("words", False), ("entities", True)])
def test_texts_keep_their_spans_where_entities_are_masked(filled, masking, kept):
    run = pretraining.start_pretraining(filled, "mlm", "enc", {"masking": masking})
    read = read_snapshot(filled.workbench.jobs.folder(run).snapshot)
    assert any(document.spans for document in read[UNLABELLED]) == kept


def test_partly_written_texts_are_removed(filled, monkeypatch):
    def full(workspace, project_id, folder, **_):
        (folder / "snapshot").mkdir()
        (folder / "snapshot" / "train.jsonl").write_text("half of the texts")
        raise DiskFullError(folder)

    monkeypatch.setattr(pretraining.snapshot, "write_texts", full)
    with pytest.raises(DiskFullError):
        start(filled)
    assert not list(filled.workspace.runs_folder.glob("pretrain-*"))


def test_a_demo_whose_places_are_taken_goes_on_with_no_training_either(filled, monkeypatch):
    run = start(filled)
    filled.workbench.jobs.folder(run).set_state(status="cancelled")
    filled.workbench.limits = Limits(trainings=1)
    monkeypatch.setattr(filled.workbench, "trainings_elsewhere", lambda: 1)
    for resume in (page.resume, partial(run_panel.resume, compared=[]), dictionary_learn.resume):
        with pytest.raises(AppError, match="Other visitors are training"):
            resume(filled, run)
    assert filled.workbench.jobs.state(run).status == "cancelled"


def test_a_project_without_text_says_what_to_add(session):
    session.turn_to(projects.create(session.workspace, "empty").id)
    documents.add(session.workspace, session.project_id, [Document("t", "甲乙", (), {"split": "test"})])
    with pytest.raises(AppError, match="neither the dev nor the test"):
        start(session)


def test_a_name_is_taken_once_and_is_no_path(filled):
    run = start(filled, name="../../elsewhere")
    assert run == "pretrain-0001"
    assert filled.workbench.jobs.folder(run).path.parent == filled.workspace.runs_folder
    with pytest.raises(AppError, match="already"):
        start(filled, name=" ../../elsewhere ")


@pytest.mark.parametrize("run", ["../x", "flat-0001", "pretrain-0009", "", None])
def test_runs_of_other_projects_are_ignored(filled, run):
    finish(filled, start(filled))
    with pytest.raises(AppError, match="no longer exist"):
        pretraining.delete(filled, run)
    assert len(pretraining.results_of(filled)) == 1


def test_another_projects_results_are_not_offered(filled):
    finish(filled, start(filled))
    filled.turn_to(projects.create(filled.workspace, "other").id)
    assert pretraining.results_of(filled) == []
    assert pretraining.offers_for(filled, "flat") == {}
    with pytest.raises(AppError):
        pretraining.delete(filled, "pretrain-0001")


def test_taggers_are_offered_what_they_can_start_from(filled):
    vectors = finish(filled, start(filled, name="v"))
    masked = finish(filled, start(filled, "mlm", "m"), perplexity=9.5)
    bilm = finish(filled, start(filled, "bilm", "b"), perplexity=8.0)
    start(filled, name="unfinished")
    offers = pretraining.offers_for(filled, "flat")
    assert offers["char_vectors"] == [
        ("v", str((vectors.model / "characters.vec").resolve())),
        ("auto", "auto"),
        ("jieba", "jieba"),
    ]
    assert "bigram_vectors" not in offers, "it has none"
    assert offers["encoder"] == [("m", str(masked.model.resolve()))]
    assert pretraining.offers_for(filled, "elmo_crf")["encoder"] == [("b", str(bilm.model.resolve()))]
    assert pretraining.starts_for(filled, "bilm") == {"start": [("b", str(bilm.model.resolve()))]}


def test_a_tagger_may_start_from_the_transformer_inside_a_finished_run(filled, tmp_path):
    demo = (ASSETS / "demo_tagger").resolve()
    assert (demo / pretraining.TRANSFORMER).is_file(), "as it is written"
    before = pretraining.stamp(filled, [])
    for name, folder in ("with", demo), ("without", tmp_path):
        runs.register(filled.workspace, filled.project_id, name, "span", folder, {})
    masked = finish(filled, start(filled, "mlm", "m"), perplexity=9.5)
    results = [("m", str(masked.model.resolve()))]
    assert pretraining.offers_for(filled, "bert")["encoder"] == [*results, ("with", str(demo))]
    assert pretraining.starts_for(filled, "mlm") == {"encoder": results}, "no head predicts words"
    assert "encoder" not in pretraining.offers_for(filled, "elmo_crf"), "it reads through a biLM"
    assert pretraining.stamp(filled, []) not in (before, ""), "the form is drawn anew"


def test_the_form_shows_them_by_name_and_the_plan_takes_the_path(filled):
    folder = finish(filled, start(filled, name="v"))
    path = str((folder.model / "characters.vec").resolve())
    offers = pretraining.offers_for(filled, "flat")
    fields = [f for group in train_form.fields_of("flat").values() for f in group if f.name == "char_vectors"]
    drawn = train_form.draw(fields, {}, "en", offers=offers)["char_vectors"]
    assert drawn.choices == [("none", ""), ("v", path), ("auto", "auto"), ("jieba", "jieba")]
    assert drawn.allow_custom_value
    assert plan_from_form("flat", {"char_vectors": path}, "cpu").config == {"char_vectors": path}


def test_a_demo_visitor_may_name_their_own_result_and_no_other_file(filled):
    folder = finish(filled, start(filled, name="v"))
    path = str((folder.model / "characters.vec").resolve())
    filled.workbench.limits = Limits()
    bench, project = filled.workbench, filled.project_id
    assert named_config(bench, project, "flat", {"char_vectors": path}) == {"char_vectors": path}
    with pytest.raises(AppError):
        named_config(bench, project, "flat", {"char_vectors": "/etc/passwd"})
    with pytest.raises(AppError):
        start(filled, "mlm", "m", encoder="/etc")
    with pytest.raises(AppError):
        start(filled, "bilm", "m", start="/etc")


def test_a_result_is_deleted_with_its_files_unless_a_run_waits_for_it(filled):
    folder = finish(filled, start(filled, name="v"))
    path = str((folder.model / "characters.vec").resolve())
    names = ["char_vectors"]
    train.start_from_form(names)(filled, "flat", "cpu", 1, "", 0.5, path)
    with pytest.raises(AppError, match="flat-0001 is about to start from v"):
        pretraining.delete(filled, "pretrain-0001")
    run = RunFolder(filled.workspace.runs_folder / "flat-0001")
    run.set_state(status="cancelled")
    assert pretraining.delete(filled, "pretrain-0001") == "v"
    assert not folder.path.exists()


def test_a_running_pretraining_is_not_deleted_nor_its_project(filled):
    start(filled, name="v")
    with pytest.raises(AppError, match="being pretrained"):
        pretraining.delete(filled, "pretrain-0001")
    with pytest.raises(AppError, match="being pretrained"):
        pretraining.check_none_runs(filled, filled.project_id)


def test_a_purged_projects_results_go_with_it(filled):
    finish(filled, start(filled))
    pretraining.delete_all(filled, filled.project_id)
    assert not list(filled.workspace.runs_folder.glob("pretrain-*"))


def test_the_page_follows_a_run_from_its_start_to_its_end(filled):
    filled.page = "train"
    shown = page.start_from_form(["epochs"])(filled, "vectors", "ours", 2)
    assert shown["result"]["value"] == "pretrain-0001"
    assert "ours: running" in shown["progress"]
    assert shown["cancel"]["visible"]
    assert shown["timer"].active
    folder = filled.workbench.jobs.folder("pretrain-0001")
    page.tick(filled, "pretrain-0001")
    assert not page.tick(filled, "pretrain-0001"), "nothing new"
    folder.append_event("epoch", unit="characters", epoch=1, epochs=2, loss=2.0)
    folder.set_state(fraction=0.5)
    assert page.tick(filled, "pretrain-0001")["curves"]["visible"]
    near = [{"token": "北京<b>", "near": [["上海", 0.9]]}]
    units = [{"unit": "characters", "tokens": 7}]
    finish(filled, "pretrain-0001", neighbours=near, units=units)
    shown = page.follow(filled, "pretrain-0001")
    assert shown["offered"] == "pretrain-0001"
    assert "上海" in shown["about"]
    assert "<b>" not in shown["about"]
    assert shown["delete"]["visible"]
    assert not shown["timer"].active


def test_a_cancelled_run_can_be_resumed_and_a_failed_one_says_why(filled):
    run = start(filled, name="<script>")
    page.cancel(filled, run)
    folder = filled.workbench.jobs.folder(run)
    folder.set_state(status="cancelled")
    shown = page.follow(filled, run)
    assert shown["resume"]["visible"]
    assert "<script>" not in shown["progress"] + shown["table"]
    assert "running" in page.resume(filled, run)["progress"]


def test_an_empty_section_offers_to_begin_and_draws_its_form_when_opened(filled):
    shown = page.show(filled, "vectors", None)
    assert "4 documents" in shown["material"]
    assert "drawn" not in shown, "no form before somebody opens the section"
    assert page.unfold(filled, "vectors", None)["drawn"]
    assert "Nothing has been pretrained yet" in shown["table"]


def test_while_a_run_goes_on_the_section_is_open_with_its_form_also_after_a_reload(filled):
    run = start(filled, name="a")
    shown = page.show(filled, "vectors", None)
    assert shown["box"]["open"]
    assert shown["drawn"]
    finish(filled, run)
    assert "box" not in page.show(filled, "vectors", None)


def test_a_deleted_result_makes_room_for_the_next(filled):
    finish(filled, start(filled, name="a"))
    finish(filled, start(filled, name="b"))
    shown = page.remove(filled, "pretrain-0002")
    assert shown["result"]["value"] == "pretrain-0001"
    assert "`b` is deleted" in shown["message"]


def test_every_field_has_its_chinese_words():
    configs = [config for group in CONFIGS.values() for config in group]
    titles = {field.name: field.title for config in configs for field in config_fields(config)}
    assert [name for name, title in titles.items() if text(title, "zh") == text(title, "en")] == []
    assert text(titles["masking"], "zh") == "遮盖方式"


def fields_shown(method, values, offers):
    every = {field.name for config in CONFIGS[method] for field in config_fields(config)}
    return every - pretrain_form.idle_now(method, values, offers)


@pytest.mark.parametrize(
    ("method", "values", "counts", "idle"),
    [
        ("mlm", {}, {"layers", "width"}, {"head_steps", "span_rate"}),
        ("mlm", {"encoder": "a/name"}, {"head_steps"}, {"layers", "heads", "least_character"}),
        ("mlm", {"encoder": "/own"}, {"warm_up"}, {"head_steps", "layers"}),
        ("mlm", {"masking": "spans"}, {"span_rate", "longest_span"}, {"head_steps", "detection_weight"}),
        ("mlm", {"replaced_detection": True}, {"detection_weight"}, {"span_rate"}),
        ("vectors", {"words": False}, {"window"}, {"cut", "buckets"}),
        ("vectors", {"model": "fasttext"}, {"buckets", "cut", "shortest_part"}, set()),
        ("bilm", {}, {"cells", "softmax"}, {"correction"}),
        ("bilm", {"start": "/published", "softmax": "cnn"}, {"softmax", "correction"}, {"cells", "unit"}),
        ("bilm", {"start": "/own"}, {"samples"}, {"cells", "softmax", "least_count"}),
    ],
)
def test_a_setting_that_changes_nothing_is_not_shown(method, values, counts, idle):
    shown = fields_shown(method, values, {"encoder": [("x", "/own")], "start": [("x", "/own")]})
    assert counts <= shown
    assert not idle & shown


@pytest.mark.parametrize("method", CONFIGS)
def test_the_form_of_every_kind_is_drawn(filled, method):
    frame = Frame(Texts(), Sessions(lambda token: filled.workbench))
    with gr.Blocks():
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        drawn = pretrain_form.build(filled, method, frame.on, gr.Textbox())
    assert set(drawn) == {field.name for config in CONFIGS[method] for field in config_fields(config)}


def test_another_encoder_shows_other_settings(filled):
    run = start(filled, "mlm", name="own")
    finish(filled, run)
    own = pretraining.starts_for(filled, "mlm")["encoder"][0][1]
    show = pretrain_form.decide("mlm", ["encoder", "masking"], ["head_steps", "layers", "epochs"])
    seen = [
        {name for name, update in show(filled, encoder, "words").items() if update["visible"]}
        for encoder in ("", "a/name", own)
    ]
    assert seen == [{"layers", "epochs"}, {"head_steps", "epochs"}, {"epochs"}]
    assert typed_values(filled, "pretrain") == {"encoder": own, "masking": "words"}


@pytest.mark.parametrize("method", CONFIGS)
def test_five_settings_or_six_are_shown_at_once(method):
    basic = [field for config in CONFIGS[method] for field in config_fields(config) if field.basic]
    assert 4 <= len(basic) <= 9
    assert SimpleNamespace(fields=basic).fields


def test_curves_are_drawn_for_every_unit_and_for_perplexity():
    from app.train.figures.pretraining_curves import pretraining_curves

    vectors = [
        {"event": "epoch", "unit": u, "epoch": e, "loss": 3 - e}
        for u in ("words", "characters")
        for e in (1, 2)
    ]
    assert [trace.name for trace in pretraining_curves(vectors).data] == ["words", "characters"]
    masked = [
        {"event": "before", "perplexity": 50.0},
        {"event": "epoch", "epoch": 1, "loss": 2.0, "perplexity": 20.0},
    ]
    loss, perplexity = pretraining_curves([*masked, masked[1]], "zh").data
    assert list(perplexity.x) == [0, 1]
    assert list(perplexity.y) == [50.0, 20.0]
    assert list(loss.y) == [2.0]
    warmed = [masked[0], {"event": "head", "steps": 9, "perplexity": 30.0}, masked[1]]
    assert list(pretraining_curves(warmed).data[1].y) == [30.0, 20.0], "a head of noise says nothing"


def test_a_tick_of_the_former_project_says_nothing(filled):
    run = start(filled)
    filled.page = "train"
    page.follow(filled, run)
    assert "progress" in page.tick(filled, run)
    filled.turn_to(projects.create(filled.workspace, "other").id)
    assert page.tick(filled, run) == {}
