/** A moment as the clocks of a time zone show it. */
export interface LocalTime {
  /** `2026-11-21` */
  readonly date: string
  /** `14:05:09` */
  readonly time: string
  /** In the language asked for: `星期六`, `Saturday`. */
  readonly weekday: string
  /** From UTC: `+08:00`. */
  readonly offset: string
}

/** A moment (milliseconds since 1970) in a time zone, by the Gregorian calendar and a 24-hour clock whatever the locale. */
export function localTime(atMs: number, timeZone: string, locale: string): LocalTime {
  const format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  })
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? ""
  return {
    date: `${part("year")}-${part("month")}-${part("day")}`,
    time: `${part("hour")}:${part("minute")}:${part("second")}`,
    weekday: new Intl.DateTimeFormat(locale, { timeZone, weekday: "long" }).format(atMs),
    offset: part("timeZoneName").replace("GMT", "") || "+00:00",
  }
}
