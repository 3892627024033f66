"""What a person may name in an option, where others can open the app."""

import os
from dataclasses import replace

import pytest
from gradio.utils import get_upload_folder

from app.services.errors import AppError, sentence
from app.services.hosting import FilePolicy
from app.services.named_files import MOST_ENTRIES, NO_FILES
from app.services.training import pretraining, search
from app.services.training.training_runs import Plan, named_config, start
from core.store.project import projects
from core.store.run import runs
from core.taggers.base.config_fields import config_fields
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

SECRET = "root:x:0:0 the content of a file of the server"
VECTORS = "张 0.1 0.2\n"


@pytest.fixture
def allowed(tmp_path):
    folder = tmp_path / "allowed"
    folder.mkdir()
    (folder / "own.vec").write_text(VECTORS, encoding="utf-8")
    return folder.resolve()


@pytest.fixture
def guest(filled, no_worker, allowed):
    """The session of an app that others reach; its operator allows one folder."""
    filled.workbench.files = FilePolicy(anywhere=False, folders=(allowed,))
    return filled


def named(session, value, tagger="flat", field="word_vectors"):
    return named_config(session.workbench, session.project_id, tagger, {field: str(value)})[field]


def refusal(session, value, **where):
    with pytest.raises(AppError) as refused:
        named(session, value, **where)
    return str(refused.value)


@pytest.fixture
def closed(tmp_path, allowed):
    """Everything that must be refused, by what it is."""
    secret = tmp_path / "secret.vec"
    secret.write_text(SECRET, encoding="utf-8")
    (allowed / "link").symlink_to(secret)
    (allowed / "loop").symlink_to(allowed / "loop")
    (allowed / "folders").symlink_to(tmp_path)
    os.mkfifo(allowed / "pipe")
    beside = tmp_path / "allowed-not"
    beside.mkdir()
    (beside / "x.vec").write_text(SECRET, encoding="utf-8")
    return {
        "a file of the server": secret,
        "one that is not there": tmp_path / "nothing.vec",
        "a link that leads out": allowed / "link",
        "a loop of links": allowed / "loop",
        "a folder's link that leads out": allowed / "folders" / "secret.vec",
        "a way up": allowed / ".." / "secret.vec",
        "a pipe": allowed / "pipe",
        "a device": "/dev/zero",
        "what the process has open": "/proc/self/environ",
        "a name that begins alike": beside / "x.vec",
        "no name of a file": "a\0b",
        "a long name": "a" * 5000,
    }


def test_what_is_refused_is_refused_in_the_same_words_whether_it_exists_or_not(guest, closed):
    said = set()
    for what, value in closed.items():
        message = refusal(guest, value)
        assert SECRET[:8] not in message, what
        said.add(message.replace(repr(str(value)[:60]), "VALUE"))
    assert len(said) == 1, said
    assert "is not a file you may name here" in said.pop()


def test_it_is_said_in_chinese_with_the_field_by_its_label_and_the_way_out(guest, allowed):
    with pytest.raises(AppError) as refused:
        named(guest, "/etc/passwd")
    chinese = sentence(refused.value, "zh")
    assert str(allowed) in chinese
    assert "word_vectors" not in chinese
    guest.workbench.files = FilePolicy(anywhere=False)
    assert "--allow-path" in refusal(guest, "/etc/passwd")


def test_a_file_of_an_allowed_folder_becomes_its_real_path(guest, allowed):
    assert named(guest, allowed / "own.vec") == str(allowed / "own.vec")
    (allowed / "alias.vec").symlink_to(allowed / "own.vec")
    assert named(guest, allowed / "alias.vec") == str(allowed / "own.vec"), (
        "what is opened is what was checked"
    )


def test_an_upload_may_be_named_and_the_folder_of_all_uploads_not(guest, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    place = tmp_path / "uploads" / ("a" * 64)
    place.mkdir(parents=True)
    (place / "mine.vec").write_text(VECTORS, encoding="utf-8")
    assert get_upload_folder() == str(tmp_path / "uploads")
    assert named(guest, place / "mine.vec") == str((place / "mine.vec").resolve())
    refusal(guest, tmp_path / "uploads", tagger="bert", field="encoder")


def test_a_result_of_the_project_may_be_named_and_that_of_another_not(guest):
    other = projects.create(guest.workspace, "other").id
    for project, may in ((guest.project_id, True), (other, False)):
        folder = guest.workbench.jobs.new_folder("pretrain")
        folder.write_request(RunRequest(kind="pretrain", method="vectors", name="v", project=project))
        folder.model.mkdir()
        file = folder.model / "words.vec"
        file.write_text(VECTORS, encoding="utf-8")
        if may:
            assert named(guest, file) == str(file.resolve())
        else:
            refusal(guest, file)
    run = runs.create(guest.workspace, other, "flat")
    refusal(guest, run.folder, field="encoder")


def test_the_database_and_the_runs_of_the_workspace_are_no_results(guest):
    refusal(guest, guest.workspace.file)
    refusal(guest, guest.workspace.runs_folder, field="encoder")


@pytest.mark.parametrize("spoil", ["link", "folder", "pipe", "many"])
def test_a_folder_that_holds_more_than_its_own_files_is_refused(guest, allowed, tmp_path, monkeypatch, spoil):
    model = allowed / "model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    assert named(guest, model, field="encoder") == str(model)
    if spoil == "link":
        (tmp_path / "weights").write_text(SECRET)
        (model / "model.safetensors").symlink_to(tmp_path / "weights")
    elif spoil == "folder":
        (model / "sub").symlink_to(tmp_path)
    elif spoil == "pipe":
        os.mkfifo(model / "tokenizer.json")
    else:
        monkeypatch.setattr("app.services.named_files.MOST_ENTRIES", 0)
        assert MOST_ENTRIES > 100
    refusal(guest, model, field="encoder")


def test_the_hub_may_be_named_but_no_folder_that_is_called_alike(guest, tmp_path, monkeypatch):
    assert named(guest, "google-bert/bert-base-chinese", "bert", "encoder") == "google-bert/bert-base-chinese"
    (tmp_path / "secret" / "model").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    refusal(guest, "secret/model", tagger="bert", field="encoder")
    refusal(guest, "secret/model")
    refusal(guest, "google-bert/bert-base-chinese")


@pytest.mark.parametrize("options", ["word_vectors={file}", '{{"word_vectors": "{file}"}}'])
def test_a_tagger_inside_another_is_asked_too(guest, allowed, tmp_path, options):
    (tmp_path / "secret.vec").write_text(SECRET)
    (allowed / "link.vec").symlink_to(allowed / "own.vec")

    def over(file):
        values = {"over": "flat", "over_options": options.format(file=file)}
        return named_config(guest.workbench, guest.project_id, "pu", values)

    assert over(allowed / "own.vec")["over_options"] == options.format(file=allowed / "own.vec")
    for closed_one in (tmp_path / "secret.vec", allowed / "link.vec"):
        with pytest.raises(AppError, match="may name here"):
            over(closed_one)


def test_every_way_to_a_job_asks(guest, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    before = sorted(guest.workspace.runs_folder.glob("*"))
    for begin in (
        lambda: start(guest, Plan("flat", {"word_vectors": str(secret)}, {})),
        lambda: start(guest, Plan("elmo_crf", {"encoder": str(secret)}, {})),
        lambda: pretraining.start_pretraining(guest, "mlm", "m", {"encoder": str(secret)}),
        lambda: pretraining.start_pretraining(guest, "bilm", "b", {"start": str(secret)}),
        lambda: search.start_search(guest, 5, ["bert"], str(secret)),
    ):
        with pytest.raises(AppError, match="may name here"):
            begin()
    assert sorted(guest.workspace.runs_folder.glob("*")) == before, "nothing is begun"


def test_what_was_named_is_what_the_worker_opens(guest, allowed):
    (allowed / "alias.vec").symlink_to(allowed / "own.vec")
    run = start(guest, Plan("flat", {"word_vectors": str(allowed / "alias.vec")}, {}))
    assert RunFolder(run.folder).read_request().config == {"word_vectors": str(allowed / "own.vec")}


def test_one_person_alone_names_what_they_like(filled, tmp_path):
    (tmp_path / "mine.vec").write_text(VECTORS, encoding="utf-8")
    (tmp_path / "link.vec").symlink_to(tmp_path / "mine.vec")
    assert named(filled, tmp_path / "link.vec") == str(tmp_path / "link.vec")


def test_an_option_of_free_text_is_closed_until_it_is_declared_to_name_no_file():
    from core.learning.pretraining.pretraining import CONFIGS
    from core.learning.search.settings import SearchSettings
    from core.taggers.base.registry import available, by_name

    every = [by_name(name).Config for name in available()] + [SearchSettings]
    every += [config for configs in CONFIGS.values() for config in configs]
    free = {
        field.name
        for config in every
        for field in config_fields(config)
        if field.type is str and not field.choices
    }
    assert free - NO_FILES == {"encoder", "char_vectors", "bigram_vectors", "word_vectors", "start"}


def test_the_policy_of_a_demo_is_its_own(guest, allowed):
    from app.services.limits.table import Limits

    guest.workbench.files = replace(guest.workbench.files, anywhere=True)
    guest.workbench.limits = Limits()
    with pytest.raises(AppError, match="demo"):
        named(guest, allowed / "own.vec")
