import type { JsonSink } from "./json-grammar.ts"
import { JsonReader } from "./json-reader.ts"
import { type JsonValue, maxDepth, setOwn } from "./json-value.ts"

/** An object or a list whose end has not come. */
type Open =
  | { readonly list: JsonValue[]; readonly object?: undefined }
  | { readonly list?: undefined; readonly object: Record<string, JsonValue>; name: string }

/**
 * Reads JSON as it streams and gives the value so far: what was read is never taken back, so that every value is a beginning of the next
 * one. Text before the first brace or bracket is skipped. Where the text is no JSON, the value stays as it was.
 */
export class PartialJson {
  readonly #value = new PartialValue()
  readonly #reader = new JsonReader(this.#value, { steps: 0 })
  #begun = false

  /** Takes text as it comes. True if there is more of the value than before. */
  push(text: string): boolean {
    const from = this.#begun ? 0 : text.search(/[[{]/)
    if (from < 0 || this.#reader.state !== "open") return false
    this.#begun = true
    const before = this.#value.changes
    this.#reader.feed(text, from)
    return this.#value.changes > before
  }

  /** The value so far, in objects of its own; undefined before its beginning. */
  value(): JsonValue | undefined {
    return this.#value.now()
  }
}

class PartialValue implements JsonSink {
  /** The number of pieces that the value got. */
  changes = 0
  readonly #open: Open[] = []
  #text = ""
  #whole: JsonValue | undefined

  open(kind: "object" | "array"): void {
    this.changes++
    this.#open.push(kind === "array" ? { list: [] } : { object: {}, name: "" })
  }

  close(): void {
    const closed = this.#open.pop()
    if (closed) this.#add(closed.list ?? closed.object)
  }

  key(name: string): void {
    const open = this.#open.at(-1)
    if (open?.object) open.name = name
  }

  text(part: string): void {
    this.changes++
    this.#text += part
  }

  textEnd(): void {
    this.changes++
    const text = this.#text
    this.#text = ""
    this.#add(text)
  }

  scalar(raw: string): void {
    this.changes++
    this.#add(raw === "null" ? null : raw === "true" ? true : raw === "false" ? false : Number(raw))
  }

  /** Only what is still open is copied; what has ended never changes again. */
  now(): JsonValue | undefined {
    if (this.#open.length > maxDepth) return undefined
    let value: JsonValue | undefined = this.#text === "" ? this.#whole : this.#text
    for (const { list, object, ...open } of this.#open.toReversed()) {
      const copy = list ? [...list] : { ...object }
      if (value !== undefined)
        addTo(list ? { list: copy as JsonValue[] } : { object: copy as Record<string, JsonValue>, name: "", ...open }, value)
      value = copy
    }
    return value
  }

  #add(value: JsonValue): void {
    const open = this.#open.at(-1)
    if (open === undefined) this.#whole = value
    else addTo(open, value)
  }
}

function addTo(open: Open, value: JsonValue): void {
  if (open.list) open.list.push(value)
  else if (!Object.hasOwn(open.object, open.name)) setOwn(open.object, open.name, value)
}
