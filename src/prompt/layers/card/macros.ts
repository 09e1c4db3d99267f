import type { RandomSource } from "../../../core/ports.ts"

/** The values that macros of a card have in a turn (C10). */
export interface MacroValues {
  readonly char: string
  readonly user: string
  /** The text that a card's own text replaces. */
  readonly original?: string | undefined
  /** The last message of the conversation. */
  readonly lastMessage?: string | undefined
  /** In milliseconds since 1970. */
  readonly nowMs: number
  /** The time since the last message. */
  readonly idleMs?: number | undefined
  readonly timeZone?: string | undefined
  readonly locale: string
  /** For `random` and `roll`. */
  readonly random: RandomSource
  /** For `pick`: the same number at each place of a conversation, given the macro's text and its number in the card. */
  readonly pick: (place: string) => number
}

/** A card's text with its macros filled in. */
export interface FilledText {
  readonly text: string
  /** The words of `{{hidden_key:…}}`, which recursion searches and no prompt shows. */
  readonly hiddenKeys: string
  /** Macros that are not known; they stay as they are. */
  readonly unknown: readonly string[]
  /** How long the text stays the same: as long as the conversation, as long as nobody else speaks in it, or one turn. */
  readonly lasts: "conversation" | "speaker" | "turn"
  /** True if the text holds a speaker's name or words. */
  readonly quotes: boolean
}

/** Macros that come out the same in all turns of a conversation. Those that are not here can differ in the next one. */
const lasting: ReadonlySet<string> = new Set(["char", "bot", "original", "newline", "comment", "hidden_key", "reverse", "pick"])

/** Splits a text at its outermost macros `{{…}}`, whatever stands in them, and joins what the two functions make of the parts. */
export function mapMacros(text: string, ofMacro: (body: string) => string, ofText = (words: string): string => words): string {
  const open: number[] = []
  const spans: { readonly start: number; readonly end: number }[] = []
  for (const { 0: braces, index } of text.matchAll(/\{\{(?!\{)|\}\}/g)) {
    const start = braces === "{{" ? void open.push(index) : open.pop()
    if (start === undefined) continue
    while ((spans.at(-1)?.start ?? -1) > start) spans.pop()
    spans.push({ start, end: index + 2 })
  }
  const ends = [0, ...spans.map(({ end }) => end)]
  const between = ends.map((end, at) => ofText(text.slice(end, spans[at]?.start)))
  return between
    .map((words, at) => words + (spans[at] ? ofMacro(text.slice(spans[at].start + 2, spans[at].end - 2)) : ""))
    .join("")
}

/** Macros stand in each other so deep at most. Those that stand deeper stay as they are. */
export const maxMacroDepth = 8

/** The values with which a text is only looked at, such as for macros that are not known. */
export const nobody: MacroValues = { char: "", user: "", nowMs: 0, locale: "en", random: () => 0, pick: () => 0 }

/**
 * Fills in the macros of a card's text. This is no template: each macro is one name with plain words, in which other macros may stand.
 * The output of a macro is not read again and names no macro, and only texts of cards are passed here, so nobody else's words run macros.
 */
export function fillMacros(text: string, values: MacroValues): FilledText {
  const unknown: string[] = []
  const hidden: string[] = []
  let lasts: FilledText["lasts"] = "conversation"
  let quotes = false
  let number = 0
  const printed = (macro: string, whole: string): string => {
    const value = macroValue(macro, values, { hidden, place: `${number++}:${macro}` })
    const name = (/^\w+/.exec(macro)?.[0] ?? "").toLowerCase()
    quotes ||= name === "user" || name === "lastmessage"
    if (value === undefined) unknown.push(whole)
    else if (name === "user") lasts = lasts === "turn" ? "turn" : "speaker"
    else if (!macro.startsWith("//") && !lasting.has(name)) lasts = "turn"
    return value ?? whole
  }
  const fill = (given: string, depth: number): string =>
    mapMacros(
      given,
      (body) => {
        if (depth > maxMacroDepth || /^\s*\/\//.test(body)) return depth > maxMacroDepth ? `{{${body}}}` : ""
        const inner = fill(body, depth + 1)
        const isNamed = !body.includes("{{") || /^\s*\w+\s*:/.test(body)
        return isNamed ? printed(inner.trim(), `{{${inner}}}`) : `{{${inner}}}`
      },
      (words) => words.replace(/<(char|bot|user)>/gi, (whole, name: string) => printed(name, whole)),
    )
  return { text: fill(text, 0), hiddenKeys: hidden.join("\n"), unknown, lasts, quotes }
}

function macroValue(
  macro: string,
  values: MacroValues,
  { hidden, place }: { readonly hidden: string[]; readonly place: string },
): string | undefined {
  const [, written = "", given] = /^([a-z_]+)(?:(?:\s*::?|(?<=^roll)\s)(.*))?$/is.exec(macro) ?? []
  const name = written.toLowerCase()
  if (given === undefined) return Object.hasOwn(simpleMacros, name) ? simpleMacros[name]?.(values) : undefined
  if (name === "reverse") return [...given].reverse().join("")
  if (name === "random") return choiceOf(given, values.random())
  if (name === "pick") return choiceOf(given, values.pick(place))
  if (name === "roll") return rolled(given.trim(), values.random)
  if (name === "hidden_key") hidden.push(given)
  return name === "hidden_key" || name === "comment" ? "" : undefined
}

/** The macros that are a name alone. */
const simpleMacros: Readonly<Record<string, (values: MacroValues) => string>> = {
  char: ({ char }) => char,
  bot: ({ char }) => char,
  user: ({ user }) => user,
  original: ({ original = "" }) => original,
  lastmessage: ({ lastMessage = "" }) => lastMessage,
  newline: () => "\n",
  idle_duration: ({ idleMs, locale }) => (idleMs === undefined ? "" : durationOf(idleMs, locale)),
  time: (values) => dated(values, { hour: "2-digit", minute: "2-digit" }),
  date: (values) => dated(values, { dateStyle: "long" }),
  weekday: (values) => dated(values, { weekday: "long" }),
  isotime: (values) => dated({ ...values, locale: "sv-SE" }, { hour: "2-digit", minute: "2-digit" }),
  isodate: (values) => dated({ ...values, locale: "sv-SE" }, { dateStyle: "short" }),
}

/** One of the words between commas, or between `::`; `\,` is a comma in a word. */
function choiceOf(given: string, random: number): string {
  const parted = given.includes("::") ? given.split("::") : given.split(/(?<!\\),/)
  const choices = parted.map((choice) => choice.replaceAll("\\,", ",").trim())
  return choices[Math.min(choices.length - 1, Math.floor(random * choices.length))] ?? ""
}

/** `6` and `d6` roll a die with six sides, `2d6+1` two of them. */
function rolled(given: string, random: RandomSource): string | undefined {
  const [, dice = "1", sides, plus = "0"] = /^(?:(\d{0,3})d)?(\d{1,9})\s*([+-]\d{1,9})?$/i.exec(given) ?? []
  if (sides === undefined || Number(sides) < 1) return undefined
  let sum = Number(plus)
  for (let die = 0; die < Number(dice || "1"); die++) sum += 1 + Math.min(Number(sides) - 1, Math.floor(random() * Number(sides)))
  return String(sum)
}

function dated({ nowMs, locale, timeZone }: MacroValues, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(nowMs)
}

function durationOf(ms: number, locale: string): string {
  const units = [
    [86_400_000, "day"],
    [3_600_000, "hour"],
    [60_000, "minute"],
    [1_000, "second"],
  ] as const
  const [size, unit] = units.find(([least]) => ms >= least) ?? [1_000, "second"]
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(Math.floor(ms / size))
}
