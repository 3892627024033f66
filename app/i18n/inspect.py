"""Strings of the Inspect page."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect.purpose": (
        "See why: the words the tagger matched, what it attended to and how the CRF chose.",
        "看清原因：标注器匹配了哪些词、注意了什么、CRF 如何选择。",
    ),
    "inspect.empty": (
        "No tagger of this project can be opened yet. Train one first.",
        "这个项目还没有可以打开的标注器，请先训练一个。",
    ),
    "inspect.to_train": ("Train a tagger", "去训练"),
    "inspect.run": ("Run", "运行"),
    "inspect.tab.sentence": ("One sentence", "一个句子"),
    "inspect.tab.embeddings": ("Embeddings", "表示向量"),
    "inspect.tab.probing": ("Probing", "探针"),
    "inspect.tab.errors": ("Errors", "错误分析"),
    "inspect.focus_how": (
        "Click an entity to ask about it; the answer comes first, the pictures below are the evidence.",
        "点一个实体来追问：先给出答案，下面的图是依据。",
    ),
    "inspect.document": ("Document", "文档"),
    "inspect.sentence": ("Sentence", "句子"),
    "inspect.sentence_hint": ("Paste a sentence, or choose a document", "粘贴一句话，或选择一个文档"),
    "inspect.look": ("Look inside", "查看内部"),
    "inspect.no_sentence": ("Write or choose a sentence first.", "请先写一句话或选择一个文档。"),
    "inspect.too_long": (
        "This text has {length} {length:character|characters}; the page draws the first {limit}. "
        "Choose a shorter sentence to see all.",
        "这段文字有 {length} 个字符，页面只画前 {limit} 个。想看全部请选择更短的句子。",
    ),
    "inspect.why": ("Why this span", "为什么是这个实体"),
    "inspect.why_how": (
        "What the confidence in this span rests on. Leaving something out and tagging again is a test; "
        "shares and colours are a picture: neither says what a person would call the reason.",
        "这个实体的置信度依赖什么。去掉某样东西再标一次是检验；份额和颜色只是图像：都不等于人所说的理由。",
    ),
    "inspect.what_if": ("What if", "如果换一种写法"),
    "inspect.what_if_how": (
        "Change the sentence and see what the prediction becomes; the original stays. One changed answer "
        "shows what this tagger does here, not what it does in general.",
        "修改句子，看预测变成什么；原句不受影响。一次改动只说明标注器在这里的反应，不代表它一贯如此。",
    ),
    "inspect.lattice": ("Lattice", "词格"),
    "inspect.lattice_how": (
        "Characters on the base line, dictionary words as bars over them. Point at one to see whom it looks "
        "at and who looks at it, or how words enter characters. A word here is an offer, and a strong tie no "
        "proof: dropping the word, above, is the check.",
        "底线上是字，上方的条是词典词。指向其中一个，可看到它看向谁、谁看向它，或词如何进入字。"
        "词格里的词只是候选，联系强也不是证明：上面的去词才是检验。",
    ),
    "inspect.distances": ("Relative distances", "相对距离"),
    "inspect.distances_how": (
        "How far each node stands from each other by heads and tails; FLAT sees positions only through these "
        "and what it makes of them. The distances come from the text alone; what is learned is how they are "
        "fused, and no norm says what the tagger did with it.",
        "每两个节点按头和尾相距多远；FLAT 只通过这些距离及其编码看到位置。距离只由文本决定，"
        "学到的只是如何融合；范数大小并不说明标注器用它做了什么。",
    ),
    "inspect.distance.head-head": ("head to head", "头到头"),
    "inspect.distance.head-tail": ("head to tail", "头到尾"),
    "inspect.distance.tail-head": ("tail to head", "尾到头"),
    "inspect.distance.tail-tail": ("tail to tail", "尾到尾"),
    "inspect.characters": ("characters", "字符"),
    "inspect.from": ("from node", "从节点"),
    "inspect.to": ("to node", "到节点"),
    "inspect.attention": ("Attention", "注意力"),
    "inspect.attention_how": (
        "Each row says where one unit looks; a row sums to 1 unless something is left out. Attention is a "
        "picture of information flow, not a proof of cause: taking words away is the check.",
        "每一行表示一个单位看向哪里；只要没有略去什么，一行之和为 1。"
        "注意力只是信息流动的图像，不能证明原因：去掉词再看才是检验。",
    ),
    "inspect.view": ("View", "视图"),
    "inspect.heatmap": ("heatmap", "热图"),
    "inspect.head_view": ("BertViz head view", "BertViz 头视图"),
    "inspect.model_view": ("BertViz model view", "BertViz 模型视图"),
    "inspect.layer": ("Layer", "层"),
    "inspect.head": ("Head", "注意力头"),
    "inspect.mean": ("mean of heads", "各头平均"),
    "inspect.weight": ("weight", "权重"),
    "inspect.query": ("from (query)", "从（查询）"),
    "inspect.key": ("to (key)", "到（键）"),
    "inspect.crf": ("CRF", "CRF"),
    "inspect.crf_how": (
        "Emissions score every tag at every character, transitions every tag after every other; marginals "
        "are the probabilities both give together. One point ahead in score is 2.7 times as likely. All this "
        "says how the tags were chosen, not why a character scores as it does.",
        "发射分给每个字的每个标签打分，转移分给标签的先后打分；边际概率是两者合起来的结果。"
        "分数每高 1 分，可能性约为 2.7 倍。这些说明标签如何选出，不说明某个字为何得这个分。",
    ),
    "inspect.crf_panel": ("Show", "显示"),
    "inspect.emissions": ("emissions", "发射分"),
    "inspect.marginals": ("marginals", "边际概率"),
    "inspect.transitions": ("transitions", "转移分"),
    "inspect.score": ("score", "分数"),
    "inspect.probability": ("probability", "概率"),
    "inspect.from_tag": ("from tag", "从标签"),
    "inspect.to_tag": ("to tag", "到标签"),
    "inspect.path": ("chosen path", "选中的路径"),
    "inspect.character": ("character", "字符"),
    "inspect.tag": ("tag", "标签"),
    "inspect.mix": ("Layer weights", "各层权重"),
    "inspect.mix_how": (
        "How much of each layer of the encoder went into the characters. A share says how layers were "
        "joined, not how much one matters: their vectors differ in length, and a small share may be needed.",
        "编码器各层在字符表示中所占的份额。份额只说明各层如何混合，不代表重要程度：各层向量长短不一，份额小"
        "的层也可能不可缺少。",
    ),
    "inspect.pu": ("Answers by type", "各类型的回答"),
    "inspect.pu_how": (
        "Every row is one classifier: how likely each character is of its type. A ring marks the type that "
        "won, and lines part the words that answer as one. A low answer does not say that something is no "
        "entity: the word list and the raw text that taught it hold no proof of that.",
        "每一行是一个分类器：各字属于该类型的概率。圆圈标出最终选定的类型，竖线隔开共同作答的词。"
        "概率低并不能证明那里不是实体：它学自词表和原始文本，其中没有这样的证据。",
    ),
    "inspect.mrc": ("Queries", "问题（查询）"),
    "inspect.mrc_how": (
        "For every label the tagger was asked a question; here is where it saw spans start and end, and "
        "which start it joined to which end. A span needs all three.",
        "每个标签对应一个问题：图中是标注器认为实体开始和结束的位置，以及哪个开头与哪个结尾相配；三者都要成"
        "立。",
    ),
    "inspect.mrc_panel": ("Show", "显示"),
    "inspect.starts_and_ends": ("starts and ends", "开头与结尾"),
    "inspect.starts": ("starts here", "在此开始"),
    "inspect.ends": ("ends here", "在此结束"),
    "inspect.first_character": ("first character", "首字"),
    "inspect.last_character": ("last character", "末字"),
}
