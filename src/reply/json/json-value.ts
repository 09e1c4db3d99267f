import type { StepCount } from "../incoming-text.ts"
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

/** How deep the objects and lists of a built value may nest. */
export const maxDepth = 200

type Container = ({ readonly list: JsonValue[] } | { readonly object: Record<string, JsonValue>; name: string }) & {
  repeated?: string | undefined
}

/** A name that stood twice in an object or in one inside it. A built value cannot show that. */
const repeatedNames = new WeakMap<object, string>()

/** A name that stood twice in the text of a built value; `undefined` if there was none. Only its first value is in the value. */
export function repeatedName(value: object): string | undefined {
  return repeatedNames.get(value)
}

/** Builds values of what a {@link JsonReader} reads. Of equal names in an object the first counts (T23). */
export class JsonBuilder implements JsonSink {
  readonly #open: Container[] = []
  #depth = 0
  #text = ""
  #value: JsonValue | typeof tooDeep | undefined

  /** The value that was completed last. */
  take(): JsonValue | typeof tooDeep | undefined {
    const value = this.#value
    this.#value = undefined
    return value
  }

  open(kind: "object" | "array"): void {
    if (++this.#depth > maxDepth) this.#value = tooDeep
    if (this.#value === tooDeep) return
    const container: Container = kind === "array" ? { list: [] } : { object: {}, name: "" }
    this.#add("list" in container ? container.list : container.object)
    this.#open.push(container)
  }

  close(): void {
    this.#depth--
    const container = this.#open.pop()
    if (container?.repeated !== undefined) this.#markRepeated(container, container.repeated)
  }

  key(name: string): void {
    const container = this.#open.at(-1)
    if (container && "object" in container) container.name = name
  }

  text(part: string): void {
    this.#text += part
  }

  textEnd(): void {
    const text = this.#text
    this.#text = ""
    this.#add(text)
  }

  scalar(raw: string): void {
    this.#add(raw === "null" ? null : raw === "true" ? true : raw === "false" ? false : Number(raw))
  }

  #add(value: JsonValue): void {
    if (this.#value === tooDeep) return
    const container = this.#open.at(-1)
    if (container === undefined) this.#value = value
    else if ("list" in container) container.list.push(value)
    else if (Object.hasOwn(container.object, container.name)) container.repeated ??= container.name
    else setOwn(container.object, container.name, value)
  }

  #markRepeated(container: Container, name: string): void {
    repeatedNames.set("list" in container ? container.list : container.object, name)
    const outer = this.#open.at(-1)
    if (outer) outer.repeated ??= name
  }
}

/** Reads the JSON of one object or array, with white space around it; `undefined` for any other text. */
export function parseJson(text: string, count: StepCount): JsonValue | typeof tooDeep | undefined {
  const builder = new JsonBuilder()
  const reader = new JsonReader(builder, count)
  const end = reader.feed(text, 0)
  return reader.state === "closed" && text.slice(end).trim() === "" ? builder.take() : undefined
}

/** True for an object, as opposed to a list or a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Sets a member of an object, also one named `__proto__`. */
export function setOwn(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
  else object[name] = value
}
