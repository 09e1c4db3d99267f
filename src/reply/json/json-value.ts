import { maxDepth } from "../../core/json-access.ts"
import type { JsonSink } from "./json-grammar.ts"
import { JsonReader } from "./json-reader.ts"

/** A JSON value. Objects are plain; `__proto__` is an own property like any other. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object, as data. */
export interface JsonObject {
  readonly [name: string]: JsonValue
}

/** Stands for a value that nests deeper than {@link maxDepth}, so that code may walk built values recursively. */
export const tooDeep = Symbol("too deep")

/** An object or a list whose end has not come. */
type Container = (
  | { readonly list: JsonValue[]; readonly object?: undefined }
  | { readonly list?: undefined; readonly object: Record<string, JsonValue>; name: string }
) & { repeated?: string | undefined }

/** A name that stood twice in an object or in one inside it. A built value cannot show that. */
const repeatedNames = new WeakMap<object, string>()

/** A name that stood twice in the text of a built value; `undefined` if there was none. Only its first value is in the value. */
export function repeatedName(value: object): string | undefined {
  return repeatedNames.get(value)
}

/** Builds values of what a {@link JsonReader} reads. Of equal names in an object the first counts (T23). */
export class JsonBuilder implements JsonSink {
  /** The number of pieces that the value got. */
  changes = 0
  readonly #open: Container[] = []
  #text = ""
  #value: JsonValue | typeof tooDeep | undefined

  /** The value that was completed last. */
  take(): JsonValue | typeof tooDeep | undefined {
    const value = this.#value
    this.#value = undefined
    return value
  }

  /**
   * The value so far, in objects of its own; undefined before its beginning and for one that nests too deep. Only what is still open is
   * copied: what has ended never changes again.
   */
  soFar(): JsonValue | undefined {
    if (this.#value === tooDeep) return undefined
    let value: JsonValue | undefined = this.#text === "" ? this.#value : this.#text
    for (const open of this.#open.toReversed()) {
      const copy: Container = open.list ? { list: [...open.list] } : { object: { ...open.object }, name: open.name }
      if (value !== undefined) addTo(copy, value)
      value = copy.list ?? copy.object
    }
    return value
  }

  open(kind: "object" | "array"): void {
    this.changes++
    if (this.#open.length === maxDepth) this.#value = tooDeep
    if (this.#value === tooDeep) return
    this.#open.push(kind === "array" ? { list: [] } : { object: {}, name: "" })
  }

  close(): void {
    const container = this.#open.pop()
    if (container === undefined) return
    const value = container.list ?? container.object
    this.#add(value)
    if (container.repeated === undefined) return
    repeatedNames.set(value, container.repeated)
    const outer = this.#open.at(-1)
    if (outer) outer.repeated ??= container.repeated
  }

  key(name: string): void {
    const container = this.#open.at(-1)
    if (container?.object) container.name = name
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

  #add(value: JsonValue): void {
    if (this.#value === tooDeep) return
    const container = this.#open.at(-1)
    if (container === undefined) this.#value = value
    else addTo(container, value)
  }
}

function addTo(container: Container, value: JsonValue): void {
  if (container.list) container.list.push(value)
  else if (Object.hasOwn(container.object, container.name)) container.repeated ??= container.name
  else setOwn(container.object, container.name, value)
}

/** Reads the JSON of one object or array, with white space around it; `undefined` for any other text. */
export function parseJson(text: string): JsonValue | typeof tooDeep | undefined {
  const builder = new JsonBuilder()
  const reader = new JsonReader(builder)
  const end = reader.feed(text, 0)
  return reader.state === "closed" && text.slice(end).trim() === "" ? builder.take() : undefined
}

/** True for an object, as opposed to a list or a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Sets a member of an object, also one named `__proto__`. */
function setOwn(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
  else object[name] = value
}
