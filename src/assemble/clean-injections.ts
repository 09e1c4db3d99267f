import { GrowingLists } from "../core/growing-lists.ts"
import {
  type Injection,
  isEmptyValue,
  isText,
  type SlotEntry,
  type SlotValue,
  type Trust,
  type TrustedText,
} from "../core/value.ts"
import { removedFrom } from "../encode/marked-text.ts"
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
 * It happens once, before anything is cut or counted, so that what is cut and counted is what is printed. `undefined` where
 * nothing is to be done, which takes less to see than to look up.
 */
export function cleanInjection(injection: Injection): CleanInjection | undefined {
  if (isUntouchedContent(injection)) return undefined
  const known = cleaned.get(injection)
  if (known) return known
  const found = new Found()
  const { injection: clean } = cleanContent(injection, found)
  const result = { injection: clean, removed: found.removed, kinds: found.kinds }
  cleaned.set(injection, result)
  return result
}

const noKinds: readonly string[] = []

/** Injections and entries are readonly data: each is cleaned once. */
const cleaned = new WeakMap<Injection, CleanInjection>()
const cleanedEntries = new WeakMap<SlotEntry, CleanEntry>()

/** Lists of injections, by the trust of what does not say its own: whether nothing was to be done up to each entry. */
const untouchedLists: Readonly<Record<Trust, GrowingLists<SlotEntry, boolean>>> = {
  author: new GrowingLists(),
  user: new GrowingLists(),
  agent: new GrowingLists(),
  tool: new GrowingLists(),
  memory: new GrowingLists(),
}

interface CleanEntry {
  readonly trust: Trust
  /** The very same entry where there was nothing to do; undefined where nothing is left of it. */
  readonly entry: SlotEntry | undefined
  readonly removed: number
  readonly kinds: readonly string[]
}

/** What cleaning has taken out so far. */
class Found {
  removed = 0
  #kinds: Set<string> | undefined

  /** Each once, in the order found. */
  get kinds(): readonly string[] {
    return this.#kinds ? [...this.#kinds] : noKinds
  }

  add({ removed, kinds }: { readonly removed: number; readonly kinds: Iterable<string> }): void {
    if (removed === 0) return
    this.removed += removed
    this.#kinds ??= new Set()
    for (const kind of kinds) this.#kinds.add(kind)
  }
}

function cleanContent(injection: Injection, found: Found): { readonly injection: Injection } {
  const { content, trust, fit } = injection
  if (!Array.isArray(content)) {
    const clean = cleanValue(content, trust, found)
    return { injection: clean === content ? injection : { ...injection, content: clean } }
  }
  const entries = content as readonly SlotEntry[]
  const kept: number[] = []
  const clean = cleanEntries(entries, trust, { found, kept })
  if (clean === content) return { injection }
  const scores = fit?.scores
  return {
    injection: {
      ...injection,
      content: clean,
      ...(fit && scores ? { fit: { ...fit, scores: kept.map((index) => scores[index] ?? 0) } } : {}),
    },
  }
}

/** True for what its author wrote and for a list of which nothing has to be taken out. */
function isUntouchedContent({ content, trust }: Injection): boolean {
  if (typeof content === "string") return trust === "author"
  if (!Array.isArray(content)) return false
  const upTo = untouchedLists[trust].of(
    content as readonly SlotEntry[],
    (entry, before = true) => before && isUntouched(entry, trust),
  )
  return upTo.at(-1) !== false
}

function isUntouched(entry: SlotEntry, trust: Trust): boolean {
  const clean = cleanEntry(entry, trust)
  return clean.removed === 0 && clean.entry === entry
}

/** The very same list where there was nothing to do; `kept` gets the numbers of the entries that are left. */
function cleanEntries(
  entries: readonly SlotEntry[],
  trust: Trust,
  { found, kept }: { readonly found: Found; readonly kept?: number[] },
): readonly SlotEntry[] {
  const clean: SlotEntry[] = []
  let isSame = true
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index]
    if (!entry) continue
    const known = cleanEntry(entry, trust)
    if (known.removed > 0) found.add(known)
    if (known.entry !== entry) isSame = false
    if (!known.entry) continue
    clean.push(known.entry)
    kept?.push(index)
  }
  return isSame ? entries : clean
}

/** The very same value where there was nothing to do. */
function cleanValue(value: SlotValue, trust: Trust, found: Found): SlotValue {
  if (typeof value === "boolean") return value
  if (typeof value === "string") return trust === "author" ? value : cleanString(value, found)
  return isText(value) ? cleanText(value, found) : cleanEntries(value, trust, { found })
}

function cleanEntry(entry: SlotEntry, trust: Trust): CleanEntry {
  const known = cleanedEntries.get(entry)
  if (known?.trust === trust) return known
  const found = new Found()
  const slots = Object.entries(entry).map(([name, value]) => ({ name, value, clean: cleanValue(value, trust, found) }))
  const clean = slots.every(({ value, clean }) => value === clean)
    ? entry
    : Object.fromEntries(slots.map(({ name, clean }) => [name, clean]))
  const result = { trust, entry: isBlankEntry(clean) ? undefined : clean, removed: found.removed, kinds: found.kinds }
  cleanedEntries.set(entry, result)
  return result
}

function cleanText(text: TrustedText, found: Found): TrustedText {
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

function isBlankEntry(entry: SlotEntry): boolean {
  return Object.values(entry).every(isEmptyValue)
}
