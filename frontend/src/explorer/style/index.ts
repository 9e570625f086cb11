import answers from "./answers.css";
import base from "./base.css";
import details from "./details.css";
import narrow from "./narrow.css";
import panel from "./panel.css";
import timeline from "./timeline.css";
import touch from "./touch.css";

/** The style sheet of the explorer; later parts override earlier ones. */
export const style = [base, timeline, panel, details, answers, narrow, touch].join("\n");
