"""The Train page's callbacks."""

import gradio as gr
import pytest

from app.i18n import text
from app.server.first_run import ASSETS
from app.services.errors import AppError
from app.services.limits.table import Limits
from app.services.training.pretraining import Pretrained
from app.services.training.training_runs import fitted
from app.train import form as train_form
from app.train import page, pretrain_view
from app.train.material import material_html
from app.ui.runs import decision as run_decision
from app.ui.runs import panel as run_panel
from app.ui.runs import view as run_view
from core.runtime.message import Message
from core.store.db.errors import NameTaken
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.project import nesting, projects
from core.store.run import runs
from core.taggers.base.config_fields import ConfigField
from core.taggers.base.registry import available, by_name
from core.taggers.sequence.character_tagger import LSTM_SETTINGS
from core.text import Document
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_state import RunState
from core.training.settings import TrainingSettings
from tests.taggers.small_taggers import small_tagger
from tests.taggers.tiny_bert import tiny_bert

SCORES = {
    "test": {
        "micro": {"precision": 0.5, "recall": 0.25, "f1": 1 / 3, "gold": 8, "predicted": 4},
        "per_label": {"PER": {"precision": 0.5, "recall": 0.25, "f1": 1 / 3, "gold": 8, "predicted": 4}},
        "documents": 2,
    },
    "dev": None,
    "epochs": 3,
    "seconds_per_epoch": 1.5,
}


pytestmark = pytest.mark.usefixtures("no_worker")


@pytest.fixture(autouse=True)
def _loaded():
    train_form.in_order()


def begin(session, **values):
    names = list(values)
    outputs = page.start_from_form(names)(session, "flat", "cpu", 1, "", 0.5, *values.values())
    return outputs["run"]["value"], outputs


def finish(session, name, scores=SCORES):
    RunFolder(runs.get(session.workspace, name).folder).set_state(status="finished", fraction=1.0)
    runs.set_status(session.workspace, name, "finished", scores)


def test_in_a_nested_project_taggers_of_nested_spans_come_first_and_the_page_says_why(session):
    shown = page.show(session, None, None)["tagger"]
    first = [value for _, value in shown["choices"]]
    assert first[0] == shown["value"] == "flat"
    nesting.choose(session.workspace, session.project_id, True)
    shown = page.show(session, None, None)
    nested = [value for _, value in shown["tagger"]["choices"]]
    assert shown["tagger"]["value"] == "span", "it is proposed"
    assert page.show(session, "mrc", None)["tagger"]["value"] == "mrc", "another stays chosen"
    assert nested == ["span", "mrc", *(name for name in first if name not in ("span", "mrc"))]


def test_before_the_taggers_are_loaded_the_page_has_all_but_them_and_they_come_next(session, monkeypatch):
    whole = page.show(session, None, None)
    monkeypatch.setattr(train_form, "are_loaded", lambda: False)
    first, again = page.show(session, None, None), page.show(session, None, None)
    assert first["listing"] != again["listing"], "each time they are asked for"
    assert first.keys() == whole.keys() - page.list_taggers(session, None).keys() | {"listing"}
    assert page.list_taggers(session, None)["tagger"] == whole["tagger"]
    assert page.list_taggers(session, "mrc")["tagger"]["value"] == "mrc"


@pytest.mark.parametrize(("language", "told"), [("en", "nothing to learn from"), ("zh", "没有可学习的内容")])
def test_without_labelled_documents_the_page_says_what_to_do(session, language, told):
    session.language = language
    session.project_id = projects.create(session.workspace, "empty").id
    html = material_html(session)
    assert told in html
    assert session._("Spans by label") not in html
    assert "#data?" in html
    assert "#annotate?" not in html, "there is nothing to label either"
    documents.add(session.workspace, session.project_id, [Document("raw", "今天")])
    html = material_html(session)
    assert told in html
    assert "#annotate?" in html
    assert "#data?" in html


def test_the_material_is_counted_part_by_part(filled):
    html = material_html(filled)
    assert "3 documents, 6 spans" in html
    assert "1 document, 2 spans" in html
    assert "A tenth" not in html


def test_a_label_with_markup_in_its_name_is_escaped(filled):
    labelled = documents.iterate(filled.workspace, filled.project_id, labelled=True)
    first = next(labelled)
    label_changes.rename(
        filled.workspace, filled.project_id, first.spans[0].label, "<b>x</b>", user=filled.user
    )
    assert "<b>x" not in material_html(filled)


def test_an_untouched_page_offers_to_begin(filled):
    shown = page.show(filled, None, None)
    assert shown["tagger"]["value"] == "flat"
    assert "FLAT" in shown["tagger"]["choices"][0][0]
    assert shown["empty"]["visible"]


def test_a_started_run_is_in_view_and_followed(filled):
    name, shown = begin(filled, epochs=2.0)
    assert name == "flat-0001"
    assert "flat-0001: running" in shown["progress"]
    assert shown["cancel"]["visible"]
    assert not shown["resume"]["visible"]
    assert isinstance(shown["timer"], gr.Timer)
    assert shown["timer"].active


def test_a_wrong_value_starts_nothing(filled):
    with pytest.raises(TrainingError, match="epochs"):
        begin(filled, epochs=0)
    assert runs.all_runs(filled.workspace, filled.project_id) == []


def test_a_reopened_page_finds_the_running_run_again(filled):
    name, _ = begin(filled)
    filled.memory.clear()
    assert page.show(filled, None, "something else")["run"]["value"] == name


def test_a_tick_without_news_changes_nothing_and_one_with_news_does(filled):
    name, _ = begin(filled)
    filled.page = "train"
    run_panel.tick(filled, name, [])
    assert run_panel.tick(filled, name, []) == {}
    folder = RunFolder(runs.get(filled.workspace, name).folder)
    folder.set_state(fraction=0.5, remaining_seconds=30, message=Message("Epoch 1 of 2"))
    told = run_panel.tick(filled, name, [])
    assert "50% 0:30 left" in told["progress"]
    assert "Epoch 1 of 2" in told["progress"]


def test_a_hidden_page_does_not_tick(filled):
    name, _ = begin(filled)
    filled.page = "data"
    assert run_panel.tick(filled, name, []) == {}


def test_a_cancelled_run_can_be_resumed(filled):
    name, _ = begin(filled)
    run_panel.cancel(filled, name, [])
    RunFolder(runs.get(filled.workspace, name).folder).set_state(status="cancelled")
    assert run_panel.follow(filled, name, [])["resume"]["visible"]
    assert "running" in run_panel.resume(filled, name, [])["progress"]


def test_a_finished_run_shows_scores_verdict_and_the_two_buttons(filled):
    name, _ = begin(filled)
    finish(filled, name)
    shown = run_panel.follow(filled, name, [])
    assert shown["result"]["visible"]
    assert shown["scores"]["value"]["data"][0] == ["all", "50.0", "25.0", "33.3", "8", "4"]
    assert shown["caption"]["value"] == "On test: 2 documents."
    assert "There are no corrections yet" in shown["summary"]
    assert (shown["activate"]["visible"], shown["scored"]["visible"]) == (True, True)


def test_a_finished_run_whose_results_are_not_stored_says_why(filled, monkeypatch):
    name, _ = begin(filled)
    RunFolder(runs.get(filled.workspace, name).folder).set_state(status="finished")
    monkeypatch.setattr(filled.workbench.supervisor, "problem", lambda run: "the disk is full")
    shown = run_panel.follow(filled, name, [])
    assert "the disk is full" in shown["problem"]
    assert shown["timer"].active


def test_activating_is_the_persons_decision(filled):
    name, _ = begin(filled)
    with pytest.raises(AppError, match="not finished"):
        run_decision.activate(filled, name)
    finish(filled, name)
    shown = run_decision.keep(filled, name)
    assert (shown["activate"]["visible"], shown["keep"]["visible"]) == (True, False), "nothing to keep"
    assert "not made active" in shown["decided"]
    shown = run_decision.activate(filled, name)
    assert shown["decided"] == f"`{name}` is the active run of this project."
    assert not run_panel.follow(filled, name, [])["activate"]["visible"]
    assert projects.get(filled.workspace, filled.project_id).active_run == name


def test_retraining_repeats_the_active_runs_settings_on_the_documents_of_now(filled):
    name, _ = begin(filled, epochs=2.0, layers=2.0)
    finish(filled, name)
    run_decision.activate(filled, name)
    again = page.retrain(filled, "flat", "cpu")["run"]["value"]
    request = RunFolder(runs.get(filled.workspace, again).folder).read_request()
    assert (request.config, request.parent) == ({"layers": 2}, name)
    assert request.settings == {"epochs": 2, **by_name("flat").learns_best_with}


def test_a_tick_of_the_run_before_says_nothing_once_another_is_in_view(filled):
    first, _ = begin(filled, epochs=1.0)
    second, _ = begin(filled, epochs=1.0)
    run_panel.follow(filled, second, [])
    filled.page = "train"
    assert run_panel.tick(filled, first, []) == {}
    assert "progress" in run_panel.tick(filled, second, [])
    filled.turn_to(projects.create(filled.workspace, "other").id)
    assert run_panel.tick(filled, second, []) == {}, "not an error about a run of the former project"


def test_retraining_after_the_demo_tagger_keeps_its_config_and_goes_on_with_its_transformer(filled):
    demo = ASSETS / "demo_tagger"
    runs.register(filled.workspace, filled.project_id, "demo", "span", demo, {})
    projects.set_active(filled.workspace, filled.project_id, "demo")
    filled.workbench.limits = Limits()  # a visitor of the demo may read the files of its own tagger
    again = page.retrain(filled, "span", "cpu")["run"]["value"]
    request = RunFolder(runs.get(filled.workspace, again).folder).read_request()
    assert "epochs" not in request.settings, "a transformer that has learned needs few"
    assert (request.config["over"], request.config["encoder"]) == ("flat", str(demo))


def test_retraining_after_a_tagger_without_a_request_takes_the_transformer_inside_it(filled, tmp_path):
    small_tagger("flat", encoder=tiny_bert()).save(tmp_path)
    runs.register(filled.workspace, filled.project_id, "given", "flat", tmp_path, {})
    projects.set_active(filled.workspace, filled.project_id, "given")
    again = page.retrain(filled, "flat", "cpu")["run"]["value"]
    request = RunFolder(runs.get(filled.workspace, again).folder).read_request()
    assert request.config["encoder"] == str(tmp_path)


def test_retraining_an_unknown_request_uses_the_forms_defaults(filled, tmp_path):
    runs.register(filled.workspace, filled.project_id, "lost", "flat", tmp_path, {})
    projects.set_active(filled.workspace, filled.project_id, "lost")
    again = page.retrain(filled, "flat", "cpu")["run"]["value"]
    request = RunFolder(runs.get(filled.workspace, again).folder).read_request()
    assert request.config == {}
    assert request.settings == {"epochs": 100, **by_name("flat").learns_best_with}


@pytest.mark.parametrize(
    ("tagger", "values", "epochs"),
    [
        ("flat", {}, 31),
        ("flat", {"epochs": 7}, 7),
        ("flat", {"batch_size": 16}, 60),
        ("flat", {"encoder": "a/folder"}, None),
        ("bert", {}, None),
        ("pu", {"over": "flat"}, 60),
        ("pu", {"over": "bert"}, None),
        ("pu", {"over": "flat", "over_options": "hidden=", "encoder": ""}, 60),
        ("dictionary", {}, None),
    ],
)
def test_epochs_fit_the_documents_unless_a_person_or_an_encoder_says_otherwise(tagger, values, epochs):
    assert fitted(tagger, values, 627).get("epochs") == epochs


@pytest.mark.parametrize("act", [run_panel.cancel, run_panel.resume])
def test_choosing_nothing_is_reported(filled, act):
    with pytest.raises(AppError, match="Choose a run first"):
        act(filled, None, [])


def test_all_runs_are_listed_the_newest_first(filled):
    first, _ = begin(filled)
    finish(filled, first)
    second, _ = begin(filled)
    headers, rows = run_view.runs_rows(filled)
    assert headers[:4] == ["run", "status", "dev F1", "test F1"]
    assert [row[:6] for row in rows] == [
        [second, "running", "–", "–", "–", "–"],
        [first, "finished", "–", "33.3", "3", "1.5"],
    ]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({"event": "started", "device": "cpu", "why": {"template": "no GPU"}, "resumed_from": 2},
         "Computing on cpu: no GPU Resuming after 2 complete epochs."),
        ({"event": "epoch", "epoch": 1, "epochs": 2, "loss": 3.14159, "dev": {"f1": 0.5}, "seconds": 2,
          "best": True},
         "Epoch 1 of 2: loss 3.142, dev F1 50.0, 2.0 s, the best so far"),
        ({"event": "epoch", "epoch": 1, "epochs": 2, "loss": 3.0, "dev": None, "seconds": 2},
         "Epoch 1 of 2: loss 3.000, dev F1 –, 2.0 s"),
        ({"event": "log", "message": {"template": "cut"}}, "cut"),
        ({"event": "finished"}, "Finished."),
        ({"event": "step"}, ""),
        ({"event": "of a later version"}, ""),
    ],
)  # fmt: skip
def test_the_log_is_in_plain_words(filled, event, line):
    assert run_view.log_line(filled, event) == line


def test_a_run_without_epochs_has_a_sentence_and_no_empty_axes(filled, tmp_path):
    (tmp_path / "demo").mkdir()
    runs.register(filled.workspace, filled.project_id, "demo", "dictionary", tmp_path / "demo", {})
    folder = RunFolder(runs.get(filled.workspace, "demo").folder)
    folder.append_event("started", kind="train", device="cpu")
    shown = run_panel.follow(filled, "demo", [])
    assert (shown["charts"]["visible"], shown["no_curves"]["visible"], shown["curves"]) == (False, True, None)
    trained = runs.create(filled.workspace, filled.project_id, "flat")
    epoch = {"epoch": 1, "epochs": 1, "loss": 1.0, "seconds": 1.0, "dev": None}
    RunFolder(trained.folder).append_event("epoch", **epoch)
    shown = run_panel.follow(filled, "demo", [trained.name])
    assert (shown["charts"]["visible"], shown["no_curves"]["visible"]) == (True, False)


def test_the_log_is_escaped(filled):
    event = {"event": "log", "message": {"template": "<script>"}}
    assert "<script>" not in run_view.log_html(filled, [event])


def test_every_field_has_a_widget_with_help_and_keeps_what_was_typed(filled):
    train_form.typed_values(filled)["epochs"] = 7
    with gr.Blocks(analytics_enabled=False):
        names, drawn = train_form.build(filled, "flat", lambda *a, **k: None, gr.Textbox())
    by_name = dict(zip(names, drawn, strict=True))
    assert set(TrainingSettings().to_json()) < set(names)
    assert by_name["epochs"].value == 7
    assert isinstance(by_name["use_lexicon"], gr.Checkbox)
    assert isinstance(by_name["optimiser"], gr.Dropdown)
    assert isinstance(by_name["learning_rate"], gr.Number)
    assert all(component.info for component in drawn)


def drawn_form(session, tagger):
    """The values of the form's fields, and the callbacks that keep what is typed, by name."""
    callbacks = {}

    def listen(trigger, fn, inputs, outputs, key=None):
        callbacks[key[1] if key else fn.__name__] = fn, inputs[1].value if inputs else None

    with gr.Blocks(analytics_enabled=False):
        names, drawn = train_form.build(session, tagger, listen, gr.Textbox())
    return {name: component.value for name, component in zip(names, drawn, strict=True)}, callbacks


def test_another_taggers_form_keeps_what_was_typed_where_it_fits(filled):
    values, callbacks = drawn_form(filled, "flat")
    for name, value in {
        "epochs": 4,
        "hidden": 48,
        "learning_rate": None,
        "heads": 3,
        "optimiser": "x",
    }.items():
        keep, drawing = callbacks[name]
        keep(filled, value, drawing)
    assert "missed" not in callbacks["settle"][0](filled), "nobody is interrupted while typing"
    other, _ = drawn_form(filled, "bilstm_crf")
    assert (other["epochs"], other["hidden"]) == (4, 48)
    assert other["learning_rate"] == LSTM_SETTINGS["learning_rate"], "as proposed"
    assert other["optimiser"] == values["optimiser"]
    assert "heads" not in other


@pytest.mark.parametrize("hearing", [0, 1])
@pytest.mark.parametrize("stands", [False, True])
def test_what_was_typed_into_the_former_drawing_is_written_into_the_next(filled, hearing, stands):
    drawings = [drawn_form(filled, tagger)[1] for tagger in ("flat", "bilstm_crf")]
    keep, _ = drawings[hearing]["epochs"]  # the event may be answered before or after the next one stands
    settle, write = (drawings[1][name][0] for name in ("settle", "write"))
    if stands:
        assert settle(filled) == {"stands": gr.update(active=False)}
    told = keep(filled, 4, drawings[0]["epochs"][1])
    assert ("missed" in told) == stands
    if not stands:
        assert "missed" in settle(filled)
    assert write(filled) == {"epochs": 4}
    assert "missed" not in settle(filled), "once"
    assert drawn_form(filled, "bilstm_crf")[0]["epochs"] == 4


def test_the_form_speaks_the_sessions_language(filled):
    epochs = next(one for one in train_form.fields_of("flat")["basic_training"] if one.name == "epochs")
    assert text(epochs.title, "zh") == "轮数"
    fresh = ConfigField("a_field_of_a_new_paper", int, 1, "new here")
    assert text(fresh.title, "zh") == "A field of a new paper"
    assert "注意力" in train_form.card("flat", "zh")


def test_a_tagger_that_the_interface_does_not_know_speaks_for_itself(filled, monkeypatch):
    monkeypatch.setattr(train_form, "TAGGER_NAMES", {})
    assert train_form.card("flat", "zh").startswith("FLAT: A Transformer")


def test_a_failed_run_says_why(filled):
    run = runs.create(filled.workspace, filled.project_id, "flat")
    state = RunState(run.name, "failed", error=Message("a comment needs some text"))
    assert "failed. a comment needs some text" in run_view.progress_html(filled, run, state)
    filled.language = "zh"
    assert f"{run.name}：失败。评论不能为空" in run_view.progress_html(filled, run, state)


def test_strategies_are_listed_under_their_groups(filled):
    from core.training.strategies.settings import GROUPS

    with gr.Blocks(analytics_enabled=False) as demo:
        names, _ = train_form.build(filled, "flat", lambda *a, **k: None, gr.Textbox())
    (box,) = [block for block in demo.blocks.values() if block.elem_id == "train-more-strategies"]
    headings = [child.value for child in box.children if isinstance(child, gr.Markdown)]
    assert headings == [f"## {filled._(train_form.STRATEGY_NAMES[kind])}" for kind in GROUPS]
    assert len(names) == len(set(names)), "every field is drawn once"


@pytest.mark.parametrize("tagger", available())
def test_every_field_has_a_name_and_a_help_line_in_chinese(tagger):
    missing = [
        field.name
        for fields in train_form.fields_of(tagger).values()
        for field in fields
        if train_form.help_line(field, "zh").isascii()
    ]
    assert missing == [], "translate them in the .po"
    assert not train_form.card(tagger, "zh").isascii()


@pytest.mark.parametrize("tagger", available())
def test_no_two_fields_of_a_form_share_a_name(tagger):
    names = [field.name for fields in train_form.fields_of(tagger).values() for field in fields]
    assert len(names) == len(set(names))


def test_help_of_a_field_is_its_taggers():
    own = train_form.fields_of("bilstm_crf")["basic_tagger"]
    hidden = next(field for field in own if field.name == "hidden")
    assert train_form.help_line(hidden, "en").startswith("Width of each direction")
    assert train_form.help_line(hidden, "zh").startswith("每个方向")


@pytest.mark.parametrize(
    ("language", "epochs", "rate"),
    [
        (
            "en",
            "Passes over the training documents (1–1000). Chosen for 5",
            "after the warm-up (0.0000001–1)",
        ),
        ("zh", "遍历训练文档的次数（1–1000）。按 5", "最大学习率（0.0000001–1）"),
    ],
)
def test_a_range_belongs_to_the_sentence_and_a_note_is_another(filled, language, epochs, rate):
    filled.language = language
    filled.memory["train-documents"] = 5
    with gr.Blocks():
        names, fields = train_form.build(filled, "flat", lambda *_, **__: None, gr.Textbox())
    told = {name: field.info for name, field in zip(names, fields, strict=True)}
    assert told["epochs"].startswith(epochs)
    assert told["learning_rate"].endswith(rate)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("tagger", available())
def test_every_help_line_is_set_alike(tagger, language):
    lines = [
        train_form.help_line(field, language)
        for fields in train_form.fields_of(tagger).values()
        for field in fields
    ]
    assert [line for line in lines if line[:1] != line[:1].upper()] == []
    assert [line for line in lines if line.endswith((".", "。")) or "e-0" in line] == []


def test_a_named_run_is_shown_by_its_name_everywhere_on_the_page(filled):
    old, _ = begin(filled)
    finish(filled, old)
    shown = run_panel.name(filled, old, [], " Baseline  <1> ", "tried <b>bold</b>\nsecond line")
    assert shown["run"]["choices"] == [("Baseline <1> – tried <b>bold</b>", old)]
    assert shown["all_runs"]["value"]["data"][0][0] == "Baseline <1>"
    assert shown["all_runs"]["value"]["data"][0][-1] == "tried <b>bold</b>\nsecond line"
    assert "Baseline &lt;1&gt;: finished" in shown["progress"]
    assert shown["noted"] == '<p class="ll-note">tried &lt;b&gt;bold&lt;/b&gt;\nsecond line</p>'
    assert shown["title"]["value"] == "Baseline <1>"
    new, _ = begin(filled)
    with pytest.raises(NameTaken, match="Baseline"):
        run_panel.name(filled, new, [], "Baseline <1>", "")
    assert run_panel.name(filled, old, [], "", "")["run"]["choices"] == [(new, new), (old, old)]


def test_a_tick_leaves_alone_what_is_being_typed(filled):
    name, _ = begin(filled)
    filled.page = "train"
    assert not {"title", "note", "noted", "naming"} & run_panel.tick(filled, name, []).keys()


def test_a_pretraining_says_how_far_it_is_as_a_training_does(filled, tmp_path):
    state = RunState("pretrain-0001", status="running", fraction=0.5, remaining_seconds=21.0)
    item = Pretrained("pretrain-0001", "news", "vectors", state, {}, tmp_path)
    shown = pretrain_view.progress_html(filled, item, [{"event": "epoch", "seconds": 2.0}])
    assert "50% 0:21 left · 2.0 s an epoch" in shown
    assert " s an epoch" not in pretrain_view.progress_html(filled, item, [])


def test_what_the_form_proposed_is_decided_anew_when_the_run_begins(filled):
    given = {"epochs": 3, **LSTM_SETTINGS}
    assert train_form.settled(filled, "soft_lexicon", given) == given
    encoder = {"epochs": 3, "encoder": "a/folder"}
    assert train_form.settled(filled, "soft_lexicon", {**given, **encoder}) == encoder
    averaged = train_form.settled(filled, "soft_lexicon", {**given, "swa_start": 2})
    assert averaged == {"epochs": 3, "swa_start": 2, "learning_rate": 0.003, "batch_size": 8}
    without = train_form.settled(filled, "soft_lexicon", {**given, "ema": 0.0})
    assert without["ema"] == 0.0, "not known yet"
    assert train_form.settled(filled, "lattice_lstm", given) == given
    train_form.typed_values(filled)["ema"] = 0.99
    assert train_form.settled(filled, "soft_lexicon", {**given, **encoder}) == {**encoder, "ema": 0.99}
