// A line of text that may hold anything a person wrote.

export const mount = ({ element, props, watch }) => {
  const line = element.querySelector("p");
  const show = () => { line.textContent = String(props.value ?? ""); };
  watch("value", show);
  show();
};
