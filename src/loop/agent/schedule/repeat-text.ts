import texts from "../second-thoughts/chat-words.json" with { type: "json" }

/** The moments of a cron pattern in words, such as `every day at 08:00`. A pattern with steps, ranges of hours and the like is shown as it is. */
export function repeatText(pattern: string, locale: string): string {
  const [language, { repeats, rareDay }] = locale.toLowerCase().startsWith("zh") ? ["zh-CN", texts.zh] : ["en", texts.en]
  const fields = pattern.split(" ")
  const shape = fields.map((field, at) => field.replace(at === 4 ? /^[0-7](?:,[0-7])*$/u : /^\d+$/u, "N")).join(" ")
  const [minute = "", hour = "", day = "", month = "", days = ""] = fields
  // The year 2012 began with a Sunday, from which a pattern counts the days of a week.
  const text = (options: Intl.DateTimeFormatOptions, ...date: readonly [month: number, day: number]): string =>
    new Intl.DateTimeFormat(language, options).format(new Date(2012, ...date))
  const weekday = language === "en" ? "long" : "short"
  const values: Readonly<Record<string, () => string>> = {
    minute: () => minute.padStart(2, "0"),
    time: () => `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`,
    day: () => day,
    rare: () => (Number(day) > 28 ? rareDay : ""),
    days: () => new Intl.ListFormat(language).format(days.split(",").map((at) => text({ weekday }, 0, Number(at) + 1))),
    date: () => text({ month: "long", day: "numeric" }, Number(month) - 1, Number(day)),
  }
  return (new Map(Object.entries(repeats)).get(shape) ?? pattern).replaceAll(/\{(\w+)\}/gu, (_, name) => values[name]?.() ?? "")
}
