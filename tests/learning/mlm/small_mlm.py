"""Text and settings small enough for a tiny BERT to learn in seconds."""

from torch import nn

from core.learning.mlm.config import MlmConfig, TinyBertConfig
from core.learning.mlm.preparation import prepare_mlm
from core.lexicon import Lexicon
from core.text import Document

LINES = (
    "清河的水很清，水里有小鱼。",
    "林晚晴在清河边教书，她教小孩写字。",
    "小孩在河边看鱼，林晚晴在河边看书。",
    "河边的书店卖书，也卖 fishing rods 和小鱼。",
)
DOCUMENTS = tuple(Document(str(n), "".join(LINES[n % 4 :] + LINES[: n % 4]) * 2) for n in range(12))
DEV = (Document("dev", LINES[1] + LINES[3]),)
WORDS = Lexicon(["清河", "林晚晴", "小孩", "书店", "小鱼", "河边"])
TINY = TinyBertConfig(layers=1, width=16, heads=2, least_character=1)
CONFIG = MlmConfig(epochs=2, batch_size=8, length=32, learning_rate=0.003, threads=1)


def small_mlm(documents=DOCUMENTS, dev=DEV, config=CONFIG, tiny=TINY):
    """A fresh tiny BERT with its text."""
    model, corpus, _ = prepare_mlm(documents, dev, config, tiny, WORDS)
    return model, corpus


def without_dropout(model):
    """Learns, but the same of the same batch."""
    model.train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
