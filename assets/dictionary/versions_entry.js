// Entry of the Versions tab's gr.HTML.

const versionList = new VersionList(element.querySelector(".ll-words"), server, STRINGS);
let versionsBegun = "";
const beginVersions = () => {
  const now = JSON.stringify(props.page ?? null);
  if (!props.page || now === versionsBegun) return;
  versionsBegun = now;
  versionList.begin({ ...props.page });
};
// The other tabs change the list: it is read again whenever it comes to the front.
new IntersectionObserver((seen) => {
  if (versionsBegun && seen.some((one) => one.isIntersecting)) versionList.load();
}).observe(element);
watch("page", beginVersions);
beginVersions();
