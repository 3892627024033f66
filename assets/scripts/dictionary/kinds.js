// Which of a project's labels stands for a kind of names of the base dictionary.

export const KINDS = ["person", "place", "organisation", "other"];

const CALLED = {
  person: /^(per|name|nr)|人名|姓名|人物/i,
  place: /^(loc|gpe|place|ns)|地名|地点/i,
  organisation: /^(org|nt|com)|机构|组织|公司|单位/i,
};

export const labelOfKind = (kind, labels) => labels.find((name) => CALLED[kind]?.test(name)) ?? "";
