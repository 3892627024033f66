"""Strings of the "labels" tab of the Dictionary page."""

STRINGS: dict[str, tuple[str, str]] = {
    "dictionary_labels.purpose": (
        "Label raw documents with the words of the dictionary. Documents "
        "that anybody has worked on are left "
        "alone, every label keeps its source, and a whole batch can be taken back.",
        "用词典为原始文档做远程标注。有人处理过的文档不会改动，每个标注都保留来源，整批标注可以一次撤回。",
    ),
    "dictionary_labels.busy": (
        "A labelling is at work in this project. Wait for it, or stop it.",
        "本项目正在用词典标注。请等它结束，或先停止它。",
    ),
    "dictionary_labels.no_types": ("Choose at least one type to label.", "请至少选择一种类型。"),
    "dictionary_labels.no_mode": (
        "Choose where the labels go. Reload the page if there is no choice.",
        "请选择标注的去向。如果没有选项，请刷新页面。",
    ),
    "dictionary_labels.nothing": (
        "No word of the chosen types occurs in a document nobody has worked on.",
        "在没人处理过的文档中，没有出现所选类型的词。",
    ),
    "dictionary_labels.empty": (
        "The dictionary labels this project's documents, and there are none yet.",
        "词典标注的是本项目的文档，目前还没有文档。",
    ),
    "dictionary_labels.to_data": ("Import documents", "导入文档"),
    "dictionary_labels.no_words": (
        "No word of this project has a type yet. Add words with types under “Words”, or accept candidates "
        "under “Find words”.",
        "本项目还没有带类型的词。请在“词表”中加词并写上类型，或在“发现新词”中接受候选词。",
    ),
    "dictionary_labels.no_raw": (
        "People, or an earlier batch, have worked on every document; there is nothing raw left to label.",
        "所有文档都已有人处理或已被标注，没有可标注的原始文档了。",
    ),
    "dictionary_labels.direction": ("Direction of matching", "匹配方向"),
    "dictionary_labels.direction.forward": ("forward", "正向最大匹配"),
    "dictionary_labels.direction.backward": ("backward", "逆向最大匹配"),
    "dictionary_labels.direction.bidirectional": ("both ways", "双向最大匹配"),
    "dictionary_labels.rule": ("Words of two types", "有两种类型的词"),
    "dictionary_labels.rule.skip": ("leave out", "不标注"),
    "dictionary_labels.rule.most frequent": ("most frequent type", "取最常见的类型"),
    "dictionary_labels.rule.keep both": ("all their types", "保留所有类型"),
    "dictionary_labels.types": ("Types to label", "要标注的类型"),
    "dictionary_labels.type_words": ("{count} {count:word|words}", "{count} 个词"),
    "dictionary_labels.type_new": ("{count} {count:word|words}; no label yet", "{count} 个词；尚不是标签"),
    "dictionary_labels.preview": ("Preview", "预览"),
    "dictionary_labels.over": (
        "{raw} of {documents} {documents:document|documents} {raw:is|are} raw: nobody has worked on "
        "{raw:it|them}.",
        "{documents} 篇文档中有 {raw} 篇是没人处理过的原始文档。",
    ),
    "dictionary_labels.preview_old": (
        "The choice has changed. Preview again to see what it would do.",
        "选项已改动，请重新预览。",
    ),
    "dictionary_labels.would": ("What it would do", "预览结果"),
    "dictionary_labels.would_do": (
        "{spans} {spans:label|labels} in {documents} of {raw} raw {raw:document|documents}.",
        "在 {raw} 篇原始文档中，{documents} 篇会得到共 {spans} 处标注。",
    ),
    "dictionary_labels.skipped": (
        "{count} {count:word has|words have} two types or more and {count:is|are} left out. Settle "
        "them under “Words”, or choose another rule.",
        "有 {count} 个词有两种以上类型，未参与标注。可在“词表”中确定类型，或换一种规则。",
    ),
    "dictionary_labels.examples": (
        "{count} of these documents, drawn at random:",
        "随机抽取其中 {count} 篇：",
    ),
    "dictionary_labels.modes": ("Where the labels go", "标注放到哪里"),
    "dictionary_labels.mode.suggest": ("Suggestions", "作为建议"),
    "dictionary_labels.mode_how.suggest": (
        "The annotator offers them as the dictionary's; the documents stay new.",
        "在标注页以“词典”来源提示，文档仍是未标注状态。",
    ),
    "dictionary_labels.mode.in_progress": ("Labels, the rest unknown", "作为标注，其余未知"),
    "dictionary_labels.mode_how.in_progress": (
        "The documents are in progress. What has no label is not taken for “no entity” in training.",
        "文档变为进行中。未标注的部分在训练时不会当作“没有实体”。",
    ),
    "dictionary_labels.mode.done": ("Labels, the rest no entity", "作为标注，其余无实体"),
    "dictionary_labels.mode_how.done": (
        "The documents are done. What has no label counts as “no entity” in training.",
        "文档变为已完成。未标注的部分在训练时当作“没有实体”。",
    ),
    "dictionary_labels.apply": (
        "Label {documents} {documents:document|documents}",
        "标注 {documents} 篇文档",
    ),
    "dictionary_labels.made": (
        "{spans} {spans:label was|labels were} put on {documents} {documents:document|documents}.",
        "已在 {documents} 篇文档上放了 {spans} 处标注。",
    ),
    "dictionary_labels.doing.matching": ("Matching", "正在匹配"),
    "dictionary_labels.doing.saving": ("Saving", "正在保存"),
    "dictionary_labels.doing.reading": ("Beginning", "正在开始"),
    "dictionary_labels.batches": ("Batches", "各批标注"),
    "dictionary_labels.column.at": ("When", "时间"),
    "dictionary_labels.column.user": ("Who", "操作人"),
    "dictionary_labels.column.mode": ("As", "去向"),
    "dictionary_labels.column.direction": ("Direction", "方向"),
    "dictionary_labels.column.version": ("Version of the list", "词表版本"),
    "dictionary_labels.column.size": ("Documents / labels", "文档 / 标注"),
    "dictionary_labels.column.decision": ("Decision", "操作"),
    "dictionary_labels.show": ("Show documents", "查看文档"),
    "dictionary_labels.shown": (
        "Documents {first} to {last} of {total}; labels that still stand.",
        "第 {first}–{last} 篇，共 {total} 篇；显示仍保留的标注。",
    ),
    "dictionary_labels.previous": ("Previous", "上一页"),
    "dictionary_labels.next": ("Next", "下一页"),
    "dictionary_labels.take_back": ("Take back", "撤回"),
    "dictionary_labels.undone": ("taken back", "已撤回"),
    "dictionary_labels.taken": (
        "Taken back from {count} {count:document|documents}.",
        "已从 {count} 篇文档撤回。",
    ),
}
