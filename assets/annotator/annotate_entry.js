// Entry of the Annotate page's gr.HTML. Props are never named in quotes here: gradio takes any quoted name for an event.

const bench = new Workbench(element.querySelector(".lla-root"), server, (name, data) => trigger(name, data));
// The event the page listens to, named in quotes so that gradio offers it: "leave".
let begun = "";
const beginWhenKnown = () => {
  const page = props.page;
  if (!page || !page.token) return;
  const now = JSON.stringify(page);
  if (now === begun) return;
  begun = now;
  bench.begin(page);
};
watch(Object.keys({ page: 0 }), beginWhenKnown);
beginWhenKnown();
