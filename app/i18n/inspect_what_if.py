"""Strings of the What if panel of the Inspect page."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_what_if.begin": ("Change this sentence", "改一改这句话"),
    "inspect_what_if.text": ("The sentence, to be changed", "句子（可修改）"),
    "inspect_what_if.start_over": ("Start over", "恢复原样"),
    "inspect_what_if.added": ("Words to add to the dictionary", "加入词典的词"),
    "inspect_what_if.added_info": (
        "Write a word, press Enter. One the tagger never met in training has no vector of its own.",
        "输入一个词后按回车。训练时没见过的词没有自己的向量。",
    ),
    "inspect_what_if.removed": ("Words to leave out", "不用的词"),
    "inspect_what_if.removed_info": (
        "Words that are matched here; only this trial goes without them.",
        "这里匹配到的词；只在这次试验里不用。",
    ),
    "inspect_what_if.label": ("Label to ask for", "询问的标签"),
    "inspect_what_if.query": ("Its query", "它的问题"),
    "inspect_what_if.before": ("as it is", "原样"),
    "inspect_what_if.after": ("changed", "改动后"),
    "inspect_what_if.unchanged": (
        "Nothing is changed yet: write in the sentence or press a variant below.",
        "还没有改动：请直接修改句子，或点下面的变体。",
    ),
    "inspect_what_if.no_effect": (
        "The same spans with the same confidence.",
        "实体相同，置信度也相同。",
    ),
    "inspect_what_if.effect.kept": ("confidence", "置信度"),
    "inspect_what_if.effect.label": ("other label", "标签改变"),
    "inspect_what_if.effect.boundary": ("moved boundary", "边界移动"),
    "inspect_what_if.effect.lost": ("lost", "消失"),
    "inspect_what_if.effect.deleted": ("text deleted", "文字已删"),
    "inspect_what_if.effect.new": ("new", "新增"),
    "inspect_what_if.effect.words": ("matched words", "匹配的词"),
    "inspect_what_if.lattice": ("The lattice after the change", "改动后的词格"),
    "inspect_what_if.variants": ("Variants", "变体"),
    "inspect_what_if.variants_how": (
        "Each says the same of the entity in focus in another way. A robust tagger keeps it; one that does "
        "not may lean on a spelling rather than on the sentence.",
        "每个变体换一种写法，但所选实体不该变。稳健的标注器会保住它；保不住，说明它可能依赖写法而不是句意。",
    ),
    "inspect_what_if.variant.swapped": ("another name", "换个名字"),
    "inspect_what_if.variant.traditional": ("to traditional", "转繁体"),
    "inspect_what_if.variant.simplified": ("to simplified", "转简体"),
    "inspect_what_if.variant.spaced": ("spaces inside", "字间加空格"),
    "inspect_what_if.variant.emoji": ("emoji before it", "前面加表情"),
    "inspect_what_if.variant.full_width": ("full-width letters", "字母数字转全角"),
    "inspect_what_if.variant.half_width": ("half-width letters", "字母数字转半角"),
    "inspect_what_if.variant.unpunctuated": ("no final mark", "去掉句末标点"),
    "inspect_what_if.try_all": ("Try all variants", "全部试一遍"),
    "inspect_what_if.not_tried": (
        "Not tried yet: {count} {count:variant fits|variants fit} {name}.",
        "还没有试：{name} 有 {count} 个可用的变体。",
    ),
    "inspect_what_if.robustness": (
        "{kept} of {count} {count:variant|variants} {kept:keeps|keep} {name}.",
        "{count} 个变体中有 {kept} 个保住 {name}。",
    ),
    "inspect_what_if.no_focus": (
        "No entity is in focus. Variants need one: choose a sentence in which the tagger finds something.",
        "没有选中实体。变体需要一个实体：请选一句标注器能找到实体的话。",
    ),
    "inspect_what_if.impossible": ("Not here: {reasons}.", "这里用不上：{reasons}。"),
    "inspect_what_if.separator": ("; ", "；"),
    "inspect_what_if.why_not.swapped": (
        "no other {label} is annotated in this project",
        "项目里没有标注过别的 {label}",
    ),
    "inspect_what_if.why_not.traditional": ("nothing to turn to traditional", "没有可转繁体的字"),
    "inspect_what_if.why_not.simplified": ("nothing to turn to simplified", "没有可转简体的字"),
    "inspect_what_if.why_not.spaced": ("no room for a space inside it", "实体内加不了空格"),
    "inspect_what_if.why_not.emoji": ("no place for an emoji", "没有放表情的位置"),
    "inspect_what_if.why_not.full_width": (
        "no half-width letters or digits",
        "没有半角字母或数字",
    ),
    "inspect_what_if.why_not.half_width": (
        "no full-width letters or digits",
        "没有全角字母或数字",
    ),
    "inspect_what_if.why_not.unpunctuated": ("no final mark to delete", "句末没有标点"),
    "inspect_what_if.column.variant": ("variant", "变体"),
    "inspect_what_if.column.sentence": ("sentence and prediction", "句子与预测"),
    "inspect_what_if.column.outcome": ("outcome", "结果"),
    "inspect_what_if.outcome.kept": ("kept", "保住"),
    "inspect_what_if.outcome.label": ("other label", "标签改变"),
    "inspect_what_if.outcome.boundary": ("moved boundary", "边界移动"),
    "inspect_what_if.outcome.lost": ("lost", "消失"),
    "inspect_what_if.use": ("use", "采用"),
    "inspect_what_if.case": ("Keep it as a test", "留作测试"),
    "inspect_what_if.case_how": (
        "Tick what should be found in the changed sentence, and nothing else. It becomes a finished "
        "document with this run's own answer beside it; the Ledger then asks every later run. It also "
        "teaches the next training, unless you put it into the test set.",
        "勾选改动后的句子里应当找到的实体，未勾选的就是不该有的。它会成为一个已完成的文档，旁边记下这个运行"
        "自己的回答；之后纠错账本会拿它考每一个新运行。除非放进测试集，下次训练也会用到它。",
    ),
    "inspect_what_if.expected": ("Expected in the changed sentence", "改动后的句子里应有的实体"),
    "inspect_what_if.expected_before": ("{name} (found before the change)", "{name}（改动前找到的）"),
    "inspect_what_if.keep": ("Keep the case in the Ledger", "存入纠错账本"),
    "inspect_what_if.kept": (
        "Kept as {name}. The Ledger counts it from now on; if something else should be found here, mark it "
        "in Annotate.",
        "已存为 {name}，纠错账本从现在起会计入它。如果这里还有一直没找到的实体，请到标注页补上。",
    ),
    "inspect_what_if.exists": (
        "The project has this very text already; it was left as it is. Open it to change what is expected.",
        "项目里已经有这段文字，没有改动它。要修改期望，请打开它。",
    ),
    "inspect_what_if.open": ("Open it in Annotate", "到标注页打开"),
    "inspect_what_if.moved_on": (
        "The sentence has changed since these spans were found. Look at them again, then keep the case.",
        "找到这些实体之后句子又变了。请再看一遍，然后保存。",
    ),
    "inspect_what_if.nothing": (
        "There is nothing to keep: no span is expected and the run finds none. Tick a span first.",
        "没有可存的内容：既没有期望的实体，运行也没有找到实体。请先勾选一个。",
    ),
    "inspect_what_if.no_look": ("Look into a sentence first.", "请先查看一句话的内部。"),
}
