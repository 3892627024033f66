// What a widget needs to know of the page around it. Only this module and `js=` strings read `window.latticelens`, which the
// script in the head of the page (assets/app.js) makes.

export const sessionToken = () => window.latticelens?.token ?? "";

export const pageLanguage = () => window.latticelens?.language ?? "en";

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

// Calls `begin` with the `page` prop of a widget whenever it has another content.
export const beginWithPage = ({ props, watch }, begin) => {
  let begun = "";
  const look = () => {
    const now = JSON.stringify(props.page ?? null);
    if (!props.page || now === begun) return;
    begun = now;
    begin(props.page);
  };
  watch("page", look);
  look();
};

// Draws a widget now and whenever it is given another value.
export const drawValue = ({ props, watch }, draw) => {
  const show = () => draw(props.value ?? {});
  watch("value", show);
  show();
};
