"""Strings of the Compare page, and of what it says where a run is promoted."""

STRINGS: dict[str, tuple[str, str]] = {
    "compare.purpose": (
        "Two or more runs on the same documents: what changes, who is right, and whether a difference in "
        "score is more than chance.",
        "让两个或更多运行回答同样的文档：哪些变了、谁对，分数之差是否超出偶然。",
    ),
    "compare.empty": (
        "Comparing takes two finished runs of this project. Train a second tagger, or the same one again "
        "after some corrections.",
        "比较需要本项目中两个已完成的运行。请再训练一个标注器，或在纠正之后重新训练。",
    ),
    "compare.to_train": ("Train a tagger", "去训练"),
    "compare.runs": ("Runs; the first is the base", "运行；第一个为基准"),
    "compare.parts": ("Scores and documents of", "分数与文档取自"),
    "compare.part.dev": ("dev", "开发"),
    "compare.part.test": ("test", "测试"),
    "compare.part.train": ("train", "训练"),
    "compare.part.none": ("no part", "未划分"),
    "compare.other": ("Against the base, in detail", "与基准细比的运行"),
    "compare.choose_two": (
        "Choose two runs or more above.",
        "请在上方选择两个或更多运行。",
    ),
    "compare.status": (
        "{answered} {answered:document|documents} of these parts {answered:was|were} answered by all runs, "
        "{labelled} of them with labels.",
        "所选部分中有 {answered} 篇文档被全部运行回答过，其中 {labelled} 篇有标注。",
    ),
    "compare.trained_on": (
        "Documents a run has learned flatter it; judge by dev and test.",
        "运行学过的文档会抬高它的分数，请看开发和测试部分。",
    ),
    "compare.nothing": (
        "No document of these parts has been answered by all of these runs. Choose other parts above, or "
        "let the runs answer.",
        "所选部分中没有被这些运行全部回答过的文档。请在上方另选，或让这些运行作答。",
    ),
    "compare.answer": (
        "Let the runs answer the {count} {count:document|documents} they have not seen",
        "让这些运行回答尚未作答的 {count} 篇文档",
    ),
    "compare.answering": ("{run} is tagging", "{run} 正在标注"),
    "compare.changes": ("What changes", "哪些变了"),
    "compare.changes_how": (
        "Over all documents both runs answered, labelled or not. Equal changes stand together, the most "
        "frequent first; click one to list its documents below. A change is not yet a mistake or a gain: "
        "read the examples.",
        "统计两个运行都回答过的全部文档，无论有无标注。相同的变化合为一行，最常见的在前；点一行，"
        "下面列出它的文档。变了不等于变好或变坏，请看例子。",
    ),
    "compare.retraining": ("This retraining", "这次重新训练"),
    "compare.replacement": ("This other tagger", "换用这个标注器"),
    "compare.sentence": (
        "{subject} changes {spans} {spans:span|spans} in {changed} {changed:document|documents}, of "
        "{total} that both answered ({base} → {other}).",
        "{subject}改变了 {changed} 篇文档中的 {spans} 处（两者都回答过的共 {total} 篇；{base} → {other}）。",
    ),
    "compare.no_change": (
        "{subject} changes nothing in the {total} {total:document|documents} that both answered ({base} → "
        "{other}).",
        "{subject}没有改变两者都回答过的 {total} 篇文档（{base} → {other}）。",
    ),
    "compare.no_common": (
        "No document was answered by both {base} and {other} yet.",
        "还没有 {base} 和 {other} 都回答过的文档。",
    ),
    "compare.by_kind": (
        "{new} new, {lost} lost, {boundary} with the boundary moved, {label} with another label.",
        "新增 {new}，消失 {lost}，边界移动 {boundary}，标签改变 {label}。",
    ),
    "compare.kind.new": ("new span", "新增"),
    "compare.kind.lost": ("lost span", "消失"),
    "compare.kind.boundary": ("boundary moved", "边界移动"),
    "compare.kind.label": ("label changed", "标签改变"),
    "compare.kind.any": ("every change", "全部变化"),
    "compare.kind": ("Kind of change", "变化类型"),
    "compare.by": ("Together", "归并"),
    "compare.by.text": ("the same text", "相同文字"),
    "compare.by.label": ("the same label", "相同标签"),
    "compare.column.kind": ("change", "变化"),
    "compare.column.label": ("label", "标签"),
    "compare.column.text": ("text", "文字"),
    "compare.column.times": ("times", "次数"),
    "compare.column.example": ("for example", "示例"),
    "compare.groups_cut": (
        "The first {shown} of {total} {total:group|groups}.",
        "共 {total} 组，显示前 {shown} 组。",
    ),
    "compare.scores": ("Scores", "分数"),
    "compare.scores_how": (
        "In brackets the 95 % interval: percentile bootstrap over {documents} labelled "
        "{documents:document|documents}, {resamples} resamples. p: paired test by approximate "
        "randomisation (Yeh 2000), {resamples} swaps of whole documents. A small p says chance alone would "
        "seldom make such a difference in F1 on documents like these; a large p does not say the runs are "
        "equal, only that these documents cannot tell. Read the difference to the base: two runs may "
        "differ surely though their own intervals overlap. A test set that is asked again and again wears "
        "out: choose by dev, ask test once.",
        "方括号内是 95 % 区间：对 {documents} 篇有标注的文档做百分位自助法，重采样 {resamples} 次。p：近似"
        "随机化配对检验（Yeh 2000），整篇交换 {resamples} 次。p 小，说明在这类文档上仅凭偶然很少出现这么大"
        "的 F1 之差；p 大并不说明两者相同，只是这些文档分不出来。要看与基准之差：两个运行各自的区间即使重叠"
        "，差别也可能是可靠的。测试集反复使用会失效：请用开发集挑选，测试集只问一次。",
    ),
    "compare.scores_none": (
        "No document of these parts has labels, so nothing can be scored.",
        "所选部分没有带标注的文档，无法计分。",
    ),
    "compare.by_label": ("By label", "按标签"),
    "compare.by_label_how": (
        "Among many labels a small p turns up by chance: with 20 labels, one below 0.05 is expected.",
        "标签多时，小的 p 会偶然出现：20 个标签里预期就有一个小于 0.05。",
    ),
    "compare.column.run": ("run", "运行"),
    "compare.column.precision": ("precision", "精确率"),
    "compare.column.recall": ("recall", "召回率"),
    "compare.column.f1": ("F1", "F1"),
    "compare.column.difference": ("F1 to base", "与基准之差"),
    "compare.column.p": ("p", "p"),
    "compare.base": ("{run} (base)", "{run}（基准）"),
    "compare.all_labels": ("all labels", "全部标签"),
    "compare.figure": ("Figure", "图"),
    "compare.figure.scores": ("F1 of each run", "各运行的 F1"),
    "compare.figure.differences": ("difference to the base", "与基准之差"),
    "compare.axis.f1": ("F1, % (95 % interval)", "F1，%（95 % 区间）"),
    "compare.axis.difference": (
        "F1 minus that of {base}, points (95 % paired interval)",
        "与 {base} 的 F1 之差，百分点（95 % 配对区间）",
    ),
    "compare.axis.spans": ("spans", "实体数"),
    "compare.sides": ("Spans that changed side", "换了对错的实体"),
    "compare.sides_how": (
        "Counted where people have labelled. A false span that goes away counts as wrong → right. "
        "Click a bar to list its documents below. Gold can be wrong too.",
        "只统计有人标注的文档。误标消失算作错 → 对。点一个条，下面列出它的文档。标注本身也可能有错。",
    ),
    "compare.sides_none": ("No span of these parts changed side.", "所选部分没有换对错的实体。"),
    "compare.side.right_to_wrong": ("right → wrong", "对 → 错"),
    "compare.side.wrong_to_right": ("wrong → right", "错 → 对"),
    "compare.side.wrong_to_wrong": ("wrong → other wrong", "错 → 另一种错"),
    "compare.documents": ("Documents where they disagree", "意见不一的文档"),
    "compare.documents_how": (
        "Dashed: what a run said. Solid: what people say. A run is right about a document when every span "
        "is exact and none too many. Click a sentence to choose its document.",
        "虚线：运行所标；实线：人工所标。一篇文档的全部实体都准确、且无多余，才算对。点句子即可选中它的文档"
        "。",
    ),
    "compare.filter": ("Show", "显示"),
    "compare.filter.any": ("any disagreement", "全部不一致"),
    "compare.filter.base_right": ("base right, other wrong", "基准对，另一错"),
    "compare.filter.other_right": ("base wrong, other right", "基准错，另一对"),
    "compare.filter.both_wrong": ("both wrong, differently", "都错，但不同"),
    "compare.filter.no_gold": ("no gold", "无标注"),
    "compare.counted": ("{name} ({count})", "{name}（{count}）"),
    "compare.label": ("Label that changed", "变化涉及的标签"),
    "compare.any_label": ("any", "任意"),
    "compare.chosen": ("Only: {what}", "仅看：{what}"),
    "compare.all": ("Show all again", "恢复全部"),
    "compare.none_found": (
        "No document fits. Choose another filter, or more parts above.",
        "没有符合条件的文档。请换一个条件，或在上方多选几个部分。",
    ),
    "compare.gold": ("gold", "人工标注"),
    "compare.previous": ("Previous", "上一页"),
    "compare.next": ("Next", "下一页"),
    "compare.range": ("{first}–{last} of {total}", "第 {first}–{last} 篇，共 {total} 篇"),
    "compare.document": ("Document of this page", "本页文档"),
    "compare.open": ("Open in Annotate", "到标注页打开"),
    "compare.traces_button": ("Both traces side by side", "并排查看两者内部"),
    "compare.no_document": ("Choose a document of the list first.", "请先在列表中选择一篇文档。"),
    "compare.traces": ("Both traces side by side", "并排查看两者内部"),
    "compare.traces_how": (
        "The base on the left, the other run on the right, each part only where the model has it. Two "
        "taggers weigh things on scales of their own: compare where they look, not how strong a colour is. "
        "Attention is a picture, not a cause.",
        "左边是基准，右边是另一个运行；标注器没有的部分不显示。两个标注器各有各的尺度：比较看向哪里，"
        "不要比较颜色深浅。注意力只是图像，不是原因。",
    ),
    "compare.traces.lattice": ("Lattice", "词格"),
    "compare.traces.crf": ("CRF marginals", "CRF 边际概率"),
    "compare.traces.attention": ("Attention", "注意力"),
    "compare.traces.mix": ("Layer weights", "各层权重"),
    "compare.traces.absent": ("{run} has none.", "{run} 没有这一部分。"),
    "compare.traces.cut": (
        "The first {limit} of {length} {length:character|characters}.",
        "共 {length} 字，只画前 {limit} 字。",
    ),
    "compare.see": ("Compare the two", "并排比较"),
    "compare.no_other": (
        "There is no other tagger to compare with yet.",
        "还没有可比较的另一个标注器。",
    ),
}
