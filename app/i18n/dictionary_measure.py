"""Strings of the "measure" tab of the Dictionary page."""

STRINGS: dict[str, tuple[str, str]] = {
    "dictionary_measure.purpose": (
        "How much of what people labelled the dictionary holds, and how often its matches are right.",
        "衡量词典覆盖了多少人工标注，以及匹配结果有多准。",
    ),
    "dictionary_measure.busy": (
        "The dictionary is being measured. Wait for it, or stop it.",
        "正在评估词典。请等它结束，或先停止它。",
    ),
    "dictionary_measure.no_documents": (
        "Nobody has labelled or finished a document of this project yet, "
        "so there is nothing to measure against.",
        "本项目还没有人标注或完成过文档，无从评估。",
    ),
    "dictionary_measure.empty": (
        "A dictionary is measured against what people labelled, and nobody has labelled anything yet.",
        "词典要对照人工标注来评估，目前还没有人标注过。",
    ),
    "dictionary_measure.to_annotate": ("Label a document", "去标注一篇文档"),
    "dictionary_measure.no_words": (
        "No word of this project has a type yet. Add words with types under “Words”, or accept candidates "
        "under “Find words”.",
        "本项目还没有带类型的词。请在“词表”中加词并写上类型，或在“发现新词”中接受候选词。",
    ),
    "dictionary_measure.start": ("Measure", "评估"),
    "dictionary_measure.rule": ("Words of two types", "有两种类型的词"),
    "dictionary_measure.rule.skip": ("leave out", "不参与匹配"),
    "dictionary_measure.rule.most frequent": ("most frequent type", "取最常见的类型"),
    "dictionary_measure.rule.keep both": ("all their types", "保留所有类型"),
    "dictionary_measure.over": (
        "{words} {words:word|words} with types, over the {documents} of {of} {of:document|documents} "
        "that are done or were looked at. What a "
        "dictionary alone has labelled does not count.",
        "共 {words} 个带类型的词；在 {of} 篇文档中，对照 {documents} "
        "篇已完成或看过的。仅由词典标注的内容不计入。",
    ),
    "dictionary_measure.doing.reading": ("Matching and comparing", "正在匹配与比较"),
    "dictionary_measure.measured": (
        "Measured over {documents} of {of} {of:document|documents}, with {words} {words:word|words}.",
        "已用 {words} 个词评估了 {of} 篇文档中的 {documents} 篇。",
    ),
    "dictionary_measure.stale.labels": (
        "Labels have been saved since. Measure again for numbers of today.",
        "在此之后又保存了标注。要得到最新数字，请重新评估。",
    ),
    "dictionary_measure.stale.words": (
        "The word list has changed since. Measure again for numbers of today.",
        "词表在此之后有改动。要得到最新数字，请重新评估。",
    ),
    "dictionary_measure.by_direction": ("The dictionary as a tagger", "把词典当作标注器"),
    "dictionary_measure.by_label": ("By label", "各标签"),
    "dictionary_measure.by_label_how": (
        "Covered: labelled places whose word the dictionary holds with "
        "this type. Precision, recall and F1 count "
        "exact ends and labels, as for every tagger.",
        "“覆盖”指标注处的词在词典中且类型相同。精确率、召回率和 F1 "
        "要求边界与标签完全一致，与其他标注器相同。",
    ),
    "dictionary_measure.direction": ("Direction of matching", "匹配方向"),
    "dictionary_measure.direction.forward": ("forward", "正向"),
    "dictionary_measure.direction.backward": ("backward", "逆向"),
    "dictionary_measure.direction.bidirectional": ("both ways", "双向"),
    "dictionary_measure.column.direction": ("Direction", "方向"),
    "dictionary_measure.column.precision": ("Precision", "精确率"),
    "dictionary_measure.column.recall": ("Recall", "召回率"),
    "dictionary_measure.column.f1": ("F1", "F1"),
    "dictionary_measure.column.label": ("Label", "标签"),
    "dictionary_measure.column.covered": ("Places covered", "覆盖的标注处"),
    "dictionary_measure.column.surfaces": ("Words covered", "覆盖的词"),
    "dictionary_measure.column.matches": ("Matches", "匹配数"),
    "dictionary_measure.column.word": ("Word", "词"),
    "dictionary_measure.column.type": ("Type", "类型"),
    "dictionary_measure.column.right": ("Right", "正确"),
    "dictionary_measure.column.otherwise": ("Labelled otherwise", "另有标注"),
    "dictionary_measure.column.unlabelled": ("Not labelled", "无标注"),
    "dictionary_measure.column.times": ("Times labelled", "标注次数"),
    "dictionary_measure.column.decision": ("Decision", "决定"),
    "dictionary_measure.worst": ("Words that are often wrong", "经常出错的词"),
    "dictionary_measure.worst_how": (
        "Matches that people labelled otherwise, or not at all. Taking such a word out helps the most.",
        "匹配到、但人工另有标注或没有标注的词。移除它们最见效。",
    ),
    "dictionary_measure.missing": ("Words that are missing ({count})", "缺少的词（{count}）"),
    "dictionary_measure.missing_how": (
        "What people labelled most often and the dictionary does not hold with that type.",
        "人工标注最多、而词典中没有该类型的词。",
    ),
    "dictionary_measure.more": ("Show {count} more", "再显示 {count} 个"),
    "dictionary_measure.remove": ("Take out", "移除"),
    "dictionary_measure.remove_word": ("Take {word} out of the dictionary", "从词典移除 {word}"),
    "dictionary_measure.add": ("Add", "加入"),
    "dictionary_measure.add_word": ("Add {word} as {type}", "以 {type} 类型加入 {word}"),
    "dictionary_measure.axis.coverage": ("share of labelled places (%)", "占标注处的比例（%）"),
    "dictionary_measure.axis.matches": ("share of matches (%)", "占匹配的比例（%）"),
    "dictionary_measure.part.held": ("in the dictionary", "词典中有"),
    "dictionary_measure.part.other": ("with another type", "类型不同"),
    "dictionary_measure.part.missing": ("not in it", "词典中没有"),
    "dictionary_measure.part.right": ("labelled so", "标注一致"),
    "dictionary_measure.part.otherwise": ("labelled otherwise", "另有标注"),
    "dictionary_measure.part.unlabelled": ("not labelled", "无标注"),
}
