"""A BERT of random weights, a few units wide, as a folder that a tagger's ``encoder`` can name."""

import atexit
import shutil
import tempfile
from functools import cache

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CHARACTERS = "林晚晴在清河大学教书昨天下雨没去人名地机构文中提到了哪些找出"
WORDS = ("lin", "university", "##ity", "qing", "##he", "of", "hired")


@cache
def tiny_bert(window: int = 48, more: str = "") -> str:
    """The folder of a BERT with two layers of width 16 that reads at most ``window`` pieces at once.

    Args:
        more: characters it knows besides ``CHARACTERS``.
    """
    folder = tempfile.mkdtemp(prefix="tiny-bert-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    vocabulary = {piece: row for row, piece in enumerate((*SPECIAL, *CHARACTERS, *WORDS, *more))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=window,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=window,
        initializer_range=0.3,  # as published, 0.02, so narrow a model hardly tells pieces apart
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = BertModel(config)
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder
