// The guided tour, for what opens it: the strip of a first visit and the command palette.

const CHANGED = "latticelens:tour";

let current = { offered: false, open: () => {} };

// tour: {offered, open()}.
export const offerTour = (tour) => {
  const changed = tour.offered !== current.offered;
  current = tour;
  if (changed) window.dispatchEvent(new Event(CHANGED));
};

export const isTourOffered = () => current.offered;
export const openTour = () => current.open();
export const onTourOffered = (then) => window.addEventListener(CHANGED, then);
