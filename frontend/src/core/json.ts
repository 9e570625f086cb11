const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/**
 * JSON text with each member of an object on a line of its own. It is not parsed, for that would round long numbers:
 * only the space between its tokens changes.
 */
export function readableJson(text: string): string {
  const open: string[] = [];
  const line = () => `\n${"  ".repeat(open.filter((bracket) => bracket === "{").length)}`;
  let before = "";
  return (text.match(TOKENS) ?? [])
    .map((token) => {
      const last = before;
      before = token;
      if (token === "{" || token === "[") open.push(token);
      if (token === "}" || token === "]") open.pop();
      if (token === "}") return last === "{" ? token : line() + token;
      if (token === ",") return open[open.length - 1] === "{" ? token : ", ";
      if (token === ":") return ": ";
      const begins = last === "{" || (last === "," && open[open.length - 1] === "{");
      return begins ? line() + token : token;
    })
    .join("");
}
