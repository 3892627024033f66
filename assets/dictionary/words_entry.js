// Entry of the Words tab's gr.HTML.

const wordBench = new WordBench(element.querySelector(".ll-words"), server);
let wordsBegun = "";
const beginWords = () => {
  const now = JSON.stringify(props.page ?? null);
  if (!props.page || now === wordsBegun) return;
  wordsBegun = now;
  wordBench.begin({ ...props.page });
};
watch("page", beginWords);
beginWords();
