// Says on gradio's login page how long the next try has to wait; the page itself shows nothing for that answer.
(() => {
  const kept = () => { try { return localStorage.getItem("latticelens.language"); } catch { return null; } };
  const language = (kept() || navigator.language || "en").toLowerCase().startsWith("zh") ? "zh" : "en";
  const ask = window.fetch;
  let note, over;

  function say(told) {
    clearTimeout(over);
    note?.remove();
    const password = document.querySelector("input[type=password]");
    if (!password) return;
    note = document.createElement("p");
    note.id = "ll-login-wait";
    note.setAttribute("role", "alert");
    note.lang = language === "zh" ? "zh-CN" : "en";
    note.style.cssText = "margin: 0 0 12px; padding: 8px 12px; border: 1px solid currentColor; border-radius: 4px;";
    note.textContent = told[language];
    (password.closest(".form") ?? password.parentElement).before(note);
    over = setTimeout(() => note.remove(), told.seconds * 1000);
  }

  window.fetch = async (...request) => {
    const answer = await ask(...request);
    if (answer.status === 429) {
      const told = (await answer.clone().json().catch(() => null))?.detail;
      if (typeof told?.[language] === "string" && told.seconds > 0) say(told);
    }
    return answer;
  };
})();
