import { locatedError } from "../../../core/evidence/located-error.ts"
import { positionAt, type Source } from "../../../core/source.ts"
import { didYouMean } from "../../../core/suggest.ts"
import { dayNumber } from "../../../memory/services/recall/time/local-calendar.ts"

/** Words that are said at a time of some days. Of several texts each day takes the next one. Without texts the user finds the words. */
export interface ScriptedWords {
  readonly firstDay: number
  /** Infinity for words without an end. */
  readonly lastDay: number
  readonly everyDays: number
  readonly minuteOfDay: number
  readonly texts: readonly string[]
  /** The number of turns, one a minute. */
  readonly turns: number
  readonly source: Source
}

/** A claim about the end of a day. */
export type DayCheck = {
  readonly source: Source
  /** The line as it is written. */
  readonly text: string
  /** Undefined for every day. */
  readonly day: number | undefined
} & (({ readonly kind: "prompt" } & PromptBound) | ({ readonly kind: "remembered" | "forgotten" } & RecalledWords))

/** The number of tokens that a prompt stays under; with `ofDay` a percentage of the largest prompt of that day. */
export interface PromptBound {
  readonly under: number
  readonly ofDay: number | undefined
}

/** Words that a prompt should hold, and the question at which it should. */
export interface RecalledWords {
  readonly words: string
  /** Undefined: the words themselves are asked for. */
  readonly asked: string | undefined
}

/** A script of `simulate`. Days count from 1. */
export interface Script {
  readonly file: string
  readonly text: string
  readonly start: { readonly year: number; readonly month: number; readonly day: number }
  readonly days: number
  /** The sentences that the user says of itself. */
  readonly persona: readonly string[]
  readonly words: readonly ScriptedWords[]
  readonly expectations: readonly DayCheck[]
}

const defaultDays = 60
const mostDays = 3_660
const defaultMinute = 9 * 60

/** Reads a script. Throws `script`, with file, line, column and caret, at its first mistake. */
export function readScript(file: string, text: string): Script {
  let [start, days]: [Script["start"], number] = [{ year: 2026, month: 1, day: 1 }, defaultDays]
  const words: ScriptedWords[] = []
  const persona: string[] = []
  const expectations: DayCheck[] = []
  const ends = [...text.matchAll(/\r\n|\n|\r|$/g)]
  let from = 0
  for (const { 0: end, index } of ends) {
    const line = new ScriptLine(file, text, { from, until: index })
    from = index + end.length
    if (line.isEmpty) continue
    const verb = line.word(["start", "days", "user", "day", "every", "expect"])
    if (verb === "start") start = line.date()
    else if (verb === "days") days = line.number("a number of days", mostDays)
    else if (verb === "user") persona.push(...line.texts())
    else if (verb === "expect") expectations.push(readExpectation(line))
    else words.push(readWords(line, verb, persona))
    line.end()
  }
  if (words.length === 0) {
    const message = "expected a line in which something is said, found none."
    throw locatedError("script", message, { file, text, position: { line: 1, column: 1 }, hint: 'Write: day 1 say "Hello"' })
  }
  const never = words.find(({ firstDay, lastDay }) => firstDay > Math.min(days, lastDay))
  if (never) {
    const message = `expected a day up to ${Math.min(days, never.lastDay)}, the last one, found day ${never.firstDay}: nothing is said.`
    throw locatedError("script", message, { file, text, position: { column: 1, ...never.source } })
  }
  return { file, text, start, days, persona, words, expectations }
}

function readWords(line: ScriptLine, verb: "day" | "every", persona: readonly string[]): ScriptedWords {
  let [firstDay, lastDay, everyDays] = [1, Number.POSITIVE_INFINITY, 1]
  if (verb === "day") {
    firstDay = line.number("a day, such as 3", mostDays)
    lastDay = firstDay
  } else if (!line.takes("day")) {
    everyDays = line.number("day, or a number of days", mostDays)
    line.word(["days"])
    firstDay = everyDays
  }
  if (verb === "every" && line.takes("from")) firstDay = line.day()
  if (verb === "every" && line.takes("until")) lastDay = line.day()
  const minuteOfDay = line.takes("at") ? line.time() : defaultMinute
  const spoken = { firstDay, lastDay, everyDays, minuteOfDay, source: line.source }
  if (persona.length === 0 && line.sees("chat")) throw line.mistake('say, or a line user "..." before one with chat')
  if (line.word(["say", "chat"]) === "say") return { ...spoken, texts: line.texts(), turns: 1 }
  const turns = line.number("a number of turns", 100)
  line.word(["turns", "turn"])
  return { ...spoken, texts: [], turns }
}

function readExpectation(line: ScriptLine): DayCheck {
  const kind = line.word(["remembered", "forgotten", "prompt"])
  const claim =
    kind === "prompt" ? { kind, ...line.under() } : ({ kind, words: line.quoted(), asked: undefined } satisfies object)
  const day = line.takes("on") ? line.day() : undefined
  const asked = kind !== "prompt" && line.takes("when") ? line.question() : undefined
  const { source, text } = line
  if (claim.kind === "prompt" && (claim.ofDay ?? 0) < (day ?? 1)) return { ...claim, source, text, day }
  if (claim.kind === "prompt") throw line.mistake(`on and a day after day ${claim.ofDay}`)
  if (day === undefined) throw line.mistake("on and a day, such as on day 40")
  return { ...claim, asked, source, text, day }
}

/** A word, a text in quotation marks, a bar, or a comment. */
const token = /\s*(?:(#.*)|"((?:[^"\\]|\\.)*)"|“([^”]*)”|(\||[^\s"“|#]+))/y

/** One line of a script, read from its left to its right. */
class ScriptLine {
  readonly source: Source
  readonly #place: { readonly file: string; readonly text: string; readonly until: number }
  #at: number
  readonly #from: number

  constructor(file: string, text: string, { from, until }: { readonly from: number; readonly until: number }) {
    this.#place = { file, text, until }
    this.#at = from
    this.#from = from + (/^\s*/.exec(text.slice(from, until))?.[0].length ?? 0)
    this.source = { file, ...positionAt(text, this.#from) }
  }

  get text(): string {
    return this.#place.text.slice(this.#from, this.#place.until).trimEnd()
  }

  get isEmpty(): boolean {
    return this.#next() === undefined
  }

  word<const Word extends string>(words: readonly Word[]): Word {
    const found = this.#next()
    const word = words.find((known) => known === found?.word)
    if (found === undefined || word === undefined)
      throw this.mistake(
        words.length > 1 ? `one of ${words.join(", ")}` : `${words[0]}`,
        found?.word && didYouMean(found.word, words),
      )
    this.#at = found.end
    return word
  }

  sees(word: string): boolean {
    return this.#next()?.word === word
  }

  takes(word: string): boolean {
    const found = this.#next()
    if (found?.word !== word) return false
    this.#at = found.end
    return true
  }

  /** Texts that bars part. */
  texts(): readonly string[] {
    const texts = [this.quoted()]
    while (this.takes("|")) texts.push(this.quoted())
    return texts
  }

  quoted(): string {
    const found = this.#next()
    if (found?.quoted === undefined || found.quoted.trim() === "") throw this.mistake('a text in quotation marks, such as "cat"')
    this.#at = found.end
    return found.quoted
  }

  question(): string {
    this.word(["asked"])
    return this.quoted()
  }

  number(expected: string, most: number): number {
    const found = this.#next()
    const number = /^\d{1,9}$/.test(found?.word ?? "") ? Number(found?.word) : 0
    if (found === undefined || number < 1 || number > most) throw this.mistake(`${expected}, from 1 to ${most}`)
    this.#at = found.end
    return number
  }

  day(): number {
    this.word(["day"])
    return this.number("a day", mostDays)
  }

  under(): PromptBound {
    this.word(["under"])
    const under = this.number("a number of tokens or, before %, a percentage", 1_000_000_000)
    const isShare = this.takes("%")
    if (isShare) this.word(["of"])
    else this.takes("tokens")
    return { under, ofDay: isShare ? this.day() : undefined }
  }

  time(): number {
    const [, hour, minute] = this.#matching(/^([01]?\d|2[0-3]):([0-5]\d)$/, "a time of the day, such as 20:15")
    return Number(hour) * 60 + Number(minute)
  }

  date(): Script["start"] {
    const begin = this.#at
    const [, ...numbers] = this.#matching(/^(\d{4})-(\d\d)-(\d\d)$/, "a date, such as 2026-01-05")
    const [year = 0, month = 0, day = 0] = numbers.map(Number)
    if (year >= 1970 && dayNumber(year, month, day) !== undefined) return { year, month, day }
    this.#at = begin
    throw this.mistake("a day that exists, such as 2026-01-05")
  }

  end(): void {
    if (this.#next() !== undefined) throw this.mistake("the end of the line")
  }

  mistake(expected: string, advice: string | undefined = ""): Error {
    const { file, text, until } = this.#place
    const rest = text.slice(this.#at, until)
    const offset = this.#at + (rest.length - rest.trimStart().length)
    const found = /^(?:"[^"]*"?|\S+)/.exec(text.slice(offset, until))?.[0]
    const message = `expected ${expected}, found ${found === undefined ? "the end of the line" : found.slice(0, 60)}.`
    const position = positionAt(text, Math.min(offset, until))
    return locatedError("script", message, { file, text, position, hint: advice.trim() || undefined })
  }

  #matching(pattern: RegExp, expected: string): readonly string[] {
    const found = this.#next()
    const match = pattern.exec(found?.word ?? "")
    if (found === undefined || match === null) throw this.mistake(expected)
    this.#at = found.end
    return match
  }

  /** The next token; undefined at the end of the line and before a comment. */
  #next(): { readonly word?: string | undefined; readonly quoted?: string | undefined; readonly end: number } | undefined {
    const { text, until } = this.#place
    const line = text.slice(0, until)
    token.lastIndex = this.#at
    const match = token.exec(line)
    if (match === null && line.slice(this.#at).trim() !== "") return { end: until }
    if (match === null || match[1] !== undefined) return undefined
    const [, , straight, curly, word] = match
    const quoted = straight === undefined ? curly : straight.replace(/\\(.)/gs, (_, char) => (char === "n" ? "\n" : char))
    return { word, quoted, end: token.lastIndex }
  }
}
