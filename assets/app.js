// Remembers theme, language and name between visits, and the session token between reloads of one tab.
(() => {
  const kept = (key) => { try { return localStorage.getItem("latticelens." + key); } catch { return null; } };
  const keep = (key, value) => { try { localStorage.setItem("latticelens." + key, value); } catch { /* private mode */ } };
  const tab = (value) => {
    try {
      if (value !== undefined) sessionStorage.setItem("latticelens.token", value);
      return sessionStorage.getItem("latticelens.token") || "";
    } catch { return ""; }
  };
  const lens = {
    token: "",
    language: "en",
    isDark: () => document.body.classList.contains("dark"),
    applyTheme() {
      const theme = kept("theme");
      if (theme) document.body.classList.toggle("dark", theme === "dark");
      window.dispatchEvent(new CustomEvent("latticelens:theme", { detail: { dark: lens.isDark() } }));
    },
    switchTheme() {
      keep("theme", lens.isDark() ? "light" : "dark");
      lens.applyTheme();
    },
    // What the page tells the app when it opens: [token of this tab, language, name].
    start() {
      lens.applyTheme();
      return [tab(), kept("language") || navigator.language || "en", kept("user") || ""];
    },
    // `moved` is "language|user|token|project|count".
    moved(value) {
      const [language, user, token] = value.split("|");
      const fresh = token !== lens.token;
      Object.assign(lens, { token: tab(token), language });
      keep("language", language);
      keep("user", user);
      document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
      // Only now can a tab be filled: one that is clicked before the session is known would stay empty.
      document.documentElement.classList.add("ll-ready");
      if (fresh) window.dispatchEvent(new CustomEvent("latticelens:session", { detail: { token } }));
      window.dispatchEvent(new CustomEvent("latticelens:moved", { detail: { language } }));
    },
  };
  window.latticelens = lens;
})();
