const STEPS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "3 minutes ago", in the language of the page. */
export function age(seconds: number, language = document.documentElement.lang || "en"): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? ["second", 60];
  return format.format(unit === "second" ? 0 : -Math.floor(seconds / size), unit);
}
