// Entry of the Review page's gr.HTML.

const review = new ReviewBench(element.querySelector(".ll-review"), server, (data) => trigger("leave", data));
let begun = "";
const beginReview = () => {
  const now = JSON.stringify(props.page ?? null);
  if (!props.page || now === begun) return;
  begun = now;
  review.begin(props.page);
};
watch("page", beginReview);
beginReview();
