// Entry of the Versions tab's gr.HTML: the list is read whenever its tab comes into sight or the session moves.

const versionsHost = element.querySelector(".ll-words");
const versionList = new VersionList(versionsHost, server);
const versionsSeen = () => versionsHost.getClientRects().length > 0;
let versionsShown = false;
const versionsAppear = () => {
  const now = versionsSeen();
  if (now && !versionsShown && window.latticelens?.token) versionList.refresh();
  versionsShown = now;
};
new ResizeObserver(versionsAppear).observe(versionsHost);
for (const event of ["latticelens:session", "latticelens:moved"]) {
  window.addEventListener(event, () => versionsHost.isConnected && versionsSeen() && versionList.refresh());
}
versionsAppear();
