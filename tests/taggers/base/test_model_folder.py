"""A model folder is refused by name when a file is missing, damaged, of another model or hostile."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from core.taggers.base.model_folder import load_tagger, read_header
from core.taggers.base.tagger import ModelFolderError
from tests.taggers.small_flat import DOCUMENTS, LABELS, small_flat

FILES = (
    "config.json",
    "vocabulary.json",
    "model.safetensors",
    "lexicon/lexicon.json",
    "lexicon/words.tsv.gz",
)


@pytest.fixture
def folder(tmp_path):
    small_flat().save(tmp_path / "model")
    return tmp_path / "model"


def rewrite(path, change):
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def test_the_tagger_is_found_by_the_name_in_its_folder(folder):
    tagger = load_tagger(folder)
    assert (tagger.name, tagger.labels, tagger.training) == ("flat", LABELS, False)
    assert tagger.decode(tagger.collate(DOCUMENTS)) == small_flat().eval().decode(tagger.collate(DOCUMENTS))


def test_a_folder_holds_nothing_but_plain_files(folder):
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert found == sorted(FILES)


def test_loading_draws_no_random_number(folder):
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    load_tagger(folder)
    assert torch.equal(torch.rand(3), expected)


def test_saving_over_a_model_replaces_it(folder):
    other = small_flat(seed=9).eval()
    other.save(folder)
    assert load_tagger(folder).decode(other.collate(DOCUMENTS)) == other.decode(other.collate(DOCUMENTS))


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named_with_the_way_out(folder, name):
    (folder / name).unlink()
    with pytest.raises(ModelFolderError, match=rf"{name.split('/')[-1]}.*(again|missing)"):
        load_tagger(folder)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ModelFolderError, match=r"there is no model folder .*nowhere"):
        load_tagger(tmp_path / "nowhere")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
def test_a_cut_off_file_is_named(folder, name, share):
    path = folder / name
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(ModelFolderError, match=name.split("/")[-1]):
        load_tagger(folder)


@pytest.mark.parametrize("name", FILES)
def test_bytes_that_mean_nothing_are_refused(folder, name):
    (folder / name).write_bytes(b"\xff\x00\x93" * 400)
    with pytest.raises(ModelFolderError, match=name.split("/")[-1]):
        load_tagger(folder)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("format", 2, "format 1"),
        ("format", None, "format 1"),
        ("tagger", "flatt", "there is no tagger 'flatt'; there are: .*flat"),
        ("tagger", "../flat", "there is no tagger"),
        ("tagger", ["flat"], "'tagger'"),
        ("labels", "PER", "'labels'"),
        ("labels", ["PER", 3, "LOC"], "'labels'"),
        ("labels", ["PER", "PER", "LOC"], "listed twice"),
        ("given", ["unit"], "options of 'config'"),
        ("given", {"units": "auto"}, "options of 'config'"),
        ("config", [], "'config'"),
        ("usual_length", 0, "'usual_length'"),
        ("usual_length", True, "'usual_length'"),
        ("usual_length", "45", "'usual_length'"),
    ],
)
def test_a_hostile_header_is_refused(folder, field, value, reason):
    rewrite(folder / "config.json", lambda header: header.update({field: value}))
    with pytest.raises(ModelFolderError, match=rf"config\.json.*{reason}"):
        load_tagger(folder)


def test_the_length_of_the_texts_it_learned_from_is_kept(folder):
    assert load_tagger(folder).usual_length is None
    rewrite(folder / "config.json", lambda header: header.update(usual_length=45))
    tagger = load_tagger(folder)
    assert tagger.usual_length == read_header(folder).usual_length == 45
    tagger.save(folder.parent / "again")
    assert read_header(folder.parent / "again").usual_length == 45


def test_a_header_from_before_what_was_given_was_kept_is_read(folder):
    rewrite(folder / "config.json", lambda header: header.pop("given"))
    assert load_tagger(folder).given == {}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("layers", 10**9),
        ("layers", "2"),
        ("layers", 2.0),
        ("layers", True),
        ("hidden", -12),
        ("hidden", 13),
        ("scale", 1),
        ("scheme", "BIO"),
        ("char_vectors", ["/etc/passwd"]),
        ("output_dropout", float("nan")),
        ("__class__", "x"),
        ("labels", []),
    ],
)
def test_a_hostile_config_is_refused_naming_the_field(folder, field, value):
    rewrite(folder / "config.json", lambda header: header["config"].update({field: value}))
    with pytest.raises(ModelFolderError, match=rf"config\.json.*{field}"):
        load_tagger(folder)


def test_vector_paths_in_a_config_are_not_read_again(folder):
    rewrite(
        folder / "config.json", lambda header: header["config"].update({"char_vectors": "/nowhere/x.vec"})
    )
    assert load_tagger(folder).config.char_vectors == "/nowhere/x.vec"


@pytest.mark.parametrize(
    "change",
    [
        lambda tables: tables.pop("words"),
        lambda tables: tables.update(more={"dimension": 2, "tokens": []}),
        lambda tables: tables["words"].update(dimension=10**9),
        lambda tables: tables["words"].update(dimension="6"),
        lambda tables: tables["words"].update(tokens=["a", "a"]),
        lambda tables: tables["words"].update(tokens=[1]),
        lambda tables: tables.update(words=None),
    ],
)
def test_a_malformed_vocabulary_is_refused(folder, change):
    rewrite(folder / "vocabulary.json", change)
    with pytest.raises(ModelFolderError, match=r"vocabulary\.json"):
        load_tagger(folder)


def test_a_vocabulary_of_another_model_is_refused_before_memory_is_taken(folder):
    rewrite(folder / "vocabulary.json", lambda tables: tables["words"]["tokens"].append("多"))
    with pytest.raises(ModelFolderError, match=r"words\.table\.weight has shape"):
        load_tagger(folder)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t.pop("crf.transitions"), "has no tensor crf.transitions"),
        (lambda t: t.update(extra=torch.zeros(1)), "a tensor too many: extra"),
        (lambda t: t.update({"emission.bias": torch.zeros(3)}), "emission.bias has shape"),
        (lambda t: t["emission.bias"].fill_(float("nan")), "emission.bias holds values that are no finite"),
        (lambda t: t.update({"emission.bias": t["emission.bias"].long()}), "emission.bias holds values"),
    ],
)
def test_tensors_of_another_model_are_refused(folder, change, reason):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(ModelFolderError, match=reason):
        load_tagger(folder)
