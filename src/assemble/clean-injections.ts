import type { Trust } from "../core/trust.ts"
import { type Entry, type Injection, isEmptyValue, isText, type Text, type Value } from "../core/value.ts"
import { removedFrom } from "../encode/encoded.ts"
import { sanitise } from "../encode/sanitise.ts"

/** An injection fit to print, and what was taken out of its untrusted texts. */
export interface CleanInjection {
  readonly injection: Injection
  /** Characters removed or replaced. */
  readonly removed: number
  readonly kinds: readonly string[]
}

/**
 * Takes out of untrusted texts what nobody can see or what acts on a terminal, and leaves out entries that hold nothing.
 * It happens once, before anything is cut or counted, so that what is cut and counted is what is printed.
 */
export function cleanInjection(injection: Injection): CleanInjection {
  const found = new Found()
  const content = cleanValue(injection.content, injection.trust, found)
  const clean = content === injection.content ? injection : { ...injection, content }
  return { injection: clean, removed: found.removed, kinds: [...found.kinds] }
}

/** What cleaning has taken out so far. */
class Found {
  removed = 0
  readonly kinds = new Set<string>()

  add({ removed, kinds }: { readonly removed: number; readonly kinds: readonly string[] }): void {
    this.removed += removed
    for (const kind of kinds) this.kinds.add(kind)
  }
}

/** The very same value where there was nothing to do. */
function cleanValue(value: Value, trust: Trust, found: Found): Value {
  if (typeof value === "boolean") return value
  if (typeof value === "string") return trust === "author" ? value : cleanString(value, found)
  if (isText(value)) return cleanText(value, found)
  const entries = value.map((entry) => cleanEntry(entry, trust, found)).filter((entry) => !isBlankEntry(entry))
  return entries.length === value.length && entries.every((entry, index) => entry === value[index]) ? value : entries
}

function cleanEntry(entry: Entry, trust: Trust, found: Found): Entry {
  const slots = Object.entries(entry).map(([name, value]) => ({ name, value, clean: cleanValue(value, trust, found) }))
  return slots.every(({ value, clean }) => value === clean)
    ? entry
    : Object.fromEntries(slots.map(({ name, clean }) => [name, clean]))
}

function cleanText(text: Text, found: Found): Text {
  const encoded = removedFrom(text)
  if (encoded) found.add(encoded)
  if (encoded || text.trust === "author") return text
  const clean = cleanString(text.text, found)
  return clean === text.text ? text : { ...text, text: clean }
}

function cleanString(text: string, found: Found): string {
  const clean = sanitise(text)
  found.add(clean)
  return clean.text
}

function isBlankEntry(entry: Entry): boolean {
  return Object.values(entry).every(isEmptyValue)
}
