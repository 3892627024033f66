// Entry of the lattice viewer's gr.HTML.

const questions = server?.lattice_attention
  ? (payload) => server.lattice_attention({ token: window.latticelens?.token, ...payload })
  : null;
const viewer = new LatticeViewer(element.querySelector(".ll-lattice"), questions);
const showLattice = () => viewer.show(props.value);
const speakNow = () => viewer.speak(window.latticelens?.language ?? "en");

window.addEventListener("latticelens:moved", speakNow);
window.addEventListener("latticelens:theme", () => viewer.draw());
watch("value", showLattice);
speakNow();
showLattice();
