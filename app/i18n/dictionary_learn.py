"""Strings of the "learn" tab of the Dictionary page."""

STRINGS: dict[str, tuple[str, str]] = {
    "dictionary_learn.purpose": (
        "Train a tagger from words with types and raw text, without a label by hand. It learns how such "
        "words are used, and so finds names the list does not have.",
        "只用带类型的词和原始文本训练标注器，无需人工标注。它学习这些词的用法，因而能找到词表之外的名称。",
    ),
    "dictionary_learn.no_words": (
        "No word of this project has a type yet. Add words with types under “Words”, or import a list.",
        "本项目还没有带类型的词。请在“词表”中加词并写上类型，或导入词表。",
    ),
    "dictionary_learn.no_raw": (
        "There is no text to learn from that is not labelled to the end: import texts on the Data page.",
        "没有尚未标注完的文本可供学习：请在“数据”页导入文本。",
    ),
    "dictionary_learn.begun": (
        "{count} {count:document is|documents are} begun and not done: their labels teach, and their other "
        "text counts as unlabelled where nobody has looked.",
        "{count} 篇已开始但未完成：其中的标注参与学习，没人看过的其余文本算作未标注。",
    ),
    "dictionary_learn.no_match_at_all": (
        "None of the typed words stands in the raw documents, so there is nothing to learn from: bring words "
        "that occur in them, or other texts.",
        "带类型的词没有一个出现在原始文档中，无从学习：请换用文本中出现的词，或导入其他文本。",
    ),
    "dictionary_learn.no_right": (
        "Your role in this project does not cover training.",
        "你在本项目中的角色不能训练。",
    ),
    "dictionary_learn.over": (
        "{raw} raw {raw:document|documents}, and {judged} that people have looked at, whose labels and "
        "rejections count as certain.",
        "{raw} 篇原始文档；另有 {judged} 篇有人看过，其中的标注和否定都算作确定。",
    ),
    "dictionary_learn.first": (
        "Counted here in the first {read} of them; the run counts all.",
        "此处只统计前 {read} 篇；训练时统计全部。",
    ),
    "dictionary_learn.skipped": (
        "{count} {count:word of several types gives|words of several types give} no label.",
        "{count} 个词有多种类型，不产生标注。",
    ),
    "dictionary_learn.column.type": ("type", "类型"),
    "dictionary_learn.column.words": ("words in the list", "词表中的词"),
    "dictionary_learn.column.places": ("places found", "出现处"),
    "dictionary_learn.column.found": ("different words found", "出现的不同词"),
    "dictionary_learn.column.share": ("share of characters", "占全部字"),
    "dictionary_learn.column.prior": ("assumed true share (prior)", "假定的真实占比（先验）"),
    "dictionary_learn.prior.estimated": (
        "{share} %, if the list knows half of the entities",
        "{share}%（假定词表收录了一半实体）",
    ),
    "dictionary_learn.prior.given": ("{share} %, given", "{share}%（给定）"),
    "dictionary_learn.no_match": ("no match: not learned", "没有匹配，不学习"),
    "dictionary_learn.method": ("Method", "方法"),
    "dictionary_learn.method_how": (
        "How labels that are not complete become a tagger.",
        "怎样从不完整的标注得到标注器。",
    ),
    "dictionary_learn.method.pu": ("PU learning (bnPU)", "PU 学习（bnPU）"),
    "dictionary_learn.method.adapu": ("AdaPU: the list grows in rounds", "AdaPU：逐轮扩充词表"),
    "dictionary_learn.method.bagging": ("PU bagging", "PU 装袋"),
    "dictionary_learn.method.two_step": ("two steps, reliable negatives", "两步法：先找可靠负例"),
    "dictionary_learn.method.partial_crf": ("partial CRF", "部分标注 CRF"),
    "dictionary_learn.method.direct": (
        "direct: unmatched is no entity",
        "直接：未匹配即非实体",
    ),
    "dictionary_learn.over_label": ("What reads the text", "文本编码器"),
    "dictionary_learn.over_how": (
        "A tagger’s encoder; a partial CRF is then that tagger itself.",
        "用某种标注器的编码器；部分标注 CRF 即训练该标注器。",
    ),
    "dictionary_learn.over_own": ("a small BiLSTM", "小型 BiLSTM"),
    "dictionary_learn.prior": ("Prior", "先验"),
    "dictionary_learn.prior_how": (
        "For PU learning and bagging: share of all characters that are of a type; Enter shows it above.",
        "用于 PU 学习和装袋：某类型的字占全部字的比例；按回车在上方查看。",
    ),
    "dictionary_learn.prior_hint": ("0.05, or PER=0.04, LOC=0.02", "0.05，或 PER=0.04, LOC=0.02"),
    "dictionary_learn.epochs": ("Epochs", "轮数"),
    "dictionary_learn.epochs_how": (
        "The best is chosen by words held out, not by labels.",
        "用留出的词（而不是标注）选择最佳轮次。",
    ),
    "dictionary_learn.no_epochs": (
        "Epochs is a whole number of 1 or more.",
        "轮数须为不小于 1 的整数。",
    ),
    "dictionary_learn.start": ("Learn from these words", "用这些词训练"),
    "dictionary_learn.round": (
        "Training {number} of at most {most}: {title}.",
        "第 {number} 次训练（最多 {most} 次）：{title}。",
    ),
    "dictionary_learn.added": (
        "{count} {count:word|words} joined the list: {words}.",
        "词表新增 {count} 个词：{words}。",
    ),
    "dictionary_learn.scores": (
        "On {part}: precision {precision}, recall {recall}, F1 {f1}.",
        "{part}：准确率 {precision}，召回率 {recall}，F1 {f1}。",
    ),
    "dictionary_learn.done": (
        "{run} is trained. Serve it, and its predictions become suggestions in the annotator.",
        "{run} 已训练完成。启用后，它的预测会成为标注页上的建议。",
    ),
    "dictionary_learn.serves": (
        "{run} serves: its predictions are suggestions in the annotator. Accept or correct some, then learn "
        "again, or train a partial CRF.",
        "{run} 正在使用：它的预测已是标注页上的建议。接受或修改一些之后，可再次训练，或训练部分标注 CRF。",
    ),
    "dictionary_learn.see": ("See its suggestions", "查看建议"),
}
