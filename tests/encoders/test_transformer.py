"""The transformer encoder against plain ``AutoModel``, and against folders nobody should trust."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModel, AutoTokenizer, ViTConfig, ViTModel
from transformers.utils import logging

from core.encoders.transformer import EncoderError, TransformerEncoder
from tests.encoders.tiny_encoders import tiny_encoder

SIMBERT = Path(__file__).parents[3] / "shared" / "models" / "simbert-tiny-zh"
TEXT = "林晚晴在清河大学教书。"


@pytest.fixture
def folder(tmp_path):
    """A copy of a tiny BERT that a test may spoil."""
    return Path(shutil.copytree(tiny_encoder(), tmp_path / "encoder"))


def set_config(folder, **values):
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def edit_weights(folder, edit):
    path = folder / "model.safetensors"
    tensors = load_file(path)
    edit(tensors)
    save_file(tensors, path, {"format": "pt"})


def assert_states_are_automodels(name):
    encoder = TransformerEncoder.pretrained(name).eval()
    model = AutoModel.from_pretrained(name, attn_implementation="eager").eval()
    read = AutoTokenizer.from_pretrained(name)(TEXT, return_tensors="pt")
    with torch.no_grad():
        hidden = encoder(encoder.tokenize([TEXT]), need_weights=True)
        expected = model(**read, output_hidden_states=True, output_attentions=True)
    assert len(hidden.states) == encoder.layer_count + 1 == len(expected.hidden_states)
    for mine, theirs in zip(hidden.states, expected.hidden_states, strict=True):
        # [CLS], one piece for every Chinese character, [SEP]
        assert torch.allclose(mine[0], theirs[0, 1:-1], atol=1e-5)
    for mine, theirs in zip(hidden.attention, expected.attentions, strict=True):
        assert torch.allclose(mine, theirs, atol=1e-6)


def test_states_and_attention_are_automodels():
    assert_states_are_automodels(tiny_encoder())


@pytest.mark.skipif(
    not SIMBERT.is_dir(), reason="the optional model ../shared/models/simbert-tiny-zh is absent"
)
def test_a_published_chinese_encoder_gives_automodels_states():
    assert_states_are_automodels(str(SIMBERT))
    encoder = TransformerEncoder.pretrained(str(SIMBERT))
    assert (encoder.width, encoder.layer_count, encoder.window) == (312, 4, 512)


def test_texts_of_a_batch_do_not_depend_on_each_other():
    encoder = TransformerEncoder.pretrained(tiny_encoder()).eval()
    texts = [TEXT, "", "青岚", "  ", "Dr. Lin teaches."]
    with torch.no_grad():
        together = encoder(encoder.tokenize(texts)).states
        for row, text in enumerate(texts):
            alone = encoder(encoder.tokenize([text])).states
            for mine, theirs in zip(together, alone, strict=True):
                assert mine.shape == (len(texts), len(texts[4]), encoder.width)
                assert torch.allclose(mine[row, : len(text)], theirs[0], atol=1e-5)
                assert not mine[row, len(text) :].any()


def test_only_empty_texts_are_legal():
    encoder = TransformerEncoder.pretrained(tiny_encoder())
    hidden = encoder(encoder.tokenize(["", ""]), need_weights=True)
    assert [state.shape for state in hidden.states] == [(2, 0, encoder.width)] * (encoder.layer_count + 1)
    assert hidden.attention == ()


def test_a_long_text_reads_each_window_as_a_text_of_its_own():
    encoder = TransformerEncoder.pretrained(tiny_encoder(), window=16).eval()
    text = TEXT * 4
    pieces = encoder.tokenize([text])
    assert encoder.window == 16
    with torch.no_grad():
        whole = encoder(pieces).states[-1][0]
        read = set()
        for row in range(len(pieces.ids)):
            own = ~pieces.special[row] & pieces.mask[row]
            start, end = int(pieces.start[row][own].min()), int(pieces.end[row][own].max())
            alone = encoder(encoder.tokenize([text[start:end]])).states[-1][0]
            places = pieces.characters[0, :, 0]
            for character in (places // pieces.ids.shape[1] == row).nonzero().flatten().tolist():
                assert torch.allclose(whole[character], alone[character - start], atol=1e-5)
                read.add(character)
    assert read == set(range(len(text)))


def test_a_query_is_read_with_the_text_and_characters_are_the_texts():
    encoder = TransformerEncoder.pretrained(tiny_encoder()).eval()
    model = AutoModel.from_pretrained(tiny_encoder(), attn_implementation="eager").eval()
    encoding = AutoTokenizer.from_pretrained(tiny_encoder()).backend_tokenizer.encode("青岚市", TEXT)
    with torch.no_grad():
        hidden = encoder(encoder.tokenize([TEXT], ["青岚市"]))
        expected = model(
            input_ids=torch.tensor([encoding.ids]),
            token_type_ids=torch.tensor([encoding.type_ids]),
            attention_mask=torch.ones(1, len(encoding.ids), dtype=torch.long),
        ).last_hidden_state
    assert set(encoding.type_ids) == {0, 1}
    assert torch.allclose(hidden.states[-1][0], expected[0, 5:-1], atol=1e-5)


def test_structure_and_weights_apart_give_the_same_encoder(tmp_path):
    encoder = TransformerEncoder.pretrained(tiny_encoder()).eval()
    encoder.tokenize([TEXT * 50], ["青岚市"])  # leaves no trace in what is saved
    encoder.save_structure(tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json"}
    assert tiny_encoder() not in "".join(path.read_text() for path in tmp_path.iterdir())
    loaded = TransformerEncoder.factory(tmp_path)()
    loaded.load_state_dict(encoder.state_dict())
    with torch.no_grad():
        for mine, theirs in zip(
            encoder(encoder.tokenize([TEXT])).states,
            loaded.eval()(loaded.tokenize([TEXT])).states,
            strict=True,
        ):
            assert torch.equal(mine, theirs)
    loaded.save_structure(tmp_path / "again")
    for path in (tmp_path / "again").iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_shapes_can_be_asked_for_without_memory(tmp_path):
    encoder = TransformerEncoder.pretrained(tiny_encoder())
    encoder.save_structure(tmp_path)
    with torch.device("meta"):
        blank = TransformerEncoder.factory(tmp_path)()
    assert all(parameter.is_meta for parameter in blank.parameters())
    shapes = {name: value.shape for name, value in blank.state_dict().items()}
    assert shapes == {name: value.shape for name, value in encoder.state_dict().items()}


def test_pieces_are_spelt_for_figures():
    encoder = TransformerEncoder.pretrained(tiny_encoder())
    assert encoder.piece_texts(encoder.tokenize(["林a晚"])) == [["[CLS]", "林", "a", "晚", "[SEP]"]]


def test_the_lowest_layers_are_the_embeddings_and_what_follows():
    encoder = TransformerEncoder.pretrained(tiny_encoder())
    names = {id(parameter): name for name, parameter in encoder.model.named_parameters()}
    lowest = [names[id(parameter)] for parameter in encoder.lowest_weights(1)]
    assert {name for name in names.values() if name.startswith(("embeddings.", "encoder.layer.0."))} == set(
        lowest
    )
    assert all(name.startswith("embeddings.") for name in map(names.get, map(id, encoder.lowest_weights(0))))
    assert len(encoder.lowest_weights(2)) == len(names)
    with pytest.raises(EncoderError, match="has 2 layers, not 3"):
        encoder.lowest_weights(3)


def test_shared_layers_cannot_be_told_apart():
    encoder = TransformerEncoder.pretrained(tiny_encoder("albert", embedding_size=8))
    with pytest.raises(EncoderError, match="share their weights"):
        encoder.lowest_weights(1)


def test_neither_a_folder_nor_a_hub_name():
    with pytest.raises(EncoderError, match=r"no folder '\./nowhere'"):
        TransformerEncoder.pretrained("./nowhere")


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("We couldn't connect to 'https://huggingface.co' to load the files", "check the connection"),
        ("nobody/nothing is not a local folder and is not a valid model identifier", "check the spelling"),
    ],
)
def test_a_hub_that_does_not_answer_and_one_that_refuses(monkeypatch, raised, said):
    def fail(*_, **__):
        raise OSError(raised)

    monkeypatch.setattr(AutoConfig, "from_pretrained", fail)
    with pytest.raises(EncoderError, match=f"no folder 'nobody/nothing'.*{said}"):
        TransformerEncoder.pretrained("nobody/nothing")


def test_a_folder_without_a_config(tmp_path):
    with pytest.raises(EncoderError, match="cannot be read"):
        TransformerEncoder.pretrained(str(tmp_path))


def test_a_model_of_images_is_refused(tmp_path):
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    ViTModel(ViTConfig(**sizes)).save_pretrained(tmp_path)
    with pytest.raises(EncoderError, match="'vit' model reads no text"):
        TransformerEncoder.pretrained(str(tmp_path))


def test_a_model_that_wants_more_than_text_is_refused():
    with pytest.raises(EncoderError, match=r"cannot read text alone.*bbox"):
        TransformerEncoder.pretrained(tiny_encoder("bros"))


def test_a_model_without_a_tokenizer_file_is_refused(folder):
    (folder / "tokenizer.json").unlink()
    with pytest.raises(EncoderError, match="tokenizer"):
        TransformerEncoder.pretrained(str(folder))


def test_pickled_weights_are_never_read(folder):
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match="no safetensors weights"):
        TransformerEncoder.pretrained(str(folder))


def test_code_beside_a_model_is_never_run(folder):
    (folder / "modeling_own.py").write_text(f"open({str(folder / 'ran')!r}, 'w')\n")
    own = {"AutoConfig": "modeling_own.OwnConfig", "AutoModel": "modeling_own.Own"}
    set_config(folder, auto_map=own, model_type="own")
    with pytest.raises(EncoderError, match="code of its own, which is never run"):
        TransformerEncoder.pretrained(str(folder))
    set_config(folder, model_type="bert")
    TransformerEncoder.pretrained(str(folder))
    assert not (folder / "ran").exists()


def test_weights_that_lack_a_part_are_refused(folder):
    edit_weights(folder, lambda tensors: tensors.pop("encoder.layer.1.output.dense.weight"))
    with pytest.raises(EncoderError, match=r"lack encoder\.layer\.1\.output\.dense\.weight"):
        TransformerEncoder.pretrained(str(folder))


def test_weights_of_another_shape_are_refused(folder):
    set_config(folder, intermediate_size=12)
    with pytest.raises(EncoderError, match="cannot be read"):
        TransformerEncoder.pretrained(str(folder))


def test_a_tokenizer_of_another_model_is_refused(folder):
    edit_weights(
        folder, lambda tensors: tensors.update(shorter(tensors, "embeddings.word_embeddings.weight", 100))
    )
    set_config(folder, vocab_size=100)
    with pytest.raises(EncoderError, match="not of one model"):
        TransformerEncoder.pretrained(str(folder))


def shorter(tensors, name, rows):
    return {name: tensors[name][:rows].clone()}


def test_quantised_models_are_refused(folder):
    set_config(folder, quantization_config={"quant_method": "bitsandbytes", "load_in_4bit": True})
    with pytest.raises(EncoderError, match="quantised"):
        TransformerEncoder.pretrained(str(folder))


@pytest.mark.parametrize("sizes", [{"num_hidden_layers": 10**9}, {"vocab_size": 10**12}])
def test_sizes_no_encoder_has_are_refused_before_anything_is_built(folder, sizes):
    set_config(folder, **sizes)
    with pytest.raises(EncoderError, match=next(iter(sizes))):
        TransformerEncoder.factory(folder)()


def test_a_missing_structure_says_so(tmp_path):
    with pytest.raises(EncoderError, match="no encoder folder"):
        TransformerEncoder.factory(tmp_path / "gone")()


def test_a_window_without_room_is_refused():
    with pytest.raises(EncoderError, match="at least 16 are needed"):
        TransformerEncoder.pretrained(tiny_encoder(), window=8)


def test_reading_an_encoder_leaves_transformers_as_talkative_as_it_was(folder):
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    TransformerEncoder.pretrained(str(folder))
    assert before == (logging.get_verbosity(), logging.is_progress_bar_enabled())


@pytest.mark.exhaustive
def test_taggers_without_a_transformer_start_without_the_library():
    script = "from core.taggers.base.registry import available; available(); import sys; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "torch" in ran.stdout.split()
    assert "transformers" not in ran.stdout.split()
