// Entry of the Versions tab's gr.HTML.

const versionList = new VersionList(element.querySelector(".ll-words"), server, props.catalogue);
let versionsBegun = "";
const beginVersions = () => {
  const now = JSON.stringify(props.page ?? null);
  if (!props.page || now === versionsBegun) return;
  versionsBegun = now;
  versionList.begin({ ...props.page });
};
watch("page", beginVersions);
beginVersions();
