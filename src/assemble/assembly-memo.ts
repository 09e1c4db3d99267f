import type { TokenCounter } from "../core/ports.ts"
import type { Source } from "../core/source.ts"
import type { Assembly } from "../core/span.ts"
import { type FitRule, type Injection, isText, type SlotEntry, type SlotValue, type TrustedText } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { removedFrom } from "../encode/marked-text.ts"
import { cutOf, noticeOf } from "./cut/cut-places.ts"

/** What an assembly is made from, beside the injections. */
interface MemoKey {
  readonly counter: TokenCounter
  readonly dialect: Dialect
  /** Everything else, as JSON. */
  readonly options: string
}

interface Remembered {
  readonly counter: TokenCounter
  readonly options: string
  readonly given: readonly Injection[]
  readonly assembly: Assembly
}

/** So many requests of a dialect are remembered, the last ones asked for. */
const limit = 4

const remembered = new WeakMap<Dialect, Remembered[]>()

/**
 * The same assembly for the same input, else the one that `make` makes of what stands for the input ({@link standIns}). Inputs
 * are compared by value, so that a turn that makes its injections anew finds it too. Injections are readonly data: one that is
 * changed in place, deeper than its list, is not seen to have changed.
 */
export function assembledBefore(
  given: readonly Injection[],
  { counter, dialect, options }: MemoKey,
  make: (injections: readonly Injection[]) => Assembly,
): Assembly {
  const list = remembered.get(dialect) ?? []
  remembered.set(dialect, list)
  const standing = standIns(given, list[0]?.given ?? [])
  const at = list.findIndex(
    (entry) => entry.counter === counter && entry.options === options && sameInjections(entry.given, standing),
  )
  const [known] = at < 0 ? [] : list.splice(at, 1)
  const entry = known ?? { counter, options, given: standing, assembly: make(standing) }
  list.unshift(entry)
  if (list.length > limit) list.pop()
  return entry.assembly
}

/**
 * What stands for injections while a prompt is made: for each the one of the request `before` that is equal, so that what was
 * made of that is found again by an application that makes its injections anew each turn; else itself. Lists are copied, as an
 * application adds to them between turns.
 */
export function standIns(given: readonly Injection[], before: readonly Injection[]): readonly Injection[] {
  const standing: Injection[] = []
  let places: ReadonlyMap<string, number> | undefined
  let next = 0
  for (const injection of given) {
    if (before[next]?.key !== injection.key) {
      places ??= new Map(before.map(({ key }, place) => [key, place]))
      next = places.get(injection.key) ?? next - 1
    }
    const known = before[next++]
    standing.push(known && (known === injection || sameInjection(known, injection)) ? known : withOwnList(injection))
  }
  return standing
}

/** The copies of injections that hold lists. */
const copies = new WeakMap<Injection, Injection>()

/** One copy of an injection as long as its list has the same entries. */
function withOwnList(injection: Injection): Injection {
  const { content } = injection
  if (!Array.isArray(content)) return injection
  const entries = content as readonly SlotEntry[]
  const known = copies.get(injection)
  if (known && sameLists(known.content as readonly SlotEntry[], entries, Object.is)) return known
  const copy = { ...injection, content: entries.slice() }
  copies.set(injection, copy)
  return copy
}

/** True when two lists of injections make the same prompt: equal values, whichever objects hold them. */
function sameInjections(a: readonly Injection[], b: readonly Injection[]): boolean {
  return sameLists(a, b, sameInjection)
}

/** True when two injections make the same of a prompt. */
function sameInjection(a: Injection, b: Injection): boolean {
  const isAlike = a.key === b.key && a.trust === b.trust && a.priority === b.priority && a.role === b.role && a.scope === b.scope
  return (
    isAlike &&
    a.enabled === b.enabled &&
    sameFit(a.fit, b.fit) &&
    sameSource(a.source, b.source) &&
    sameValue(a.content, b.content)
  )
}

function sameValue(a: SlotValue, b: SlotValue): boolean {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object") return false
  if (isText(a)) return isText(b) && sameText(a, b)
  return !isText(b) && sameLists(a, b, sameEntry)
}

function sameText(a: TrustedText, b: TrustedText): boolean {
  const isSame = a.text === b.text && a.trust === b.trust && sameSource(a.source, b.source)
  return isSame && sameRemoved(a, b) && cutOf(a) === cutOf(b)
}

/** Encoded texts are known by identity; two of them are the same when the same was taken out of them. */
function sameRemoved(a: TrustedText, b: TrustedText): boolean {
  const [left, right] = [removedFrom(a), removedFrom(b)]
  if (left === right) return true
  return left?.removed === right?.removed && sameLists(left?.kinds ?? [], right?.kinds ?? [], Object.is)
}

function sameEntry(a: SlotEntry, b: SlotEntry): boolean {
  if (a === b) return true
  if (noticeOf(a) !== noticeOf(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [left, right] = [a[name], b[name]]
      return Object.hasOwn(b, name) && left !== undefined && right !== undefined && sameValue(left, right)
    })
  )
}

function sameFit(a: FitRule | undefined, b: FitRule | undefined): boolean {
  if (a === b) return true
  if (!a || !b) return false
  const isSame = a.rank === b.rank && a.shrink === b.shrink && a.group === b.group
  return (
    isSame && a.minTokens === b.minTokens && a.maxTokens === b.maxTokens && sameLists(a.scores ?? [], b.scores ?? [], Object.is)
  )
}

function sameSource(a: Source | undefined, b: Source | undefined): boolean {
  return a === b || (a?.file === b?.file && a?.line === b?.line && a?.column === b?.column)
}

/** True for two lists of as many items, each the same as the other's. */
function sameLists<Item>(a: readonly Item[], b: readonly Item[], same: (a: Item, b: Item) => boolean): boolean {
  return a === b || (a.length === b.length && a.every((item, index) => item === b[index] || same(item, b[index] as Item)))
}
