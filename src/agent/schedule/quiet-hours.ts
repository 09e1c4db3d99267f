import { PromptStrataError } from "../../core/errors.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"

/** A part of each day, in local time: `{ from: "22:30", to: "07:00" }` goes over midnight. `from` is in it, `to` is not. */
export interface QuietHours {
  readonly from: string
  readonly to: string
}

const timePattern = lazyPattern("^([01][0-9]|2[0-3]):([0-5][0-9])$", "u")

/** Says of a moment, in milliseconds since 1970, whether it is in the quiet hours of a time zone. Throws `usage` for what is no time of day. */
export function quietHours({ from, to }: QuietHours, timeZone: string): (atMs: number) => boolean {
  const [begin, end] = [minuteOf("from", from), minuteOf("to", to)]
  if (begin === end)
    throw new PromptStrataError("usage", `expected quiet hours that end at another time than they begin, found ${from} twice.`)
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
  return (atMs) => {
    const minute = minuteOf("now", format.format(atMs))
    return begin < end ? begin <= minute && minute < end : begin <= minute || minute < end
  }
}

function minuteOf(name: string, time: string): number {
  const [, hours, minutes] = timePattern().exec(time) ?? []
  if (hours === undefined)
    throw new PromptStrataError("usage", `expected quietHours.${name} as HH:MM, found ${JSON.stringify(time)}.`)
  return Number(hours) * 60 + Number(minutes)
}
