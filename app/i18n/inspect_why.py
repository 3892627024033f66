"""Strings of the panel that says what a span rests on."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_why.method": ("Ask by", "追问方式"),
    "inspect_why.method.words": ("leaving out a dictionary word", "去掉一个词典词"),
    "inspect_why.method.gradients": ("integrated gradients", "积分梯度"),
    "inspect_why.method.occlusion": ("covering characters", "遮住字符"),
    "inspect_why.ask": ("Work it out", "开始计算"),
    "inspect_why.heavy": (
        "This tagger is large: on this machine the answer may take a minute.",
        "这个标注器较大，在这台机器上可能要算一分钟左右。",
    ),
    "inspect_why.waiting": ("Working it out …", "正在计算……"),
    "inspect_why.nothing": (
        "The tagger found no entity in this sentence, so there is nothing to explain. Try another sentence.",
        "标注器在这句话里没有找到实体，无从解释。换一句话试试。",
    ),
    "inspect_why.matched": (
        "This tagger tags what is spelt like a word it knows. Here the word is {word}.",
        "这个标注器只标出与已知词写法相同的文字。这里匹配到的词是“{word}”。",
    ),
    "inspect_why.no_words": (
        "No dictionary word touches this span: ask in another way.",
        "没有词典词与它相接，请换一种方式追问。",
    ),
    "inspect_why.without_word": ("without the word {word}", "去掉“{word}”"),
    "inspect_why.without_characters": ("with {characters} covered", "遮住“{characters}”"),
    "inspect_why.character": ("character {character}", "字“{character}”"),
    "inspect_why.word": ("word {word}", "词“{word}”"),
    "inspect_why.lost": ("lost", "消失"),
    "inspect_why.kept": ("stays", "不变"),
    "inspect_why.becomes": ("becomes {surface} {label} {score}", "变为 {surface} {label} {score}"),
    "inspect_why.supports": ("speaks for it", "支持"),
    "inspect_why.opposes": ("speaks against it", "反对"),
    "inspect_why.complete": (
        "From {blank} with nothing written to {score} (log-probability); the shares add up to that "
        "difference within {error} ({steps} {steps:step|steps}).",
        "对数概率从空白时的 {blank} 升到 {score}；各份额之和与这个差相差 {error}（{steps} 步）。",
    ),
    "inspect_why.incomplete": (
        "From {blank} with nothing written to {score} (log-probability); after {steps} {steps:step|steps} "
        "the shares still miss that difference by {error}: read them as rough.",
        "对数概率从空白时的 {blank} 升到 {score}；{steps} 步之后各份额之和仍差 {error}，只能粗略参考。",
    ),
    "inspect_why.how.words": (
        "Each word is taken out of the dictionary, everywhere in the sentence, and the sentence is tagged "
        "again. A large fall means the prediction leans on that word; none does not mean it was not read: "
        "another word may stand in for it. A character has the colour of the word over it that counts "
        "most: blue, confidence falls without it; orange, it rises.",
        "把每个词从词典里去掉（句中各处都去掉），重新标注。置信度大跌，说明预测依赖这个词；不跌并不说明没有"
        "用到它，可能有别的词顶替。每个字的颜色取盖在它上面影响最大的词：蓝色，去掉后置信度下降；橙色，上升"
        "。",
    ),
    "inspect_why.how.gradients": (
        "Blue raises the log-probability of this span, orange lowers it, summed along a path from a blank "
        "sentence to this one. It says what the score is sensitive to, not what a person would call the "
        "reason; leaving a word out is the check.",
        "从空白句子走到这句话，蓝色处累计抬高这个实体的对数概率，橙色处压低。它说明分数对什么敏感，"
        "不等于人所说的理由；去掉词才是检验。",
    ),
    "inspect_why.how.occlusion": (
        "Each character, and each pair, is covered with 〓; dictionary words over it vanish too. Blue: "
        "confidence falls without it. The tagger was never trained on covered sentences, so small changes "
        "say little.",
        "逐个（及相邻两个）字用〓遮住，盖在上面的词典词也随之消失。蓝色：遮住后置信度下降。"
        "标注器没见过被遮住的句子，小变化说明不了什么。",
    ),
    "inspect_why.axis.words": ("confidence lost without the word", "去掉该词后失去的置信度"),
    "inspect_why.axis.gradients": ("share of the log-probability", "对数概率中的份额"),
    "inspect_why.axis.occlusion": ("confidence lost when covered", "遮住后失去的置信度"),
    "inspect_why.in_words": ("Dictionary words", "词典词"),
    "inspect_why.characters": ("characters", "字符"),
}
