// What a widget needs to know of the page around it. Only this module and `js=` strings read `window.latticelens`, which the
// script in the head of the page (assets/app.js) makes.

export const sessionToken = () => window.latticelens?.token ?? "";

export const pageLanguage = () => window.latticelens?.language ?? "en";

// Where the person is on `page`, from the address: {name: text}; and what is to stand there from now on. step: Back returns to
// before. `addressOf` is where a link to another place leads. `onPlace` calls `then` after Back, forward or a link led to another place on this page.
export const readPlace = (page) => window.latticelens?.place(page) ?? {};
export const writePlace = (page, values, step = false) => window.latticelens?.locate(page, values, step);
export const addressOf = (page, values) => window.latticelens?.addressOf(page, values) ?? "#";
export const onPlace = (page, then) => window.addEventListener("latticelens:place", ({ detail }) => detail.page === page && then());

// What the scripts say in this language, which is not English: `messages` by their English, and `forms`.
export const pageMessages = (language) => globalThis.window?.latticelens?.messages?.[language];

// Gradio answers nothing at all, and throws nothing, where the app cannot be reached.
export const UNREACHABLE = { ok: false, code: "unreachable" };

// What the server function `name` answers: { ok: true, … }, or { ok: false, code, message, … }; without a message where the app
// cannot be reached.
export const askServer = async (server, name, payload = {}) => {
  try {
    return (await server[name]({ ...payload, token: sessionToken() })) ?? UNREACHABLE;
  } catch {
    return UNREACHABLE;
  }
};

// Calls `then` when the session, the project or the language changes.
export const onMoved = (then) => {
  for (const event of ["latticelens:session", "latticelens:moved"]) window.addEventListener(event, then);
};

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
