import { type GrownList, growIn, type Memo, memoKind } from "../../core/memo.ts"
import { type Injection, isEmptyValue, isText, type SlotEntry, type SlotValue, type Trust } from "../../core/value.ts"
import { markOf } from "../encode/marked-text.ts"
import { sanitise } from "../encode/sanitise.ts"
import { authoredList, noteAuthored } from "./print/authored-list.ts"

/** An injection that is ready to print, and what was removed from its untrusted texts. */
export interface CleanInjection {
  readonly injection: Injection
  /** The number of characters removed or replaced. */
  readonly removed: number
  readonly kinds: readonly string[]
}

/**
 * Removes invisible characters and terminal controls from untrusted texts, and entries that hold nothing. This happens once,
 * before anything is cut or counted, so that the printed text is the text that was counted. `undefined` when nothing has to
 * be done: to see that is cheaper than to look a result up.
 */
export function cleanInjection(injection: Injection, memo: Memo): CleanInjection | undefined {
  const { content, trust } = injection
  if (typeof content === "string" && trust === "author") return undefined
  if (Array.isArray(content) && isUntouchedList(content as readonly SlotEntry[], trust, memo)) return undefined
  return memo.made(cleanedInjections, injection, () => {
    const found: RemovedCharacters = { removed: 0, kinds: noKinds, memo }
    const clean = cleanContent(injection, found)
    return { injection: clean, removed: found.removed, kinds: found.kinds }
  })
}

/** Injections and entries are readonly data, so each is cleaned once. */
const cleanedInjections = memoKind<Injection, CleanInjection>()
const cleanedEntries = memoKind<SlotEntry, CleanEntry>()

/** By entry of a list, the trust under which neither it nor an entry before it has to be cleaned; `false` if one has to. */
const untouchedLists = memoKind<SlotEntry, GrownList<SlotEntry, Trust | false>>()

/** True for a list that needs no cleaning. */
function isUntouchedList(entries: readonly SlotEntry[], trust: Trust, memo: Memo): boolean {
  if (entries.length === 0 || (trust === "author" && authoredList(entries))) return true
  const untouched = growIn(memo, untouchedLists, entries, (entry, before: Trust | false = trust) => {
    return before === trust && cleanEntry(entry, trust, memo).isUntouched && trust
  })
  const isUntouched = untouched.at(-1) === trust
  if (isUntouched && trust === "author") noteAuthored(entries)
  return isUntouched
}

function cleanContent(injection: Injection, found: RemovedCharacters): Injection {
  const { content, trust, fit } = injection
  if (!Array.isArray(content)) {
    const clean = cleanValue(content, trust, found)
    return clean === content ? injection : { ...injection, content: clean }
  }
  const kept: number[] = []
  const clean = cleanEntries(content as readonly SlotEntry[], trust, { found, kept })
  if (clean === content) return injection
  const scores = fit?.scores
  if (!scores) return { ...injection, content: clean }
  return { ...injection, content: clean, fit: { ...fit, scores: kept.map((index) => scores[index] ?? 0) } }
}

/** Gives back the same list when nothing was cleaned. `kept` receives the indexes of the entries that are left. */
function cleanEntries(
  entries: readonly SlotEntry[],
  trust: Trust,
  { found, kept }: { readonly found: RemovedCharacters; readonly kept?: number[] },
): readonly SlotEntry[] {
  const clean: SlotEntry[] = []
  let isSame = true
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index]
    if (!entry) continue
    const known = cleanEntry(entry, trust, found.memo)
    if (known.removed > 0) addFound(found, known)
    if (known.entry !== entry) isSame = false
    if (!known.entry) continue
    clean.push(known.entry)
    kept?.push(index)
  }
  return isSame ? entries : clean
}

interface CleanEntry {
  readonly trust: Trust
  /** The same object when nothing was cleaned; `undefined` when nothing is left of the entry. */
  readonly entry: SlotEntry | undefined
  readonly isUntouched: boolean
  readonly removed: number
  readonly kinds: readonly string[]
}

function cleanEntry(entry: SlotEntry, trust: Trust, memo: Memo): CleanEntry {
  const known = memo.get(cleanedEntries, entry)
  if (known?.trust === trust) return known
  const found: RemovedCharacters = { removed: 0, kinds: noKinds, memo }
  const slots: [string, SlotValue][] = []
  let [isSame, isBlank] = [!Object.values(entry).includes(undefined as never), true]
  // A slot of plain JavaScript may be undefined: it is absent.
  for (const [name, value] of Object.entries<SlotValue | undefined>(entry)) {
    if (value === undefined) continue
    const clean = cleanValue(value, trust, found)
    slots.push([name, clean])
    if (clean !== value) isSame = false
    if (!isEmptyValue(clean)) isBlank = false
  }
  const clean = isSame ? entry : Object.fromEntries(slots)
  const { removed, kinds } = found
  const isUntouched = isSame && !isBlank && removed === 0
  return memo.set(cleanedEntries, entry, { trust, entry: isBlank ? undefined : clean, isUntouched, removed, kinds })
}

/** Gives back the same value when nothing was cleaned. */
function cleanValue(value: SlotValue, trust: Trust, found: RemovedCharacters): SlotValue {
  if (typeof value === "boolean") return value
  if (typeof value !== "string" && !isText(value)) return cleanEntries(value, trust, { found })
  const encoded = typeof value === "string" ? undefined : markOf(value)?.encoded
  if (encoded && encoded.removed > 0) addFound(found, encoded)
  const { text, trust: writer } = typeof value === "string" ? { text: value, trust } : value
  if (encoded || writer === "author") return value
  const clean = sanitise(text)
  if (clean.removed === 0) return value
  addFound(found, clean)
  return typeof value === "string" ? clean.text : { ...value, text: clean.text }
}

const noKinds: readonly string[] = []

/** The characters that cleaning removed so far. */
interface RemovedCharacters {
  removed: number
  /** Each kind once, in the order found. */
  kinds: readonly string[]
  /** Remembers the entries that were cleaned. */
  readonly memo: Memo
}

function addFound(found: RemovedCharacters, { removed, kinds }: Pick<RemovedCharacters, "removed" | "kinds">): void {
  found.removed += removed
  found.kinds = [...new Set([...found.kinds, ...kinds])]
}
