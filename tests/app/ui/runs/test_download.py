"""A run leaves the Train page as a ZIP for another program."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from app.i18n import text
from app.services.errors import AppError
from app.ui.runs import download
from core.export.errors import ExportError
from core.store.project import members
from core.store.project.members import NotAllowed
from core.store.run import runs
from core.training.run.run_folder import RunFolder
from tests.taggers.small_taggers import small_tagger


def quiet(done, total):
    """Progress that nobody follows."""


def finished(session, name="bert"):
    run = runs.create(session.workspace, session.project_id, name)
    small_tagger(name).save(RunFolder(run.folder).model)
    return runs.set_status(session.workspace, run.name, "finished", {})


def files_of(shown):
    path = Path(shown["value"])
    with zipfile.ZipFile(path) as packed:
        return path, {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("transformers", {"model.safetensors", "tokenizer.json", "latticelens_pipeline.py", "README.md"}),
        ("latticelens", {"model.safetensors", "config.json", "README.md"}),
    ],
)
def test_the_model_comes_with_its_card(session, target, expected):
    run = finished(session)
    path, files = files_of(download.write(session, quiet, run.name, target, " cc-by-4.0 "))
    assert path.name == f"{run.title}-{target}.zip"
    assert expected <= set(files)
    assert b"license: cc-by-4.0" in files["README.md"]
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.exhaustive
def test_a_graph_can_be_downloaded(session):
    pytest.importorskip("onnxruntime")
    _, files = files_of(download.write(session, quiet, finished(session, "bilstm_crf").name, "onnx", ""))
    assert json.loads(io.BytesIO(files["onnx.json"]).read())["tagger"] == "bilstm_crf"


def test_a_tagger_that_cannot_leave_is_named_in_the_language_of_the_page(session):
    with pytest.raises(ExportError) as refused:
        download.write(session, quiet, finished(session, "bilstm_crf").name, "transformers", "")
    assert text(refused.value.message, "zh").startswith("BiLSTM-CRF 无法成为 transformers 的模型")


@pytest.mark.parametrize(("target", "licence"), [("pickle", ""), ("onnx", "my own licence")])
def test_what_no_page_of_ours_sends_is_refused(session, target, licence):
    with pytest.raises((AppError, ExportError)):
        download.write(session, quiet, finished(session).name, target, licence)


def test_a_run_without_a_model_is_refused(session):
    run = runs.create(session.workspace, session.project_id, "flat")
    with pytest.raises(AppError, match="no model yet"):
        download.write(session, quiet, run.name, "onnx", "")
    with pytest.raises(AppError, match="Choose a run"):
        download.write(session, quiet, None, "onnx", "")


def test_who_may_not_export_may_not_download(session):
    run = finished(session)
    members.put(session.workspace, session.project_id, "lin", "manager", by="lin")
    members.put(session.workspace, session.project_id, "wang", "annotator", by="lin")
    session.user = "wang"
    with pytest.raises(NotAllowed):
        download.write(session, quiet, run.name, "latticelens", "")


def test_another_choice_takes_the_file_back(session):
    assert download.forget(session) == {"value": None, "visible": False, "__type__": "update"}
