"""A few sentences and a biLM small enough to learn them."""

from core.learning.bilm.config import BilmConfig, BilmSettings, SoftmaxConfig
from core.learning.bilm.preparation import PreparedBilm, prepare_bilm
from core.text import Document

TEXTS = (
    "清河的水很清。水里有小鱼。",
    "林晚晴在清河边教书。她教小孩写字。",
    "小孩在河边看鱼，林晚晴在河边看书。",
    "河边的书店卖书，也卖小鱼。",
)
DOCUMENTS = tuple(Document(str(number), text) for number, text in enumerate(TEXTS))
DEV = (Document("dev", "林晚晴在书店看书。"),)
ENCODER = BilmConfig(cells=12, projection=8, char_dim=4, filters="1x6 3x10", highways=1)
WORDS = SoftmaxConfig(least_count=1)
SETTINGS = BilmSettings(epochs=2, batch_size=3, unroll=4, dropout=0.0)


def small_bilm(
    documents=DOCUMENTS, dev=DEV, encoder=ENCODER, words=WORDS, settings=SETTINGS, start=None
) -> PreparedBilm:
    """A fresh biLM with its corpus."""
    return prepare_bilm(documents, dev, encoder, words, settings, start)
