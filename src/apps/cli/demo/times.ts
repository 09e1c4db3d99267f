import words from "./words.json" with { type: "json" }

/** A part of a text that names a time, with its UTF-16 offsets. */
interface TimeExpression {
  readonly text: string
  readonly start: number
  readonly end: number
  /** True if it names an hour or a duration, not only a day. */
  readonly precise: boolean
}

const hanNumber = "(?:\\d{1,4}|[零一二两三四五六七八九十半]{1,3})"
const hanDay =
  "(?:今天|明天|后天|大后天|今晚|明早|明晚|(?:本|这|下)?个?(?:周|星期|礼拜)[一二三四五六日天]|\\d{1,2}月\\d{1,2}[日号]|\\d{4}-\\d{1,2}-\\d{1,2})"
const hanPart = "(?:早上|早晨|上午|中午|下午|傍晚|晚上|凌晨)"
const clock = "\\d{1,2}:\\d{2}"
const hanHour = `(?:${hanNumber}点(?:整|半|一刻|三刻|${hanNumber}分?)?|${clock})`
const hanLater = `${hanNumber}个?(?:半)?(?:分钟|小时|天|周)(?:之后|以后|后)`

const day = "(?:today|tonight|tomorrow|(?:(?:on|next|this) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
const hour = "(?:(?:at )?(?:\\d{1,2}(?::\\d{2})? ?(?:am|pm|a\\.m\\.|p\\.m\\.|o'clock)|\\d{1,2}:\\d{2}|noon|midnight)|at \\d{1,2})"
const part = "(?:in the )?(?:morning|afternoon|evening)"
const later = "in \\d{1,4} (?:minute|hour|day|week)s?"

const precise = [
  `(?:${hanDay}的?)?(?:${hanPart}的?)?${hanHour}`,
  hanLater,
  `(?:${day} (?:${part} )?)?${hour}(?: ${part})?(?: ${day})?`,
  later,
]
const vague = [`${hanDay}${hanPart}?`, `${day}(?: ${part})?`]

/** Finds the first precise time in a text, else the first day. */
export function findTime(text: string): TimeExpression | undefined {
  return match(text, precise, true) ?? match(text, vague, false)
}

function match(text: string, sources: readonly string[], isPrecise: boolean): TimeExpression | undefined {
  const found = new RegExp(`(?<![a-z0-9])(?:${sources.join("|")})(?![a-z0-9])`, "i").exec(text)
  return found ? { text: found[0], start: found.index, end: found.index + found[0].length, precise: isPrecise } : undefined
}

/** Finds the IANA time zones in a text, by their own name or by a city. */
export function findTimeZones(text: string): readonly string[] {
  const named = text.match(/\b[A-Z][a-z]{1,20}\/[A-Z][A-Za-z_]{1,30}\b/g) ?? []
  const lower = text.toLowerCase()
  const ofCities = Object.entries(words.timeZones).filter(([, names]) => names.some((name) => lower.includes(name)))
  return [...new Set([...named, ...ofCities.map(([zone]) => zone)])]
}
