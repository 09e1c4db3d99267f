import type { GrammarRepairs } from "./json-grammar.ts"
import { JsonReader } from "./json-reader.ts"
import { decodeString } from "./json-string.ts"
import { JsonBuilder, type JsonValue, type tooDeep } from "./json-value.ts"

/** An object that was read although it may be no JSON. */
export interface LooseObjectReading extends GrammarRepairs {
  readonly value: JsonValue | typeof tooDeep
  /** The place after it. */
  readonly end: number
  /** Its place in the text it was read from: the output, or the string that it was written as. */
  readonly source: { readonly text: string; readonly start: number; readonly end: number }
}

/** The beginning of an object: its brace or, when it `lacksBrace`, its first name. */
export interface LooseStart {
  readonly from: number
  readonly lacksBrace?: boolean
}

/** How many characters of one output may be repaired. No decision is that long and that broken. */
export const maxRepairCharacters = 32_768

/** Reads an object that may be broken; `undefined` when it is beyond repair. */
export type JsonRepair = (text: string, start: LooseStart) => LooseObjectReading | undefined

/** Creates a repair of JSON (T21) that reads at most {@link maxRepairCharacters} in all its calls together. */
export function createJsonRepair(): JsonRepair {
  let remaining = maxRepairCharacters
  return (text, start) => {
    const isWhole = text.length - start.from <= remaining
    const window = isWhole ? text : text.slice(0, start.from + remaining)
    const escaped = mayBeEscaped(window, start) ? readEscapedObject(window, start.from) : undefined
    const reading = escaped ?? readLooseObject(window, start)
    const end = "brokenAt" in reading ? reading.brokenAt : reading.end
    remaining = Math.max(0, remaining - (end - start.from))
    return "brokenAt" in reading || (end === window.length && !isWhole) ? undefined : reading
  }
}

/** Reads an object that is nearly JSON with a tolerant {@link JsonReader} (T21). Of one that cannot be read it says how far the reading came. */
export function readLooseObject(text: string, start: LooseStart): LooseObjectReading | { readonly brokenAt: number } {
  const builder = new JsonBuilder()
  const reader = new JsonReader(builder, { isTolerant: true })
  const { grammar } = reader
  grammar.open(true)
  const end = reader.feed(text, start.lacksBrace ? start.from : start.from + 1)
  const value = builder.take()
  const { repairs } = grammar
  if (reader.state !== "closed" || repairs.isGuess || value === undefined) return { brokenAt: end }
  return { value, end, source: { text, start: start.from, end }, ...repairs }
}

/**
 * True where an object begins that may have been written as a string: a quote stands before its brace, or its quotes are
 * escaped.
 */
function mayBeEscaped(text: string, { from, lacksBrace }: LooseStart): boolean {
  const opening = /\{(?:\s|\\[nrt])*\\"/y
  opening.lastIndex = from
  return lacksBrace !== true && (text.charAt(from - 1) === '"' || opening.test(text))
}

/** Reads an object that was written as a string, up to that string's closing quote. */
function readEscapedObject(text: string, from: number): LooseObjectReading | undefined {
  const string = decodeString(text, from)
  if (string === undefined) return undefined
  const reading = readLooseObject(string.value, { from: 0 })
  return "brokenAt" in reading ? undefined : { ...reading, end: string.end }
}
