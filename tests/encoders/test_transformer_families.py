"""Every family of text encoders in transformers, each as a tiny one with random weights."""

import inspect

import pytest
import torch
import transformers
from tokenizers import Tokenizer
from transformers import CONFIG_MAPPING, MODEL_MAPPING, AutoModel, PreTrainedTokenizerFast
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

from core.encoders.transformer import TransformerEncoder
from core.encoders.transformer_files import build_encoder
from tests.encoders.test_word_pieces import naive_places
from tests.encoders.tiny_encoders import TOKENIZERS, tiny_config, tiny_encoder, word_piece
from tests.sweep import sweep

# The families people name most: which tokenizer is theirs, and what no general size says.
FAMILIES = {
    "bert": ("word_piece", {}),
    "roberta": ("byte_pairs", {}),
    "albert": ("sentence_pieces", {"embedding_size": 8}),
    "electra": ("word_piece", {"embedding_size": 8}),
    "ernie": ("word_piece", {"use_task_id": True, "task_type_vocab_size": 2}),
    "mpnet": ("word_piece", {}),
    "xlnet": ("sentence_pieces", {}),
    "deberta": ("byte_pairs", {"relative_attention": True, "pos_att_type": "c2p|p2c"}),
    "deberta-v2": ("sentence_pieces", {"relative_attention": True, "pos_att_type": "c2p|p2c"}),
    "distilbert": ("word_piece", {}),
    "modernbert": ("byte_pairs", {}),
    "gpt2": ("byte_pairs", {}),
    "t5": ("sentence_pieces", {}),
    "bart": ("byte_pairs", {}),
}
TEXTS = ["林晚晴在清河大学 teaches，𠮷😀。", "青", "", "Dr. Lin  rows"]

_LATENT = {"qk_rope_head_dim": 4, "qk_nope_head_dim": 4, "v_head_dim": 8, "q_lora_rank": 8, "kv_lora_rank": 8}
_LATENT_EXPERTS = {**_LATENT, "head_dim": 4}
_STATE_SPACE = {"mamba_n_heads": 4, "mamba_d_head": 8, "mamba_n_groups": 1, "mamba_d_state": 4}
_LINEAR_ATTENTION = {
    "num_heads": 2,
    "head_dim": 8,
    "kda_layers": [1],
    "full_attn_layers": [2],
    "short_conv_kernel_size": 4,
}
# What the other families need besides the sizes of ``tiny_encoders.SIZES``.
OPTIONS = {
    "axk1": _LATENT_EXPERTS,
    "bamba": _STATE_SPACE,
    "codegen": {"num_attention_heads": 4, "rotary_dim": 4},
    "dbrx": {
        "attn_config": {"kv_n_heads": 2, "rope_theta": 1e4, "clip_qkv": 8},
        "ffn_config": {"ffn_hidden_size": 24, "moe_num_experts": 2, "moe_top_k": 1},
    },
    "deepseek_v3": _LATENT_EXPERTS,
    "falcon_h1": {**_STATE_SPACE, "mamba_n_heads": 2, "mamba_d_ssm": 16},
    "gemma4_text": {"vocab_size_per_layer_input": 320, "hidden_size_per_layer_input": 4},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "gptj": {"rotary_dim": 4},
    "granitemoehybrid": _STATE_SPACE,
    "kimi_linear": {"linear_attn_config": _LINEAR_ATTENTION},
    "layoutlmv3": {"coordinate_size": 2, "shape_size": 4, "visual_embed": False},
    "lfm2_moe": {"layer_types": ["full_attention", "conv"], "num_dense_layers": 1},
    "lilt": {"hidden_size": 24, "channel_shrink_ratio": 2},
    "luke": {"entity_vocab_size": 10, "entity_emb_size": 8},
    "mamba2": {"num_heads": 4, "head_dim": 8, "n_groups": 1, "state_size": 4, "expand": 2},
    "mistral4": _LATENT_EXPERTS,
    "xmod": {"default_language": "en_XX", "languages": ["en_XX"]},
    "youtu": _LATENT_EXPERTS,
    "zamba": {"num_hidden_layers": 3, "layers_block_type": ["mamba", "hybrid", "hybrid"]},
    "zamba2": {"layers_block_type": ["mamba", "hybrid"]},
}
MORE_THAN_TEXT = "reads images, sound or boxes and does not do without"
STREAMS = "keeps several states for one piece, or fewer states than layers"
POOLS = "its layers read blocks of fixed length, or fewer and fewer pieces"
NO_PIECES = "has no fast tokenizer in transformers: it reads bytes, languages or phonemes of its own"
COORDINATES = "the text half of an image model: its rotary sections are coordinates of images"
BROKEN = "cannot be built, or run on text, in transformers 5.23"
# Why a family that takes input_ids is not run here.
SKIPPED = {
    **dict.fromkeys(("bros", "layoutlmv2", "lxmert", "udop", "vilt"), MORE_THAN_TEXT),
    **dict.fromkeys(("fastspeech2_conformer", "higgs_audio_v2", "vits"), MORE_THAN_TEXT),
    **dict.fromkeys(("deepseek_v4", "glm5_next_text", "hy_v4", "qwen4_exp_text"), STREAMS),
    **dict.fromkeys(("gemma3n_text", "embedding_gemma2_text"), STREAMS),
    **dict.fromkeys(("funnel", "reformer"), POOLS),
    **dict.fromkeys(("canine", "cpmant", "fsmt"), NO_PIECES),
    **dict.fromkeys(("glm4v_moe_text", "glm4v_text", "glm_image_text", "glm_ocr_text"), COORDINATES),
    **dict.fromkeys(("hunyuan_vl_text", "neomme", "qwen2_5_vl_text", "qwen2_vl_text"), COORDINATES),
    **dict.fromkeys(("cohere_compass_text", "cosmos3_edge_text"), COORDINATES),
    **dict.fromkeys(("higgs_audio_v2_tokenizer", "voxtral_realtime_text"), BROKEN),
    **dict.fromkeys(("longcat_flash", "mimo_v2_flash", "sam3_lite_text_text_model"), BROKEN),
}
# Configs made of others are those of images or sound beside text, but for these.
TEXT_THOUGH_COMPOSED = {"dbrx", "esm", "mpt"}
SWEPT_WITH = "5.23."


def by_hand(model, tokenizer, text):
    """Every state of every character of one text: the mean over the rows of its pieces."""
    encoding = tokenizer.encode(text)
    reader = model.get_encoder() if model.config.is_encoder_decoder else model
    inputs = {"input_ids": torch.tensor([encoding.ids])}
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    types = 3 if model.config.model_type == "xlnet" else getattr(model.config, "type_vocab_size", 0)
    if types > 1:
        inputs["token_type_ids"] = torch.tensor([encoding.type_ids]).clamp(max=types - 1)
    output = reader(**inputs, output_hidden_states=True)
    states = [*output.hidden_states[:-1], output.last_hidden_state]
    places = naive_places(encoding, text)
    return [torch.stack([state[0, found].mean(0) for found in places]) for state in states]


@pytest.fixture(scope="module", params=sweep(FAMILIES, ["bert", "xlnet", "deberta-v2", "t5"]))
def family(request):
    """(its folder, the encoder read from it)."""
    tokenizer, options = FAMILIES[request.param]
    folder = tiny_encoder(request.param, tokenizer, **options)
    return folder, TransformerEncoder.pretrained(folder).eval()


def test_a_known_family_gives_automodels_states(family):
    folder, encoder = family
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        states = encoder(encoder.tokenize(TEXTS), need_weights=True).states
        for row, text in enumerate(TEXTS):
            if not text:
                continue
            expected = by_hand(model, tokenizer, text)
            assert len(states) == len(expected) == encoder.layer_count + 1
            for mine, theirs in zip(states, expected, strict=True):
                assert torch.allclose(mine[row, : len(text)], theirs, atol=1e-4)
                assert not mine[row, len(text) :].any()


def test_a_known_family_gives_its_attention(family):
    _, encoder = family
    with torch.no_grad():
        hidden = encoder(encoder.tokenize(TEXTS[:2]), need_weights=True)
    assert len(hidden.attention) == encoder.layer_count
    for weights in hidden.attention:
        length = hidden.pieces.ids.shape[1]
        assert weights.shape == (2, 2, length, length)
        assert torch.allclose(weights[hidden.pieces.mask[:, None].expand(-1, 2, -1)].sum(-1), torch.ones(()))


def test_a_known_family_is_saved_and_built_again(family, tmp_path):
    _, encoder = family
    encoder.save_structure(tmp_path)
    with torch.device("meta"):
        blank = TransformerEncoder.factory(tmp_path)()
    assert {name: value.shape for name, value in blank.state_dict().items()} == {
        name: value.shape for name, value in encoder.state_dict().items()
    }
    loaded = TransformerEncoder.factory(tmp_path)()
    loaded.load_state_dict(encoder.state_dict())
    with torch.no_grad():
        for mine, theirs in zip(
            loaded.eval()(loaded.tokenize(TEXTS)).states, encoder(encoder.tokenize(TEXTS)).states, strict=True
        ):
            assert torch.equal(mine, theirs)


def test_a_known_family_learns(family):
    _, encoder = family
    encoder.zero_grad()
    sum(state.pow(2).sum() for state in encoder(encoder.tokenize(TEXTS)).states).backward()
    still = {name for name, parameter in encoder.named_parameters() if parameter.grad is None}
    assert still <= {"model.mask_emb"}  # XLNet's, for words to be guessed in pretraining
    encoder.zero_grad()


def test_a_known_family_reads_long_texts_in_windows(family):
    _, encoder = family
    text = "林晚晴在清河大学 teaches。" * 15
    pieces = encoder.tokenize([text])
    assert pieces.ids.shape[1] <= encoder.window
    assert len(pieces.ids) > 1 or encoder.window >= 512
    with torch.no_grad():
        state = encoder(pieces).states[-1][0]
    assert state.shape == (len(text), encoder.width)
    assert state.abs().sum(-1).all()


def text_families():
    """Families whose model takes ``input_ids``, with its class."""
    for name in MODEL_MAPPING_NAMES:
        if name in SKIPPED:
            continue
        config = CONFIG_MAPPING[name]
        model = MODEL_MAPPING[config]
        model = model[0] if isinstance(model, (list, tuple)) else model
        composed = bool(getattr(config, "sub_configs", None)) and name not in TEXT_THOUGH_COMPOSED
        if "input_ids" in inspect.signature(model.forward).parameters and not composed:
            yield name


@torch.no_grad()
def failure(name: str, tokenizer: PreTrainedTokenizerFast) -> str | None:
    """What is wrong with this family: it cannot be built, or padding reaches a character."""
    torch.manual_seed(0)
    try:
        config = tiny_config(name, **OPTIONS.get(name, {}))
        encoder = TransformerEncoder(build_encoder(config, name), tokenizer).eval()
        together = encoder(encoder.tokenize(["林晚晴", "清河大学a晚晴在"])).states
        alone = encoder(encoder.tokenize(["林晚晴"])).states
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    for mine, theirs in zip(together, alone, strict=True):
        if not torch.allclose(mine[0, :3], theirs[0], atol=1e-4):
            return "padding changes its states"
    return None if together[-1][0, :3].std() > 1e-6 else "its states say nothing"


@pytest.mark.exhaustive
def test_every_other_text_encoder_of_transformers():
    tokenizer = word_piece()
    wrong = {name: said for name in text_families() if (said := failure(name, tokenizer)) is not None}
    if wrong and not transformers.__version__.startswith(SWEPT_WITH):
        pytest.skip(f"families not looked at yet in transformers {transformers.__version__}: {sorted(wrong)}")
    assert wrong == {}


def test_the_tables_name_families_there_are():
    if not transformers.__version__.startswith(SWEPT_WITH):
        pytest.skip(f"the tables are those of transformers {SWEPT_WITH}x")
    assert {*FAMILIES, *OPTIONS, *SKIPPED, *TEXT_THOUGH_COMPOSED} <= set(MODEL_MAPPING_NAMES)
    assert {name for name, _ in FAMILIES.values()} == set(TOKENIZERS)
