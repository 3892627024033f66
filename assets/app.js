// The only global of the page, `window.latticelens`: what `js=` strings and the one line of each widget call. Remembers theme,
// language, name and project between visits, and the session token between reloads of one tab. The hash of the address says
// where a person is: `#annotate?project=2&document=15&status=new`.
(() => {
  const kept = (key) => { try { return localStorage.getItem("latticelens." + key); } catch { return null; } };
  const keep = (key, value) => { try { localStorage.setItem("latticelens." + key, value); } catch { /* private mode */ } };
  const tab = (value) => {
    try {
      if (value !== undefined) sessionStorage.setItem("latticelens.token", value);
      return sessionStorage.getItem("latticelens.token") || "";
    } catch { return ""; }
  };
  const readAddress = () => {
    const [page, query = ""] = location.hash.slice(1).split("?");
    return { page, values: Object.fromEntries(new URLSearchParams(query)) };
  };
  const isNumber = (value) => /^[0-9]{1,15}$/.test(value ?? "");
  const FOCUSABLE = "button, input, select, textarea, summary, a[href], [tabindex='0']";
  // Who asks the system for less movement gets none, ours or Gradio's: neither of CSS nor of scripts, nor smooth scrolling.
  // Here, as Gradio limits the rules of app.css to its pages and Svelte's transitions obey none.
  const less = matchMedia("(prefers-reduced-motion: reduce)");
  const calm = () => {
    const sheet = document.createElement("style");
    sheet.textContent = `@media ${less.media} { *, ::before, ::after { transition: none !important; animation: none !important; } }`;
    document.head.append(sheet);
    const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, options) {
      return animate.call(this, frames, less.matches ? { ...(typeof options === "object" ? options : {}), duration: 0, delay: 0 } : options);
    };
    for (const scrolling of [Element.prototype, window]) {
      for (const name of ["scrollIntoView", "scrollTo", "scrollBy", "scroll"].filter((one) => one in scrolling)) {
        const move = scrolling[name];
        scrolling[name] = function (...asked) {
          const smooth = less.matches && asked[0]?.behavior === "smooth";
          return move.apply(this, smooth ? [{ ...asked[0], behavior: "instant" }] : asked);
        };
      }
    }
  };
  calm();
  // The server knows nobody behind this page any more: its login page says why.
  const ask = window.fetch;
  window.fetch = async (...asked) => {
    const streams = String(asked[0]?.url ?? asked[0]).includes("/queue/data");
    const asking = ask(...asked);
    asking.catch(unlessAborted(() => lens.sayConnectionIsLost())).catch(() => {});
    const answer = await (streams ? asking.catch(unlessAborted(() => new Response(""))) : asking);
    if (answer.status === 401 && answer.headers.has("X-LatticeLens-Login")) {
      const { detail } = await answer.clone().json().catch(() => ({}));
      try { sessionStorage.setItem("latticelens.told", detail ?? ""); } catch { /* private mode */ }
      location.reload();
    }
    if (streams) return endedInWords(answer);
    return answer.headers.has("X-LatticeLens-Refused") ? inThisLanguage(answer) : answer;
  };
  // Gradio takes a stream of answers that broke, or never began, for an open one: it opens no other, and what is asked from then
  // on waits without end. So the stream ends in words it knows: to all who wait that the connection broke, then that it closed.
  // What the client itself aborts is no broken connection: it may have opened the next stream already.
  const unlessAborted = (broke) => (error) => { if (error.name === "AbortError") throw error; return broke(); };
  const BROKE = [{ msg: "broken_connection", message: "Connection errored out." }, { msg: "close_stream" }];
  const endedInWords = ({ ok, body, headers }) => {
    const reader = (ok ? body : new Response("").body).pipeThrough(new TextDecoderStream()).getReader();
    const told = new ReadableStream({
      async start(controller) {
        for (let rest = "", closed = false; ;) {
          const { done, value } = await reader.read().catch(unlessAborted(() => ({ done: true })));
          const parts = (rest + (value ?? "")).split("\n\n");
          rest = parts.pop(); // half a message is none
          closed ||= parts.some((part) => part.includes('"close_stream"'));
          if (done && !closed) {
            lens.sayConnectionIsLost();
            parts.splice(0, parts.length, ...BROKE.map((one) => `data: ${JSON.stringify(one)}`));
          }
          for (const part of parts) controller.enqueue(`${part}\n\n`);
          if (done) return controller.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return new Response(told.pipeThrough(new TextEncoderStream()), { headers });
  };
  // The refusal of a request beyond a limit, as what asked would have it: a widget reads why from a reply, a form shows what
  // it is told. What no waiting makes smaller (413) is not to be tried again.
  const inThisLanguage = async (answer) => {
    const { detail, said = {} } = await answer.clone().json().catch(() => ({}));
    const message = said[lens.language] ?? detail ?? "";
    const { status } = answer;
    if (answer.url.includes("/component_server")) {
      const seconds = Number(answer.headers.get("Retry-After")) || null;
      return Response.json({ ok: false, code: status === 413 ? "invalid" : "over_limit", message, seconds });
    }
    if (answer.url.includes("/queue/join") && !lens.filled.has(lens.page)) lens.leftEmpty(message);
    return answer.url.includes("/upload") ? new Response(message, { status }) : Response.json({ detail: message }, { status });
  };
  // Where the person was before another site logged them in.
  try {
    const place = sessionStorage.getItem("latticelens.place");
    if (place && !location.hash) history.replaceState(history.state, "", place);
    sessionStorage.removeItem("latticelens.place");
  } catch { /* private mode */ }
  const tag = (language) => (language === "zh" ? "zh-CN" : language); // Chinese here is simplified
  // The line above the pages stays closed in this tab; known here, before it is drawn, so that nothing moves.
  const banner = (closed) => document.documentElement.classList.toggle("ll-banner-closed", closed);
  try { banner(sessionStorage.getItem("latticelens.banner") === "closed"); } catch { /* private mode */ }
  const lens = {
    token: "",
    language: "en",
    project: "",
    page: "", // in front
    places: {}, // what each page has put into the address, by page
    demo: false,
    goal: "", // the page that gradio was asked to show and has not told of yet
    passed: new Set(), // those left before they were drawn: gradio still tells of each, in any order
    filled: new Set(), // pages that have had their contents
    isDark: () => document.body.classList.contains("dark"),
    applyTheme() {
      const theme = kept("theme");
      if (theme) document.body.classList.toggle("dark", theme === "dark");
      window.dispatchEvent(new CustomEvent("latticelens:theme", { detail: { dark: lens.isDark() } }));
    },
    closeBanner() {
      try { sessionStorage.setItem("latticelens.banner", "closed"); } catch { /* private mode */ }
      banner(true);
      lens.enter(lens.page); // its button, which had the focus, is gone
    },
    switchTheme() {
      keep("theme", lens.isDark() ? "light" : "dark");
      lens.applyTheme();
    },
    wanted: () => kept("language") || navigator.language || "en",
    // The page comes in one language; for another, `texts` holds properties by component number, and they are put
    // in before gradio draws.
    speak(texts) {
      const wanted = lens.wanted().toLowerCase();
      const language = Object.keys(texts).find((one) => wanted.startsWith(one)) ?? "en";
      const ours = texts[language];
      document.documentElement.lang = tag(language);
      if (!ours) return;
      for (const { id, props } of window.gradio_config?.components ?? []) if (ours[id]) Object.assign(props, ours[id]);
    },
    // Before gradio draws: the page that the address names stands in front.
    openAt(pages, first) {
      const { page, values } = readAddress();
      const { project, ...place } = values;
      lens.page = pages.includes(page) ? page : first;
      lens.places[lens.page] = place;
      document.documentElement.classList.toggle("ll-filling", lens.page !== first);
      for (const { type, props } of window.gradio_config?.components ?? []) {
        if (type === "tabs" && props.elem_id === "ll-pages") props.selected = lens.page;
      }
      window.addEventListener("popstate", lens.follow);
      document.addEventListener("click", (event) => {
        if (event.target.id !== "ll-skip") return;
        event.preventDefault(); // the address says where the person is
        lens.enter(lens.page);
      });
      // Gradio tells of a tab only once all of it is drawn.
      document.addEventListener("click", ({ target }) => {
        const page = /^ll-tab-([a-z]+)-button$/.exec(target.closest("[role=tab]")?.id ?? "")?.[1];
        if (page || target.closest(".overflow-dropdown")) {
          lens.goal = "";
          lens.passed.clear();
        }
        if (page) lens.shown(page);
      });
    },
    // Has gradio show a page: it tells of it (`shown`) once all of it is drawn.
    turn(page) {
      if (lens.goal) lens.passed.add(lens.goal);
      lens.passed.delete(page);
      lens.goal = page;
      document.getElementById("ll-turn")?.click();
    },
    // What a page wants to stand in the address; a value of null, "" or undefined does not, and a list stands there with commas.
    // step: Back returns to before.
    locate(page, values, step = false) {
      const said = Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : value]);
      lens.places[page] = { ...lens.places[page], ...Object.fromEntries(said) };
      if (page === lens.page) lens.writeAddress(step);
    },
    // What stands in the address of a value: nothing where it is the default.
    unless: (fresh, value) => (String(value ?? "") === String(fresh ?? "") ? "" : value),
    place: (page) => lens.places[page] ?? {},
    // The inputs of a page's listener, after token and `moved`: those that have a name in the address as it says, else as on
    // a fresh page. The last one tells the project, and the numbers of those that hold that already: the answer leaves them alone.
    placed(page, named, [token, moved, ...given]) {
      const place = lens.place(page);
      const asked = named.map((one, at) => {
        if (!one) return given[at];
        const [name, fresh, several] = one;
        const said = place[name] || fresh;
        return several && typeof said === "string" ? said.split(",").filter(Boolean) : said;
      });
      const held = asked.map((value, at) => [value, at]).filter(([value, at]) => JSON.stringify(value) === JSON.stringify(given[at]));
      const said = { held: held.map(([, at]) => at), project: Number(lens.project) || null };
      return [token, moved, ...asked, JSON.stringify(said)];
    },
    shown(page) {
      if (lens.passed.delete(page)) return lens.turn(lens.goal || lens.page);
      lens.goal = "";
      const step = Boolean(lens.page) && page !== lens.page;
      if (page !== lens.page) document.documentElement.classList.remove("ll-left-empty");
      lens.page = page;
      lens.writeAddress(step);
      lens.fill();
    },
    // A page is drawn at once with its first contents, so that none of them pushes the others down.
    fill() {
      lens.show();
      if (lens.filled.has(lens.page) || lens.isLeftEmpty()) return;
      document.documentElement.classList.add("ll-filling");
      lens.slow = setTimeout(() => lens.showLate(), 1500);
    },
    // For a slow answer a page is not held back, but it cannot be used before: its contents would come over what was begun.
    showLate(then = lens.show) {
      lens.show();
      document.documentElement.classList.add("ll-late");
      document.getElementById("ll-pages")?.setAttribute("aria-busy", "true");
      lens.slow = setTimeout(then, 30_000); // an answer that never comes closes no page
    },
    // The app has filled a page: `told` is "page|count", or "page|count|why not". Without a session there is no page.
    fillingEnded(told) {
      const [page, , ...why] = told.split("|");
      if (why.length) return (!page || page === lens.page) && lens.leftEmpty(why.join("|"));
      lens.filled.add(page);
      if (page === lens.page) document.documentElement.classList.remove("ll-left-empty");
      if (page === lens.page) requestAnimationFrame(() => requestAnimationFrame(lens.show));
    },
    // Says why the page in front has no contents, in their place; where it has earlier ones, over them.
    leftEmpty(why) {
      const said = document.getElementById("ll-left-empty-said");
      said.textContent = why ?? said.dataset.late;
      document.documentElement.classList.add("ll-left-empty");
      document.documentElement.classList.toggle("ll-nothing-yet", !lens.filled.has(lens.page));
      lens.show();
    },
    // While Gradio tries to connect again it says so in English only: a moment from now, in a toast that gets our sentence.
    sayConnectionIsLost(tries = 50) {
      const told = [...document.querySelectorAll("[data-testid=toast-text]")].find((one) => one.textContent.startsWith("Connection to the server"));
      if (told) told.firstChild.data = document.getElementById("ll-connection-lost").dataset.said;
      else if (tries) setTimeout(() => lens.sayConnectionIsLost(tries - 1), 60);
    },
    isLeftEmpty: () => document.documentElement.classList.contains("ll-left-empty"),
    tryAgain() {
      document.documentElement.classList.remove("ll-left-empty");
      if (!lens.token) return location.reload();
      lens.fill();
      document.getElementById("ll-again").click();
    },
    show() {
      clearTimeout(lens.slow);
      document.documentElement.classList.remove("ll-filling", "ll-late");
      document.getElementById("ll-pages")?.removeAttribute("aria-busy");
    },
    // The hash of a place.
    addressOf(page, project, values) {
      const said = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
      return `#${page}?${new URLSearchParams([["project", project], ...said.sort()])}`;
    },
    writeAddress(step) {
      if (!lens.project) return; // not before the session is known
      const hash = lens.addressOf(lens.page, lens.project, lens.place(lens.page));
      if (hash === location.hash) return;
      try {
        history[step ? "pushState" : "replaceState"](history.state, "", hash);
      } catch { /* Safari allows a hundred changes in half a minute; the next one catches up */ }
    },
    // Back, forward, or a link to another place of this window.
    follow() {
      const { page, values } = readAddress();
      const { project, ...place } = values;
      if (!page) return;
      if (isNumber(project) && project !== lens.project) return location.reload();
      lens.places[page] = place;
      const inFront = page === lens.page;
      if (!inFront) {
        lens.page = page;
        lens.turn(page);
      }
      const told = new CustomEvent("latticelens:place", { detail: { page }, cancelable: true });
      // What no script of the page shows, the page is filled with anew.
      if (window.dispatchEvent(told) && inFront) document.getElementById("ll-again")?.click();
    },
    // To a place as a link leads there; the keys go on in it. What it does not name stays as the page has it.
    goTo(page, { project = lens.project, ...values }) {
      const place = String(project) === lens.project ? lens.place(page) : {};
      location.hash = lens.addressOf(page, project, { ...place, ...values });
      lens.enter(page);
    },
    focusableIn: (root) => [...root.querySelectorAll(FOCUSABLE)].filter((part) => !part.disabled && part.checkVisibility({ visibilityProperty: true })),
    // Puts the focus into the page: into the text, else on the first control. Waits until it is drawn.
    enter(page, tries = 50) {
      const panel = document.getElementById(`ll-tab-${page}`);
      const parts = panel?.offsetParent ? lens.focusableIn(panel) : [];
      const first = parts.find((part) => part.matches(".lla-annotator .lla-text")) ?? parts[0];
      if (first) first.focus();
      else if (tries) setTimeout(() => lens.enter(page, tries - 1), 60);
    },
    // Svelte watches plain objects and arrays, and gradio asks every listener about every component as it opens:
    // millions of reads, each through a proxy. Listeners never change, so neither they nor their list need be plain.
    settleListeners() {
      class Listener {}
      class Listeners extends Array {}
      const listeners = window.gradio_config?.dependencies ?? [];
      for (const listener of listeners) Object.setPrototypeOf(listener, Listener.prototype);
      Object.setPrototypeOf(listeners, Listeners.prototype);
    },
    // What the one line of a widget calls: `module` of assets/scripts takes over the widget.
    async mount(module, widget) {
      const address = (name) => new URL(`${lens.scripts}/${name}`, document.baseURI).href;
      for (const name of lens.needed[module]) {
        document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: address(name) }));
      }
      lens.needed[module] = []; // once is enough for all widgets of the page
      const { mount } = await import(address(module));
      mount(widget);
    },
    // A duplicated tab brings the token of the tab it was made from, which is still open and has its own project: it gets a session
    // of its own. While a page is open it holds the lock of its token; that of a page that is reloaded is free in a moment.
    async claim() {
      const token = tab();
      // In a demo a session is all of a visitor's work. A page that came over plain HTTP from another machine has no locks.
      if (!token || lens.demo || !navigator.locks) return token;
      const wait = performance.getEntriesByType("navigation")[0]?.type === "reload" ? 5000 : 1000; // the page before may not have let go yet
      return new Promise((go) => lens.hold(token, () => go(token), { signal: AbortSignal.timeout(wait) }).catch(() => go("")));
    },
    // The lock is held until the page is closed, as the promise never settles.
    hold: (token, held = () => {}, options = {}) => navigator.locks.request(`latticelens.${token}`, options, () => new Promise(() => held())),
    // What the page tells the app when it opens: [token of this tab, language, name, project of the last visit].
    async start() {
      lens.applyTheme();
      const token = await lens.claim();
      const { project } = readAddress().values;
      const last = token ? "" : kept("project") || ""; // a session that goes on has its project
      return [token, lens.wanted(), kept("user") || "", isNumber(project) ? project : last];
    },
    async logOut() {
      await fetch(new URL("logout", document.baseURI), { method: "POST" });
      location.reload();
    },
    newProject: () => window.dispatchEvent(new CustomEvent("latticelens:new-project")),
    // A button of a script that leads to another page, and what shall stand in that page's address.
    turnTo(page, values) {
      lens.places[page] = values;
      if (page === lens.page) return lens.writeAddress(false);
      lens.turn(page);
    },
    // Scrolls the result `id` to the top where a narrow page shows it below the window or above it. Waits until it is drawn
    // and no list of choices is open, and holds it there while the rest is drawn, unless the person moves on.
    reveal(id, tries = 100) {
      if (window.innerWidth > 720) return;
      const result = document.getElementById(id);
      if (!result?.offsetHeight || document.querySelector("ul.options")) {
        if (tries) setTimeout(() => lens.reveal(id, tries - 1), 100);
        return;
      }
      const until = performance.now() + 1500;
      let left = false;
      const leave = () => (left = true);
      const acts = ["pointerdown", "wheel", "keydown"];
      for (const act of acts) window.addEventListener(act, leave, { passive: true });
      const hold = () => {
        const { top } = result.getBoundingClientRect();
        if (!left && (top < 0 || top > window.innerHeight / 3)) result.scrollIntoView({ block: "start" });
        if (!left && performance.now() < until) requestAnimationFrame(hold);
        else for (const act of acts) window.removeEventListener(act, leave);
      };
      hold();
    },
    // To the hidden box of each page: what has the one in front filled anew.
    fillAgain: (pages) => pages.map((page) => (page === lens.page ? String(performance.now()) : undefined)),
    // `moved` is "language|user|token|project|pages closed to the person|rights they lack|count".
    moved(value) {
      const [language, user, token, project, closed, lacking] = value.split("|");
      // app.css hides their tabs and what needs those rights; the server refuses them anyhow
      Object.assign(document.documentElement.dataset, { closed, lacking });
      const fresh = token !== lens.token;
      if (fresh && token !== tab() && !lens.demo && navigator.locks) lens.hold(token); // a new one, which nobody has claimed
      const turned = Boolean(lens.project) && lens.project !== project;
      const asked = lens.project || readAddress().values.project;
      if (asked && asked !== project) lens.places = {}; // of another project
      Object.assign(lens, { token: tab(token), language, project });
      if (turned) {
        lens.filled.clear();
        lens.showLate(() => lens.leftEmpty()); // what is still seen is of the other project
      }
      lens.writeAddress(turned);
      keep("language", language);
      keep("user", user);
      keep("project", project);
      document.documentElement.lang = tag(language);
      // Only now can a tab be filled: one that is clicked before the session is known would stay empty.
      document.documentElement.classList.add("ll-ready");
      if (document.documentElement.classList.contains("ll-filling")) lens.fill();
      if (fresh) window.dispatchEvent(new CustomEvent("latticelens:session", { detail: { token } }));
      window.dispatchEvent(new CustomEvent("latticelens:moved", { detail: { language } }));
      return fresh;
    },
    // The same, and hands `value` on to the page in front: one answer for each page, most of them none. What a
    // new session sees first came with it. In front is the page last asked for, although gradio may still draw
    // it: its filling may have been asked for in the project before, and what that answers is dropped.
    handOn(value, pages, first) {
      const fresh = lens.moved(value);
      if (fresh && lens.page === first && !lens.isLeftEmpty()) lens.fillingEnded(first); // no filling of its own will tell
      return pages.map((page) => (page === lens.page && !(fresh && page === first) ? value : undefined));
    },
  };
  window.latticelens = lens;
})();
