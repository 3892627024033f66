"""The Learn tab: what will be learned from, one button, the run, and its decision."""

import pytest

from app.dictionary import learn as page
from app.services.errors import AppError
from app.services.limits.table import Limits
from core.learning.pu.settings import METHODS
from core.runtime.message import Message, _
from core.store.db.errors import NotFound
from core.store.document import documents, raw_documents
from core.store.label import labels
from core.store.project import members, projects
from core.store.run import runs
from core.store.suggest import distant
from core.store.suggest.distant import DistantLabels
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.registry import by_name
from core.taggers.pu.encoder_choice import encoder_names
from core.text import Document, Span
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from tests.store.by_hand import add_words

WORDS = {"周平": "PER", "林晓": "PER", "青岛": "LOC", "海王星": "PLANET"}


pytestmark = pytest.mark.usefixtures("no_worker")


@pytest.fixture
def worded(filled):
    """The project with typed words and raw texts."""
    add_words(filled.workspace, filled.project_id, WORDS, user="lin")
    texts = [Document("r1", "周平去了青岛"), Document("r2", "林晓没有去"), Document("r3", "周平在家")]
    documents.add(filled.workspace, filled.project_id, texts)
    return filled


def begin(session, method="pu", prior="", epochs=3.0, over="auto"):
    return page.begin(session, method, over, prior, epochs)


def request_of(session, name):
    return RunFolder(runs.get(session.workspace, name).folder).read_request()


def finish(session, name, **distant):
    RunFolder(runs.get(session.workspace, name).folder).set_state(status="finished", fraction=1.0)
    scores = {"dev": None, "test": None, "distant": distant}
    runs.set_status(session.workspace, name, "finished", scores)


def test_the_methods_are_those_there_are():
    assert set(page.METHODS) == set(METHODS)


def test_what_may_read_the_text_is_what_there_is_by_its_title():
    assert set(page.ENCODERS) == set(encoder_names())
    assert all(title == by_name(name).title for name, title in page.ENCODERS.items() if name != "auto")


def test_the_plan_counts_documents_matches_and_priors(worded):
    html = page.plan(worded, "")["plan"]
    assert "4 raw documents and 4 annotated ones" in html
    cells = html.replace("</td><td>", "|")
    # 2 of 20 characters are under PER twice over: 周平, 林晓, 周平
    assert "PER|2|3|2|" in cells
    assert "LOC|1|1|1|" in cells
    assert "PLANET|1|0|0|0%|no match: not learned" in cells


def test_a_given_prior_is_shown_in_the_plan(worded):
    assert "12%, given" in page.plan(worded, "PER=0.12")["plan"]


def test_texts_that_the_dictionary_labelled_in_progress_are_learned_from(worded):
    """Labelled by the words to the last document: nothing is raw, and much is still unlabelled."""
    listed = [
        DistantLabels(number, [Span(0, 2, "PER")], {})
        for number, _ in raw_documents.each(worded.workspace, worded.project_id)
    ]
    how = {"version": 1, "direction": "forward", "ambiguous": "skip", "user": "lin"}
    distant.put(worded.workspace, worded.project_id, listed, "in_progress", **how)
    assert raw_documents.count(worded.workspace, worded.project_id) == 0
    planned = page.plan(worded, "")
    told = planned["plan"]
    assert planned["start"]["interactive"] is True
    assert f"{len(listed)} documents are not done" in told
    assert "no match" not in told, "nothing was counted"
    assert begin(worded)["run"] == "pu-0001"


def test_a_prior_of_a_type_that_is_none_is_refused_before_anything_begins(worded):
    for ask in (page.plan, lambda session, prior: begin(session, prior=prior)):
        with pytest.raises(ConfigError, match=r"no type 'PRE' to learn; there are: .*PER"):
            ask(worded, "PRE=0.04")
    assert runs.all_runs(worded.workspace, worded.project_id) == []


@pytest.mark.parametrize("prior", ["0", "1", "PER=1"])
def test_a_prior_of_0_or_1_is_refused(worded, prior):
    with pytest.raises(ConfigError, match="both excluded"):
        page.plan(worded, prior)
    with pytest.raises(TrainingError, match="both excluded"):
        begin(worded, prior=prior)
    assert runs.all_runs(worded.workspace, worded.project_id) == []


def test_a_type_with_markup_in_its_name_is_escaped(worded):
    add_words(worded.workspace, worded.project_id, {"在家": "<b>x</b>"}, user="lin")
    assert "<b>x" not in page.plan(worded, "")["plan"]


def lacks(session, sentence):
    """The button is closed, the sentence stands beside it, and starting all the same is refused."""
    planned = page.plan(session, "")
    with pytest.raises(AppError):
        begin(session)
    return not planned["start"]["interactive"] and sentence in planned["why"]


def test_without_words_or_texts_the_button_is_closed_and_says_why(filled):
    assert lacks(filled, "No word of this project has a type yet")
    filled.language = "zh"
    assert lacks(filled, "还没有带类型的词")
    filled.language = "en"
    other = projects.create(filled.workspace, "empty")
    filled.project_id = other.id
    add_words(filled.workspace, other.id, WORDS, user="lin")
    assert lacks(filled, "no unlabelled text left to learn from")
    documents.add(filled.workspace, other.id, [Document("r1", "今天下雨")])
    planned = page.plan(filled, "")
    assert not planned["start"]["interactive"]
    assert "None of the typed words occurs" in planned["why"]


def test_with_words_that_occur_in_the_texts_the_button_is_open(worded):
    planned = page.plan(worded, "")
    assert "<table" in planned["plan"]
    assert planned["start"]["interactive"]
    assert planned["why"] == ""


def test_who_may_not_train_is_told_so(worded):
    members.put(worded.workspace, worded.project_id, "lin", "manager", by="lin")
    members.put(worded.workspace, worded.project_id, "an", "annotator", by="lin")
    worded.user = "an"
    planned = page.plan(worded, "")
    assert not planned["start"]["interactive"]
    assert "role" in planned["why"]


def test_one_button_starts_a_run_that_is_followed(worded):
    shown = begin(worded, method="adapu", prior="0.1")
    assert shown["run"] == "adapu-0001"
    assert "adapu-0001: running" in shown["progress"]
    assert shown["cancel"]["visible"]
    assert not shown["activate"]["visible"]
    assert shown["timer"].active
    request = RunFolder(runs.get(worded.workspace, "adapu-0001").folder).read_request()
    assert request.kind == "distant"
    assert request.distant == {"method": "adapu", "prior": "0.1"}
    assert request.settings["epochs"] == 3
    folder = RunFolder(runs.get(worded.workspace, "adapu-0001").folder)
    lines = (folder.snapshot / "typed_words.tsv").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(f"{word}\t{kind}\t1" for word, kind in WORDS.items())


@pytest.mark.parametrize(
    ("method", "over", "tagger", "config"),
    [
        ("partial_crf", "auto", "bilstm_crf", {"hidden": 100}),
        ("partial_crf", "flat", "flat", {}),
        ("pu", "auto", "pu", {"hidden": 100}),
        ("pu", "flat", "pu", {"over": "flat"}),
        ("two_step", "soft_lexicon", "pu", {"over": "soft_lexicon"}),
        ("bagging", "bert", "pu", {"over": "bert"}),
    ],
)
def test_a_run_is_called_after_its_method_and_is_what_it_trains(worded, method, over, tagger, config):
    names = [begin(worded, method=method, over=over)["run"] for _ in range(2)]
    assert names == [f"{method}-0001", f"{method}-0002"]
    request = request_of(worded, names[0])
    assert (request.tagger, request.config, request.distant["method"]) == (tagger, config, method)
    assert runs.get(worded.workspace, names[0]).tagger == tagger


def test_runs_of_before_keep_their_names(worded):
    old = runs.create(worded.workspace, worded.project_id, "pu")
    assert begin(worded, method="partial_crf")["run"] == "partial_crf-0001"
    assert begin(worded, method="pu")["run"] == "pu-0002"
    assert runs.get(worded.workspace, old.name).name == "pu-0001"


@pytest.mark.parametrize("over", ["mrc", "dictionary", "../../etc", "<b>"])
def test_what_cannot_read_text_is_refused(worded, over):
    with pytest.raises(ConfigError, match="does not fit, it takes one of"):
        begin(worded, over=over)
    assert runs.all_runs(worded.workspace, worded.project_id) == []


def test_a_demo_visitor_cannot_have_a_model_fetched(worded):
    worded.workbench.limits = Limits()
    for method in ("pu", "partial_crf"):
        with pytest.raises(AppError, match="pretrained models"):
            begin(worded, method=method, over="bert")
    assert begin(worded, over="flat")["run"] == "pu-0001"


def test_types_become_labels_of_the_project(worded):
    begin(worded)
    assert labels.get(worded.workspace, worded.project_id).names == ("PER", "LOC", "PLANET")


def test_a_word_of_two_types_goes_along_with_both(worded):
    add_words(worded.workspace, worded.project_id, {"长安": "LOC"}, user="lin")
    begin(worded)
    run = RunFolder(runs.get(worded.workspace, "pu-0001").folder)
    assert "长安\tLOC\t1" in (run.snapshot / "typed_words.tsv").read_text(encoding="utf-8")


@pytest.mark.parametrize("epochs", [None, 1.5])
def test_epochs_that_are_no_number_are_refused(worded, epochs):
    with pytest.raises(AppError):
        begin(worded, epochs=epochs)


def test_a_reopened_tab_finds_its_run_again(worded):
    begin(worded)
    shown = page.show(worded, "")
    assert shown["run"] == "pu-0001"
    assert [name for _, name in shown["method"]["choices"]] == list(page.METHODS)
    assert shown["over"]["choices"][:2] == [("a small BiLSTM", "auto"), ("FLAT", "flat")]


def test_an_untouched_tab_has_no_run(worded):
    assert page.show(worded, "")["run"] is None


def test_a_tick_without_news_changes_nothing(worded):
    name = begin(worded)["run"]
    worded.page = "dictionary"
    page.tick(worded, name)
    assert page.tick(worded, name) == {}
    folder = RunFolder(runs.get(worded.workspace, name).folder)
    folder.set_state(
        fraction=0.5, remaining_seconds=30, message=_("Epoch {epoch} of {epochs}", epoch=1, epochs=2)
    )
    assert "50%" in page.tick(worded, name)["progress"]


def test_messages_of_the_run_are_shown_escaped(worded):
    name = begin(worded)["run"]
    folder = RunFolder(runs.get(worded.workspace, name).folder)
    folder.append_event("round", round=2, of=4, title=_("AdaPU, round {number}", number=2).to_json())
    folder.append_event("log", message=Message("new: <i>x</i>").to_json())
    result = page.follow(worded, name)["result"]
    assert "Training 2 of at most 4: AdaPU, round 2." in result
    assert "<i>" not in result
    worded.language = "zh"
    assert "第 2 次训练（最多 4 次）" in page.follow(worded, name)["result"]


def test_a_finished_run_can_serve_and_then_suggests(worded):
    name = begin(worded)["run"]
    finish(worded, name, added=[{"word": "周一", "type": "PER", "count": 3, "round": 1}])
    shown = page.follow(worded, name)
    assert shown["activate"]["visible"]
    assert "1 word was added to the list: 周一 (PER)." in shown["result"]
    served = page.activate(worded, name)
    assert projects.get(worded.workspace, worded.project_id).active_run == name
    assert "suggestions on the Annotate page" in served["message"]
    assert not served["activate"]["visible"]
    assert page.see(worded)["selected"] == "annotate"


def test_a_cancelled_run_is_resumable(worded):
    name = begin(worded)["run"]
    page.cancel(worded, name)
    folder = RunFolder(runs.get(worded.workspace, name).folder)
    assert folder.cancel_file.exists()
    folder.set_state(status="cancelled", pid=None)
    assert page.follow(worded, name)["resume"]["visible"]


def test_a_run_of_another_kind_or_project_is_not_taken(worded):
    other = runs.create(worded.workspace, projects.create(worded.workspace, "x").id, "pu")
    with pytest.raises(NotFound):
        page.follow(worded, other.name)
    with pytest.raises(AppError):
        page.activate(worded, None)
