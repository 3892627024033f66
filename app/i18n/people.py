"""Strings about people: roles, rights, refusals, and the people section of the Settings page."""

STRINGS: dict[str, tuple[str, str]] = {
    # refusals; core.store.db.errors has the same in English alone
    "people.error.not_a_member": (
        "This project has members and “{user}” is none of them. Ask {managers} to add you, or choose your "
        "name in Settings.",
        "这个项目有成员名单，其中没有“{user}”。请让 {managers} 添加你，或在“设置”中选择你的名字。",
    ),
    "people.error.not_allowed": (
        "Your role here is {role}; {right} is not part of it. Ask {managers}.",
        "你在这个项目中的角色是{role}，不能{right}。请联系 {managers}。",
    ),
    "people.error.not_handed": (
        "Document {document} is not handed to {user}. Open one from the queue, or ask {managers}.",
        "文档 {document} 没有分配给 {user}。请从列表中打开，或联系 {managers}。",
    ),
    "people.error.last_manager": (
        "{user} would be the last manager to go: make somebody else a manager first.",
        "{user} 是最后一位管理员：请先指定另一位管理员。",
    ),
    "people.error.no_members": (
        "Nobody is a member of this project yet. Add the people who annotate first.",
        "这个项目还没有成员。请先添加标注者。",
    ),
    "people.error.too_few_people": (
        "{overlap} people cannot label each document: only {people} take part. Add people, or choose a "
        "smaller number.",
        "每篇文档需要 {overlap} 人标注，但只有 {people} 人参加。请添加人员，或减少人数。",
    ),
    "people.error.no_people": (
        "Nobody was chosen to hand documents to. Choose at least one person.",
        "没有选择接收文档的人。请至少选择一位。",
    ),
    "people.error.stale_review": (
        "{users} changed their annotation while you were reviewing. Nothing was written: look at the new "
        "differences.",
        "你审阅时 {users} 修改了标注。没有写入任何内容：请查看新的分歧。",
    ),
    "people.error.no_versions": (
        "Nobody has finished document {document}. There is nothing to review yet.",
        "文档 {document} 还没有人完成，暂时没有可审阅的内容。",
    ),
    "people.error.nothing_to_undo": ("There is nothing left to take back.", "没有可以撤销的内容了。"),
    "people.role.annotator": ("annotator", "标注者"),
    "people.role.reviewer": ("reviewer", "审阅者"),
    "people.role.manager": ("manager", "管理员"),
    "people.right.annotate": ("annotating", "标注"),
    "people.right.try_tagger": ("trying the tagger", "试用标注器"),
    "people.right.see_documents": ("seeing all documents", "查看全部文档"),
    "people.right.review": ("reviewing", "审阅"),
    "people.right.export": ("exporting", "导出"),
    "people.right.change_dictionary": ("changing the dictionary", "修改词典"),
    "people.right.import": ("importing and dealing into splits", "导入文档和划分数据集"),
    "people.right.remove_documents": ("removing documents", "删除文档"),
    "people.right.train": ("training", "训练"),
    "people.right.promote": ("choosing the serving tagger", "选择服务中的标注器"),
    "people.right.change_labels": ("changing labels", "修改标签"),
    "people.right.manage": ("managing the project", "管理项目"),
    # the section of the Settings page
    "people.section": ("#### People", "#### 成员"),
    "people.how": (
        "Alone you need none of this: without members everybody may do everything.",
        "一个人使用时不需要这些：没有成员时，所有人都可以做任何事。",
    ),
    "people.courtesy": (
        "Nobody logs in here, so a role is a courtesy, not protection: whoever opens the page can choose any "
        "name. Start with `--auth` to make names certain.",
        "这里没有登录，角色只是约定，不是保护：打开页面的人可以选择任何名字。用 `--auth` 启动才能确认身份。",
    ),
    "people.you_are": ("You are **{user}**: {role}.", "你是 **{user}**：{role}。"),
    "people.nobody": (
        "No members yet. Who adds the first one becomes the manager.",
        "还没有成员。添加第一位成员的人成为管理员。",
    ),
    "people.column.name": ("name", "名字"),
    "people.column.role": ("role", "角色"),
    "people.column.handed": ("documents", "文档数"),
    "people.column.done": ("done", "已完成"),
    "people.name": ("Name", "名字"),
    "people.name_how": (
        "Exactly as they log in, or as they write it in Settings.",
        "与其登录名（或在“设置”中填写的名字）完全一致。",
    ),
    "people.role": ("Role", "角色"),
    "people.put": ("Add or change", "添加或修改"),
    "people.remove": ("Remove", "移除"),
    "people.put_done": ("{user} is {role} now.", "{user} 现在是{role}。"),
    "people.removed": (
        "{user} is no member any more. What they annotated stays.",
        "{user} 不再是成员。其标注仍然保留。",
    ),
    "people.workflow": ("How to annotate", "标注方式"),
    "people.workflow.together": ("together: one annotation", "共同标注：一份标注"),
    "people.workflow.separate": ("separately: own copies, then a review", "各自标注：每人一份，再审阅"),
    "people.overlap": ("People per document", "每篇文档的人数"),
    "people.save_plan": ("Save", "保存"),
    "people.plan_saved": ("Saved.", "已保存。"),
    "people.hand_to": ("Hand documents to", "把文档分配给"),
    "people.again": ("deal what nobody has begun anew", "重新分配尚未开始的文档"),
    "people.preview": ("See what would happen", "预览"),
    "people.hand_out": ("Hand out", "分配"),
    "people.would": (
        "Documents: {documents}. Would be handed out: {added}, taken back: {removed}. Each has: {loads}.",
        "将分配 {documents} 篇文档，新增 {added} 人次，收回 {removed} 人次：{loads}。",
    ),
    "people.dealt": (
        "Documents: {documents}. Handed out: {added}, taken back: {removed}. Each has: {loads}. Seed {seed}.",
        "已分配 {documents} 篇文档，新增 {added} 人次，收回 {removed} 人次：{loads}。随机种子 {seed}。",
    ),
    "people.load": ("{user} {count}", "{user} {count} 篇"),
    "people.nothing_to_deal": ("There is no document to hand out.", "没有可以分配的文档。"),
    "people.separator": (", ", "，"),
    "people.handed_out_only_separate": (
        "Documents are handed out where everybody labels separately. Choose that above and save.",
        "只有各自标注时才分配文档。请先在上面选择并保存。",
    ),
    "people.categories": ("Error categories of the review", "审阅的错误类别"),
    "people.categories_how": (
        "Separated by commas or lines; empty brings the first ones back.",
        "用逗号或换行分隔；留空则恢复默认。",
    ),
    "people.save_categories": ("Save the categories", "保存类别"),
    "people.categories_saved": ("Categories saved.", "类别已保存。"),
}
