/** Printed for a value inside itself, and for one that throws when it is read. */
const circular = '"[circular]"'
const unreadable = '"[unreadable]"'

/** Only values that are generated while they are read are deeper. They print as unreadable. */
const maxDepth = 100_000

/** A piece of output, a value that is still to be printed, or the end of a container. */
type OutputPiece = { readonly text: string } | { readonly value: unknown } | { readonly leave: object }

/**
 * Prints any value as compact JSON text; never throws and never recurses. Other than `JSON.stringify`, it prints a bigint as
 * its digits, NaN and infinities as strings, an Error as its name and message, a Set as its values, a Map as its pairs, a
 * binary view as its type and length, a value inside itself as `"[circular]"`, and one that throws or never ends as
 * `"[unreadable]"`. `canonical` sorts keys at every depth and prints `NaN` and `Infinity` without quotes, so that only equal
 * values print equally.
 */
export function printJson(value: unknown, { canonical = false }: { readonly canonical?: boolean } = {}): string {
  const out: string[] = []
  const open = new Set<object>()
  const pending: OutputPiece[] = [{ value }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ("text" in next) out.push(next.text)
    else if ("leave" in next) open.delete(next.leave)
    else {
      const shown = step(next.value, open, canonical)
      if (typeof shown === "string") out.push(shown)
      else for (const piece of shown.reverse()) pending.push(piece)
      if (open.size > maxDepth) return unreadable
    }
  }
  return out.join("")
}

/** Returns the text of a scalar, or the pieces of a container, which is open from then on. */
function step(given: unknown, open: Set<object>, canonical: boolean): string | OutputPiece[] {
  try {
    const value = plainForm(given)
    if (typeof given !== "object" || given === null) return printScalar(value, canonical)
    if (open.has(given)) return circular
    if (typeof value !== "object" || value === null) return printScalar(value, canonical)
    const pieces = Array.isArray(value) ? listPieces(value) : recordPieces(value, canonical)
    open.add(given)
    pieces.push({ leave: given })
    return pieces
  } catch {
    return unreadable
  }
}

/** Returns the value that is printed instead of this one. */
function plainForm(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Map || value instanceof Set) return [...value]
  if (value instanceof Error) return `${value.name}: ${value.message}`
  if (ArrayBuffer.isView(value)) return `[${Object.prototype.toString.call(value).slice(8, -1)} ${value.byteLength}]`
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON("")
  return value instanceof String || value instanceof Number || value instanceof Boolean ? value.valueOf() : value
}

function printScalar(value: unknown, canonical: boolean): string {
  if (typeof value === "bigint") return String(value)
  if (typeof value === "number" && !Number.isFinite(value)) return canonical ? String(value) : `"${value}"`
  return JSON.stringify(value) ?? "null"
}

function listPieces(list: readonly unknown[]): OutputPiece[] {
  const pieces: OutputPiece[] = [{ text: "[" }]
  for (const [at, value] of list.entries()) {
    if (at > 0) pieces.push({ text: "," })
    pieces.push({ value })
  }
  pieces.push({ text: "]" })
  return pieces
}

/** Leaves out undefined, functions and symbols, as `JSON.stringify` does. */
function recordPieces(record: object, canonical: boolean): OutputPiece[] {
  const entries = Object.entries(record).filter(([, value]) => !["undefined", "function", "symbol"].includes(typeof value))
  if (canonical) entries.sort(([a], [b]) => (a < b ? -1 : 1))
  const pieces: OutputPiece[] = [{ text: "{" }]
  for (const [at, [key, value]] of entries.entries()) {
    pieces.push({ text: `${at > 0 ? "," : ""}${JSON.stringify(key)}:` }, { value })
  }
  pieces.push({ text: "}" })
  return pieces
}
