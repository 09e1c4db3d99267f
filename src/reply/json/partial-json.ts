import { JsonReader } from "./json-reader.ts"
import { JsonBuilder, type JsonValue } from "./json-value.ts"

/**
 * Reads JSON as it streams and gives the value so far: what was read is never taken back, so that every value is a beginning of the next
 * one. Text before the first brace or bracket is skipped. Where the text is no JSON, the value stays as it was.
 */
export class PartialJson {
  readonly #value = new JsonBuilder()
  readonly #reader = new JsonReader(this.#value)
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
    return this.#value.soFar()
  }
}
