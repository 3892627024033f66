// Links to the panels of a long page.

const row = element.querySelector(".ll-panel-links");

const goTo = (target) => {
  const panel = document.getElementById(target);
  if (!panel) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  panel.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
};

const drawLinks = () => {
  const links = Array.isArray(props.value) ? props.value : [];
  row.replaceChildren(
    ...links.map(({ name, target }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.onclick = () => goTo(target);
      return button;
    }),
  );
};

watch("value", drawLinks);
drawLinks();
