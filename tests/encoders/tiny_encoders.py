"""Transformers of a few units with random weights, as folders, and tokenizers made in memory."""

import tempfile
from functools import lru_cache
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import CONFIG_MAPPING, AutoModel, PreTrainedTokenizerFast

TEXTS = (
    "林晚晴在清河大学教书，周末去白石湖划船。",
    "星野机器人公司上周在青岚市开了新店。",
    "Dr. Lin teaches at Qinghe University; she rows on White Stone Lake.",
    "0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ !?()[]",
)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAIR = {"single": "[CLS] $A [SEP]", "pair": "[CLS] $A [SEP] $B:1 [SEP]:1"}


def word_piece() -> PreTrainedTokenizerFast:
    """As BERT's: control characters dropped, a piece for every Chinese character, lower case."""
    letters = sorted({letter for text in TEXTS for letter in text.lower() if not letter.isspace()})
    pieces = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters if letter.isalnum()), "lin", "lake"]
    tokenizer = Tokenizer(
        models.WordPiece({piece: row for row, piece in enumerate(pieces)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        **PAIR, special_tokens=[("[CLS]", SPECIAL.index("[CLS]")), ("[SEP]", SPECIAL.index("[SEP]"))]
    )
    return _wrapped(tokenizer)


def byte_pairs() -> PreTrainedTokenizerFast:
    """As GPT-2's and RoBERTa's: bytes joined to pieces, so that a Chinese character may be three of them."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return _wrapped(tokenizer)


def sentence_pieces() -> PreTrainedTokenizerFast:
    """As XLNet's and T5's: a blank is part of the piece behind it, and the special pieces come last."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=200, special_tokens=list(SPECIAL), unk_token="[UNK]", show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [SEP] [CLS]:2",
        pair="$A [SEP] $B:1 [SEP]:1 [CLS]:2",
        special_tokens=[("[CLS]", SPECIAL.index("[CLS]")), ("[SEP]", SPECIAL.index("[SEP]"))],
    )
    return _wrapped(tokenizer)


TOKENIZERS = {"word_piece": word_piece, "byte_pairs": byte_pairs, "sentence_pieces": sentence_pieces}
ROWS = 320  # of every tiny encoder: more than any of the vocabularies has
# Sizes by the names they go under; a family takes those its config knows.
SIZES = {
    **dict.fromkeys(
        ("hidden_size", "d_model", "n_embd", "dim", "emb_dim", "embed_dim", "embedding_size"), 16
    ),
    **dict.fromkeys(("intermediate_size", "hidden_dim", "d_ff", "ffn_dim", "n_inner", "d_inner"), 24),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim"), 24),
    **dict.fromkeys(("num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers"), 2),
    **dict.fromkeys(("decoder_layers", "num_decoder_layers"), 1),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"), 2),
    **dict.fromkeys(("decoder_attention_heads", "num_key_value_heads", "num_kv_heads"), 2),
    **dict.fromkeys(("head_dim", "d_kv", "d_head"), 8),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts"), 2),
    **dict.fromkeys(("num_experts_per_tok", "n_shared_experts", "n_group", "topk_group"), 1),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size"), 8),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "n_ctx"), 64),
    "vocab_size": ROWS,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def tiny_config(family: str, **options):
    """A config of this family, two layers of width 16; ``options`` say what no general size does."""
    kind = CONFIG_MAPPING[family]
    known = {*kind().to_dict(), *kind.attribute_map}
    return kind(**{**{name: size for name, size in SIZES.items() if name in known}, **options})


def tiny_model(family: str, seed: int = 0, **options):
    """A whole model of this family as ``AutoModel`` builds it."""
    torch.manual_seed(seed)
    return AutoModel.from_config(tiny_config(family, **options), attn_implementation="eager").eval()


_FOLDERS = tempfile.TemporaryDirectory()


@lru_cache
def tiny_encoder(family: str = "bert", tokenizer: str = "word_piece", **options) -> str:
    """The folder of a tiny encoder, as a person would have downloaded it."""
    folder = Path(tempfile.mkdtemp(prefix=family, dir=_FOLDERS.name))
    tiny_model(family, **options).save_pretrained(folder)
    TOKENIZERS[tokenizer]().save_pretrained(folder)
    return str(folder)


def _wrapped(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **dict(zip(names, SPECIAL, strict=True)))
