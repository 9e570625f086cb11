import answers from "./answers.css";
import base from "./base.css";
import details from "./details.css";
import narrow from "./narrow.css";
import timeline from "./timeline.css";

/** The style sheet of the explorer; later parts override earlier ones. */
export const style = [base, timeline, details, answers, narrow].join("\n");
