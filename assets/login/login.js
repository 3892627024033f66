// The login page: remembers language and theme as the app does, and says what was wrong without losing what was typed.
(() => {
  const at = (id) => document.getElementById(id);
  const kept = (key) => { try { return localStorage.getItem("latticelens." + key); } catch { return null; } };
  const keep = (key, value) => { try { localStorage.setItem("latticelens." + key, value); } catch { /* private mode */ } };
  const texts = JSON.parse(at("texts").textContent);
  const languages = Object.keys(texts);
  const root = document.documentElement;
  const pick = (tag) => languages.find((one) => tag.toLowerCase().startsWith(one)) ?? "en";
  let language = pick(kept("language") || navigator.language || "en");

  function speak() {
    root.lang = texts[language].tag;
    for (const part of document.querySelectorAll("[data-text]")) part.textContent = texts[language][part.dataset.text];
    const next = languages[(languages.indexOf(language) + 1) % languages.length];
    Object.assign(at("language"), { textContent: texts[next].own, lang: texts[next].tag });
    if (texts[language].wrong) say(at("wrong"), texts[language].wrong);
  }
  const isDark = () => (kept("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const colour = () => root.classList.toggle("dark", isDark());
  function say(place, sentence) {
    place.textContent = sentence;
    place.hidden = !sentence;
  }

  at("language").addEventListener("click", () => {
    language = languages[(languages.indexOf(language) + 1) % languages.length];
    keep("language", language);
    speak();
  });
  at("theme").addEventListener("click", () => { keep("theme", isDark() ? "light" : "dark"); colour(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", colour);

  // Why the app shows this page again, which it has left for us.
  try {
    say(at("told"), sessionStorage.getItem("latticelens.told") ?? "");
    sessionStorage.removeItem("latticelens.told");
  } catch { /* private mode */ }

  // The way back to where the person is, which another site's address cannot hold.
  at("provider").addEventListener("click", () => {
    try { sessionStorage.setItem("latticelens.place", location.hash); } catch { /* private mode */ }
  });

  let over;
  at("password-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter ?? event.target.querySelector("[type=submit]");
    const body = new URLSearchParams({ username: at("username").value, password: at("password").value });
    if (!at("choose").hidden) {
      if (at("new-password").value !== at("again").value) return say(at("wrong"), texts[language].differ);
      body.set("new_password", at("new-password").value);
    }
    clearTimeout(over);
    button.disabled = true;
    say(at("told"), "");
    try {
      const answer = await fetch(root.dataset.root + "login", { method: "POST", body, headers: { "Accept-Language": texts[language].tag } });
      if (answer.ok) return root.dataset.root === "./" ? location.reload() : location.replace(root.dataset.root);
      const reply = await answer.json().catch(() => ({}));
      if (reply.code === "one_time") {
        at("choose").hidden = false;
        for (const field of at("choose").querySelectorAll("input")) field.required = true;
        say(at("wrong"), "");
        at("new-password").focus();
      } else {
        say(at("wrong"), reply.detail ?? texts[language].failed);
        if (reply.seconds) over = setTimeout(() => say(at("wrong"), ""), reply.seconds * 1000);
        const field = at("choose").hidden ? at("password") : at("new-password");
        field.select();
      }
    } catch {
      say(at("wrong"), texts[language].failed);
    }
    button.disabled = false;
  });
  colour();
  speak();
})();
