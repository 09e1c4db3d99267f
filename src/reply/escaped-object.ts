import { JsonString } from "./json-string.ts"
import { type BrokenReading, type LooseObjectReading, type LooseStart, readLooseObject } from "./loose-reader.ts"
import type { StepCount } from "./step-count.ts"

/** True where an object begins that may have been written as a string: a quote stands before its brace, or its quotes are escaped. */
export function mayBeEscaped(text: string, { from, lacksBrace }: LooseStart): boolean {
  const opening = /\{(?:\s|\\[nrt])*\\"/y
  opening.lastIndex = from
  return lacksBrace !== true && (text.charAt(from - 1) === '"' || opening.test(text))
}

/** Reads an object that was written as a string, up to that string's closing quote. */
export function readEscapedObject(text: string, { from }: LooseStart, count: StepCount): LooseObjectReading | BrokenReading {
  const parts: string[] = []
  const string = new JsonString((part) => parts.push(part), count)
  string.begin()
  const end = string.read(text, from)
  if (!string.closed) return { brokenAt: end }
  const reading = readLooseObject(parts.join(""), { from: 0 }, count)
  return "brokenAt" in reading ? { brokenAt: end } : { ...reading, end }
}
