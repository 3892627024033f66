// What a widget needs to know of the page around it. Only this module and `js=` strings read `window.latticelens`, which the
// script in the head of the page (assets/app.js) makes.

export const sessionToken = () => window.latticelens?.token ?? "";

export const currentProject = () => Number(window.latticelens?.project);

export const pageLanguage = () => window.latticelens?.language ?? "en";

// Where the person is on `page`, from the address: {name: text}; and what is to stand there from now on. step: Back returns to
// before. `addressOf` is where a link to another place of the project leads. `onPlace` calls `then` after Back, forward or a link
// led to another place on this page, which `then` shows.
export const readPlace = (page) => window.latticelens?.place(page) ?? {};
export const writePlace = (page, values, step = false) => window.latticelens?.locate(page, values, step);
export const addressOf = (page, values) => window.latticelens?.addressOf(page, window.latticelens.project, values) ?? "#";
export const onPlace = (page, then) =>
  window.addEventListener("latticelens:place", (event) => {
    if (event.detail.page !== page) return;
    event.preventDefault();
    then();
  });

// Which page the person sees, those closed to them, and the way to another: by its address, as Back and links lead there.
export const pageInFront = () => window.latticelens?.page ?? "";
export const closedPages = () => (document.documentElement.dataset.closed ?? "").split(" ");
export const focusableIn = (root) => window.latticelens.focusableIn(root);
export const goTo = (page, values = {}) => window.latticelens.goTo(page, values);

// What the scripts say in this language, which is not English: `messages` by their English, and `forms`.
export const pageMessages = (language) => globalThis.window?.latticelens?.messages?.[language];

// Gradio answers nothing at all, and throws nothing, where the app cannot be reached.
export const UNREACHABLE = { ok: false, code: "unreachable" };

// What the server function `name` answers: { ok: true, … }, or { ok: false, code, message, … }; without a message where the app
// cannot be reached. It is asked of the page's project; a payload may name another, or, as undefined, whichever it is.
export const askServer = async (server, name, payload = {}) => {
  try {
    return (await server[name]({ project: currentProject(), ...payload, token: sessionToken() })) ?? UNREACHABLE;
  } catch {
    return UNREACHABLE;
  }
};

// Settles once the page in front has its contents.
export const whenFilled = async () => {
  while (document.documentElement.classList.contains("ll-filling")) await new Promise((look) => setTimeout(look, 50));
};

// Calls `then` when the session, the project or the language changes; what it returns ends that.
export const onMoved = (then) => {
  const events = ["latticelens:session", "latticelens:moved"];
  for (const event of events) window.addEventListener(event, then);
  return () => events.forEach((event) => window.removeEventListener(event, then));
};

// Leads to another page, where `values` stand in the address; and opens the dialog in which a project is made.
export const turnTo = (page, values = {}) => window.latticelens?.turnTo(page, values);
export const newProject = () => window.latticelens?.newProject();

// Calls `then` whenever `host` comes into sight, as with its tab, and when the session moves while it is in sight.
export const whenSeen = (host, then) => {
  let shown = false;
  const seen = () => host.isConnected && host.getClientRects().length > 0;
  const look = () => {
    const now = seen();
    if (now && !shown && sessionToken()) then();
    shown = now;
  };
  new ResizeObserver(look).observe(host);
  onMoved(() => seen() && then());
  look();
};

// Calls `begin` with the `page` prop of a widget whenever it has another content; on a new page it may come before the token.
export const beginWithPage = ({ props, watch }, begin) => {
  let begun = "";
  const look = () => {
    const now = JSON.stringify(props.page ?? null);
    if (!props.page || now === begun || !sessionToken()) return;
    begun = now;
    begin(props.page);
  };
  watch("page", look);
  window.addEventListener("latticelens:session", look);
  look();
};

// Draws a widget now and whenever it is given another value.
export const drawValue = ({ props, watch }, draw) => {
  const show = () => draw(props.value ?? {});
  watch("value", show);
  show();
};
