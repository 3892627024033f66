"""Strings of the Errors tab of the Inspect page."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_errors.how": (
        "What people said beside what the run said, over whole documents. Click a cell, a bar or a "
        "point, and the sentences behind it are listed. A mistake here is a difference: people can be "
        "the ones who err.",
        "把人工标注与该运行的预测逐篇对照。点任意格子、条或点，就会列出背后的句子。这里的“错误”只是两者不一"
        "致：错的也可能是人。",
    ),
    "inspect_errors.parts": ("Labelled documents in", "已标注的文档，用途为"),
    "inspect_errors.part.train": ("train, or none", "训练或未定"),
    "inspect_errors.part.dev": ("dev", "开发"),
    "inspect_errors.part.test": ("test", "测试"),
    "inspect_errors.no_parts": ("Choose at least one kind of documents.", "请至少选择一种文档。"),
    "inspect_errors.no_labelled": (
        "No labelled documents here. Choose another kind above, or label some on the Annotate page.",
        "这里没有已标注的文档。请在上面换一种，或到标注页标一些。",
    ),
    "inspect_errors.none_answered": (
        "{run} has not answered {count} {count:document|documents} of these parts yet. Let it answer to "
        "see where it errs.",
        "还没有让 {run} 回答这 {count} 篇文档。让它回答之后才能看到错在哪里。",
    ),
    "inspect_errors.answer": (
        "Let {run} answer the documents it has not seen ({count})",
        "让 {run} 回答尚未作答的文档（{count}）",
    ),
    "inspect_errors.answering": ("Tagging labelled documents", "正在标注已有人工标注的文档"),
    "inspect_errors.nobody": (
        "There is nothing to answer any more; choose the run again.",
        "没有需要回答的文档了，请重新选择运行。",
    ),
    "inspect_errors.scores": (
        "**F1 {f1}** · precision {precision} · recall {recall}, in percent of exact spans: {documents} "
        "{documents:document|documents}, {gold} {gold:span|spans} by people, {predicted} by the run, "
        "{correct} the same.",
        "**F1 {f1}** · 精确率 {precision} · 召回率 {recall}（%，按完全一致的实体计）：{documents} 篇文档，"
        "人工 {gold} 个实体，该运行 {predicted} 个，一致 {correct} 个。",
    ),
    "inspect_errors.mistakes": ("{total} {total:mistake|mistakes}: {parts}.", "{total} 处错误：{parts}。"),
    "inspect_errors.part_of": ("{count} {kind}", "{kind} {count}"),
    "inspect_errors.separator": (", ", "，"),
    "inspect_errors.no_mistakes": (
        "No mistakes: the run says exactly what people say in all of these documents.",
        "没有错误：在这些文档里，该运行与人工标注完全一致。",
    ),
    "inspect_errors.unanswered": (
        "{count} more labelled "
        "{count:document has no answer of this run and is|documents have no answer of this run and are} "
        "not counted.",
        "另有 {count} 篇已标注的文档尚无该运行的回答，未计入。",
    ),
    "inspect_errors.kind.correct": ("correct", "正确"),
    "inspect_errors.kind.label": ("label", "标签"),
    "inspect_errors.kind.boundary": ("boundary", "边界"),
    "inspect_errors.kind.both": ("label and boundary", "标签与边界"),
    "inspect_errors.kind.missed": ("missed", "漏标"),
    "inspect_errors.kind.spurious": ("spurious", "多标"),
    "inspect_errors.confusion": ("Labels taken for one another", "标签混淆"),
    "inspect_errors.confusion_how": (
        "Rows: what people said, the last one nothing (spurious). Columns: what the run said, the last "
        "one nothing (missed). Spans with the same extent are paired first, then those that overlap "
        "most. The diagonal is about labels only: a boundary may still be wrong there.",
        "行：人工标注，最后一行为“无”（多标）。列：该运行的预测，最后一列为“无”（漏标）。先配范围相同的实体，"
        "再配重叠最多的。对角线只表示标签相同，边界仍可能有错。",
    ),
    "inspect_errors.hide_diagonal": ("hide the diagonal", "隐藏对角线"),
    "inspect_errors.people_say": ("people say", "人工所标"),
    "inspect_errors.run_says": ("the run says", "运行所标"),
    "inspect_errors.missed_column": ("nothing (missed)", "无（漏标）"),
    "inspect_errors.no_boundaries": ("No boundary is wrong.", "没有边界错误。"),
    "inspect_errors.no_confusion": (
        "Every span is found with its label, and none too many: off the diagonal there is nothing.",
        "所有实体都找到且标签正确，也没有多余的实体：对角线之外没有内容。",
    ),
    "inspect_errors.spurious_row": ("nothing (spurious)", "无（多标）"),
    "inspect_errors.boundaries": ("Boundaries", "边界"),
    "inspect_errors.boundaries_how": (
        "Pairs that overlap but do not begin and end alike. Short: the run left out characters; long: it "
        "took in more. Guidelines that leave a boundary open show up here as errors.",
        "重叠但起止不同的实体对。偏短：该运行少取了字；偏长：多取了字。标注规范没有讲清的边界也会算作错误。",
    ),
    "inspect_errors.boundary.short-right": ("left too short", "左边偏短"),
    "inspect_errors.boundary.long-right": ("left too long", "左边偏长"),
    "inspect_errors.boundary.right-short": ("right too short", "右边偏短"),
    "inspect_errors.boundary.right-long": ("right too long", "右边偏长"),
    "inspect_errors.boundary.short-short": ("both too short", "两边都偏短"),
    "inspect_errors.boundary.long-long": ("both too long", "两边都偏长"),
    "inspect_errors.boundary.long-short": ("shifted left", "整体偏左"),
    "inspect_errors.boundary.short-long": ("shifted right", "整体偏右"),
    "inspect_errors.label_right": ("label right", "标签正确"),
    "inspect_errors.label_wrong": ("label wrong too", "标签也错"),
    "inspect_errors.spans": ("spans", "实体数"),
    "inspect_errors.recall": ("recall", "召回率"),
    "inspect_errors.precision": ("precision", "精确率"),
    "inspect_errors.of_recall": ("of people's", "／人工"),
    "inspect_errors.of_precision": ("of the run's", "／运行"),
    "inspect_errors.slice.length": ("By length", "按长度"),
    "inspect_errors.slice.length_how": (
        "Long spans have more ways to go wrong. A bar over a handful of spans says little.",
        "实体越长，出错的可能越多。只有几个实体的条说明不了什么。",
    ),
    "inspect_errors.below": ("{axis} (below: people's spans)", "{axis}（下行：人工实体数）"),
    "inspect_errors.slice.length_axis": ("characters of the span", "实体的字数"),
    "inspect_errors.slice.frequency": ("By frequency in training", "按训练中的出现次数"),
    "inspect_errors.slice.frequency_how": (
        "How often people labelled the same words in what the run was trained on. Rare words that do "
        "well are read from their context; that does not prove it.",
        "同样的词在训练数据里被标注过几次。少见的词也标得好，多半是靠上下文，但这并不能证明。",
    ),
    "inspect_errors.slice.frequency_axis": ("times labelled in training", "训练中被标注的次数"),
    "inspect_errors.slice.novelty": ("Seen or unseen", "见过与否"),
    "inspect_errors.slice.novelty_how": (
        "Whether training held the same words with the same label, only with another one, or never. A "
        "high F1 that rests on seen words will fall on new text.",
        "训练里是否有同样的词且标签相同、只有别的标签、或从未出现。只靠见过的词得到的高 F1，换了新文本就"
        "会下降。",
    ),
    "inspect_errors.slice.novelty_axis": ("the words in training", "该词在训练中"),
    "inspect_errors.slice.lexicon": ("In the dictionary or not", "是否在词典中"),
    "inspect_errors.slice.lexicon_how": (
        "Whether the whole span is a word of the run's dictionary (jieba's where it has none) with this "
        "project's changes. A tagger that reads no dictionary can differ here too: its words are common "
        "words.",
        "整个实体是否是该运行的词典（没有时用 jieba 的）经本项目增删后的一个词。不读词典的标注器也可能有"
        "差别：收进词典的多是常用词。",
    ),
    "inspect_errors.slice.lexicon_axis": ("the whole span", "整个实体"),
    "inspect_errors.bin.unseen": ("unseen", "没见过"),
    "inspect_errors.bin.other_label": ("other label only", "只有别的标签"),
    "inspect_errors.bin.seen": ("same label", "标签相同"),
    "inspect_errors.bin.hit": ("is a word of it", "在词典中"),
    "inspect_errors.bin.miss": ("is not", "不在"),
    "inspect_errors.calibration": ("Calibration", "置信度校准"),
    "inspect_errors.calibration_how": (
        "Spans by the confidence the run gave them: on the dashed line it is right as often as it is "
        "sure, below it too sure. Points over few spans waver; a run can be calibrated and still bad.",
        "按该运行给出的置信度分组：在虚线上，说明有多确信就有多准；在虚线下方，说明过于自信。实体少的点会波"
        "动；校准得好不等于标得好。",
    ),
    "inspect_errors.confidence": ("mean confidence", "平均置信度"),
    "inspect_errors.accuracy": ("share right", "正确比例"),
    "inspect_errors.perfect": ("perfect", "理想"),
    "inspect_errors.ece": (
        "Expected calibration error **{ece}** over {bins} bins of equal width, {scored} {scored:span|spans}.",
        "期望校准误差（ECE）**{ece}**，{bins} 个等宽区间，{scored} 个实体。",
    ),
    "inspect_errors.no_scores": (
        "No span of this run comes with a confidence, so that there is nothing to calibrate.",
        "该运行的实体都没有置信度，无从谈校准。",
    ),
    "inspect_errors.unscored": (
        "{count} {count:span has no confidence and is|spans have no confidence and are} left out.",
        "{count} 个实体没有置信度，未计入。",
    ),
    "inspect_errors.data": ("Contradictions in the data", "数据中的矛盾"),
    "inspect_errors.data_how": (
        "The same words with the same characters around them, labelled in one place and otherwise (or "
        "not) in another, over all labelled documents. Some are right: meaning may hang on more than the "
        "next characters.",
        "同样的词、同样的前后文，在一处这样标，在另一处却不同或没有标；范围是全部已标注文档。有些并没有"
        "错：含义可能取决于更远的上下文。",
    ),
    "inspect_errors.window": ("Characters on either side", "前后各取几个字"),
    "inspect_errors.show_contradictions": (
        "Show {count} {count:contradiction|contradictions}",
        "列出 {count} 处矛盾",
    ),
    "inspect_errors.no_contradictions": ("No contradictions", "没有矛盾"),
    "inspect_errors.against": ("Training labels against a sure run", "训练标注与确信的运行相左"),
    "inspect_errors.against_how": (
        "Where the run is sure of something else than the label it was taught. Often the label is wrong, "
        "but a run can be sure and wrong, above all where many labels share one mistake.",
        "该运行在这些地方确信的结果与训练标注不同。往往是标注错了，但运行也会确信地犯错，尤其当许多标注犯同"
        "一个错时。",
    ),
    "inspect_errors.threshold": ("Confidence of at least", "置信度不低于"),
    "inspect_errors.show_against": ("Show {count} {count:span|spans}", "列出 {count} 个实体"),
    "inspect_errors.no_against": ("No such spans", "没有这样的实体"),
    "inspect_errors.against_missing": (
        "{count} of {total} labelled training {total:document|documents} {count:has|have} no answer of "
        "this run.",
        "{total} 篇已标注的训练文档中有 {count} 篇还没有该运行的回答。",
    ),
    "inspect_errors.all": ("All mistakes", "全部错误"),
    "inspect_errors.previous": ("Previous", "上一页"),
    "inspect_errors.next": ("Next", "下一页"),
    "inspect_errors.range": ("{first}–{last} of {total}", "第 {first}–{last} 条，共 {total} 条"),
    "inspect_errors.nothing_here": ("Nothing here.", "这里没有内容。"),
    "inspect_errors.marks_how": (
        "Solid: what people say. Dashed: what the run said.",
        "实线：人工所标；虚线：运行所标。",
    ),
    "inspect_errors.picked": ("{what}: {count}", "{what}：{count}"),
    "inspect_errors.picked_wrong": (
        "{what}: {count}, {wrong} of them mistakes",
        "{what}：{count}，其中错误 {wrong}",
    ),
    "inspect_errors.bin_of": ("{slice}, {bin}", "{slice}，{bin}"),
    "inspect_errors.confidence_bin": ("Confidence {low} to {high}", "置信度 {low}–{high}"),
    "inspect_errors.places": ("{count} {count:place|places}", "{count} 处"),
    "inspect_errors.labelled_so": ("{labels}, {count} of {total}", "{labels}，{count}／{total} 处"),
    "inspect_errors.not_labelled": ("not labelled", "未标注"),
    "inspect_errors.open": ("Open in Annotate", "到标注页打开"),
    "inspect_errors.inside": ("Look inside", "查看内部"),
    "inspect_errors.nothing": ("nothing", "无"),
}
