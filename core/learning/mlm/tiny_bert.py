"""A new BERT of at most a few million weights, with the characters of the text as its vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from core.learning.mlm.config import TinyBertConfig
from core.text import Document

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
POSITIONS = 512


def character_vocabulary(documents: Sequence[Document], least: int) -> list[str]:
    """The special pieces, then all characters with at least ``least`` occurrences, most frequent first.

    Characters that can be inside a word of letters are listed twice, the second time with ``##``, like BERT's
    word pieces; Chinese characters and punctuation never are.
    """
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    normaliser = BertNormalizer(lowercase=False, strip_accents=False)
    cutter = BertPreTokenizer()
    first: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for document in documents:
        text = normaliser.normalize_str(document.text.encode("utf-8", "replace").decode())
        for word, _ in cutter.pre_tokenize_str(text):
            first[word[0]] += 1
            inside.update(word[1:])
    counts = first + inside
    frequent = [character for character, count in counts.most_common() if count >= least]
    return [*SPECIAL, *frequent, *(f"##{character}" for character in frequent if character in inside)]


def tiny_bert(
    documents: Sequence[Document], config: TinyBertConfig, seed: int
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """A fresh BERT and its tokenizer, as ``MaskedModel`` takes them."""
    from tokenizers import Tokenizer
    from tokenizers.decoders import WordPiece as Joiner
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import BertProcessing
    from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

    rows = {piece: row for row, piece in enumerate(character_vocabulary(documents, config.least_character))}
    cutter = Tokenizer(WordPiece(rows, unk_token=SPECIAL[1], max_input_chars_per_word=POSITIONS))
    cutter.normalizer = BertNormalizer(lowercase=False, strip_accents=False)
    cutter.pre_tokenizer = BertPreTokenizer()
    cutter.post_processor = BertProcessing(("[SEP]", rows["[SEP]"]), ("[CLS]", rows["[CLS]"]))
    cutter.decoder = Joiner()
    names = dict(
        zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True)
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=cutter, model_max_length=POSITIONS, **names)
    torch.manual_seed(seed)
    model = BertForMaskedLM(
        BertConfig(
            vocab_size=len(rows),
            hidden_size=config.width,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            intermediate_size=4 * config.width,
            max_position_embeddings=POSITIONS,
            pad_token_id=rows["[PAD]"],
        )
    )
    return model, tokenizer
