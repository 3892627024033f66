"""Strings of pretraining on one's own text."""

STRINGS: dict[str, tuple[str, str]] = {
    "pretrain.title": ("Pretrain on your own text", "用自己的文本预训练"),
    "pretrain.purpose": (
        "Raw text, without any label, teaches what taggers start from: vectors or a language model. "
        "Afterwards the tagger's form above offers the result by its name.",
        "没有标注的文本也能用：先从中学出向量或语言模型，标注器由此起步。完成后，上方标注器的表单会按名称列"
        "出结果。",
    ),
    "pretrain.material": (
        "{documents} {documents:document|documents}, {characters} {characters:character|characters}. "
        "Documents of the dev and test split are left out.",
        "共 {documents} 篇文档，{characters} 字。开发集与测试集的文档不参与。",
    ),
    "pretrain.no_text": (
        "There is no text yet: import documents on the Data page. The dev and test split are left out.",
        "还没有文本：请在数据页导入文档。开发集与测试集的文档不参与。",
    ),
    "pretrain.card.vectors": (
        "Vectors: word2vec or fastText of characters, pairs and words; minutes. For FLAT, SoftLexicon, LSTMs",
        "向量：word2vec 或 fastText 的字、双字、词向量；几分钟。用于 FLAT、SoftLexicon 和各种 LSTM",
    ),
    "pretrain.card.mlm": (
        "Masked language model: an encoder learns on, or a tiny new BERT; long without a GPU. For BERT",
        "掩码语言模型：让编码器继续学习，或从头训练一个小 BERT；无 GPU 时较久。用于 BERT",
    ),
    "pretrain.card.bilm": (
        "biLM: two LSTMs that predict the next and the last token; hours on much text. For ELMo",
        "biLM：预测后一个与前一个单位的双向 LSTM；文本多时需数小时。用于 ELMo",
    ),
    "pretrain.kind.vectors": ("vectors", "向量"),
    "pretrain.kind.mlm": ("masked LM", "掩码语言模型"),
    "pretrain.kind.bilm": ("biLM", "biLM"),
    "pretrain.name": ("Name of the result", "结果的名称"),
    "pretrain.name_how": ("By it the taggers' form offers the result.", "标注器的表单以此名称列出结果。"),
    "pretrain.more": ("More settings", "更多设置"),
    "pretrain.start": ("Start pretraining", "开始预训练"),
    "pretrain.result": ("Pretrained so far", "已有的预训练"),
    "pretrain.empty": (
        "Nothing has been pretrained yet. Choose a kind, give it a name, and start.",
        "还没有预训练的结果。请选择一种，取个名称，然后开始。",
    ),
    "pretrain.delete": ("Delete", "删除"),
    "pretrain.deleted": (
        "{name} is deleted. Taggers trained from it keep what they have.",
        "已删除 {name}。由它训练出的标注器不受影响。",
    ),
    "pretrain.column.name": ("name", "名称"),
    "pretrain.column.method": ("kind", "种类"),
    "pretrain.column.characters": ("characters", "字数"),
    "pretrain.column.perplexity": ("perplexity", "困惑度"),
    "pretrain.column.status": ("status", "状态"),
    "pretrain.column.when": ("when", "时间"),
    "pretrain.unit.characters": ("characters", "字"),
    "pretrain.unit.bigrams": ("pairs of characters", "双字"),
    "pretrain.unit.words": ("words", "词"),
    "pretrain.tokens": ("{unit}: {tokens} {tokens:has|have} a vector", "{unit}：{tokens} 个有向量"),
    "pretrain.near": (
        "Nearest to frequent words; with little text mere neighbours in a sentence come out near.",
        "与常见词最近的词；文本少时，只是常在同一句出现的词也会靠近。",
    ),
    "pretrain.use.vectors": (
        "To use it: choose it in the tagger's form under the first values of characters, pairs and words.",
        "使用：在标注器表单的字、双字、词向量初值中选择它。",
    ),
    "pretrain.use.mlm": (
        "To use it: choose it as the encoder in the form of BERT, or of any tagger that takes a transformer.",
        "使用：在 BERT 或其他可用 Transformer 的标注器表单中，选它作为预训练模型。",
    ),
    "pretrain.use.bilm": (
        "To use it: choose it as the encoder in the form of ELMo.",
        "使用：在 ELMo 的表单中选它作为 biLM。",
    ),
    "pretrain.axis.epoch": ("epoch", "轮"),
    "pretrain.axis.loss": ("loss", "损失"),
    "pretrain.axis.perplexity": ("perplexity of held-out text", "留出文本的困惑度"),
    "pretrain.error.method": ("Choose one of the three kinds.", "请选择三种之一。"),
    "pretrain.error.taken": (
        "There is a result called {name} already; choose another name, or delete that one.",
        "已有名为 {name} 的结果；请换一个名称，或先删除它。",
    ),
    "pretrain.error.no_text": (
        "There is no text to learn from: import documents that are in neither the dev nor the test split.",
        "没有可学习的文本：请导入既不在开发集也不在测试集中的文档。",
    ),
    "pretrain.error.gone": (
        "This result is not there any more; choose another one.",
        "该结果已不存在；请选择其他结果。",
    ),
    "pretrain.error.busy": (
        "{name} is being pretrained; cancel that first.",
        "{name} 正在预训练；请先取消。",
    ),
    "pretrain.error.used": (
        "{run} is about to start from {name}; wait for it or cancel it first.",
        "{run} 将从 {name} 开始训练；请等待其完成或先取消。",
    ),
}
