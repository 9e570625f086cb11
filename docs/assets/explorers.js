// Explorers in these pages are frames without an origin: they are told the theme, and copy through this page.
const READY = "neuron-nbprof:ready";
const THEME = "neuron-nbprof:theme";
const COPY = "neuron-nbprof:copy";

const frames = () => [...document.querySelectorAll("iframe[srcdoc]")];

function tell(frame) {
  const dark = document.body.dataset.mdColorScheme === "slate";
  frame.contentWindow.postMessage({ type: THEME, dark }, "*");
}

addEventListener("message", ({ source, data }) => {
  const frame = frames().find((frame) => frame.contentWindow === source);
  if (!frame) return;
  if (data?.type === READY) tell(frame);
  if (data?.type === COPY && document.activeElement === frame) navigator.clipboard?.writeText(String(data.text));
});

new MutationObserver(() => frames().forEach(tell)).observe(document.body, {
  attributes: true,
  attributeFilter: ["data-md-color-scheme"],
});
