import { LabIcon } from "@jupyterlab/ui-components";

/** Three bars of a timeline; the class gives them the colour of the theme's other icons. */
export const profileIcon = new LabIcon({
  name: "neuron-nbprof:profile",
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">' +
    '<g class="jp-icon3" fill="#616161"><rect x="1" y="2" width="8" height="3" rx="1"/>' +
    '<rect x="5" y="6.5" width="10" height="3" rx="1"/><rect x="3" y="11" width="6" height="3" rx="1"/></g></svg>',
});

/** The same with a clock hand: record. */
export const recordIcon = new LabIcon({
  name: "neuron-nbprof:record",
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">' +
    '<g class="jp-icon3" fill="#616161"><rect x="1" y="2.5" width="7" height="2.5" rx="1"/>' +
    '<rect x="3" y="6.75" width="5" height="2.5" rx="1"/><rect x="1" y="11" width="6" height="2.5" rx="1"/>' +
    '<path d="M10 4.5v7l5.2-3.5z"/></g></svg>',
});
