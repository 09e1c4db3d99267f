import { type Memo, memoKind } from "../../core/memo.ts"
import { type CountedTool, roughCounter, type TokenCounter } from "../../core/ports.ts"
import type { Source } from "../../core/source.ts"
import type { Assembly } from "../../core/span.ts"
import { type FitRule, type Injection, isText, type SlotEntry, type SlotValue } from "../../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { cutOf, noticeOf, removedFrom } from "../encode/marked-text.ts"
import type { KnownNames } from "../encode/named-lines.ts"
import { messageCounter } from "./tokens/message-counter.ts"

/** Everything that an assembly is made from, beside the injections. Further options are plain JSON. */
interface MemoOptions {
  readonly dialect: Dialect
  readonly counter?: TokenCounter
  readonly tools?: readonly CountedTool[] | undefined
  readonly names?: KnownNames | undefined
}

interface Remembered {
  readonly dialect: Dialect
  readonly counter: TokenCounter
  /** Everything else, as JSON. */
  readonly others: string
  readonly tools: readonly CountedTool[]
  /** The names by slot; `others` has the slots. */
  readonly names: readonly (readonly string[])[]
  readonly given: readonly Injection[]
  readonly assembly: Assembly
}

type Make<Options> = (injections: readonly Injection[], options: Options, memo: Memo) => Assembly

/** The number of requests that are remembered: the latest ones. */
const limit = 4

const requests = memoKind<Memo, Remembered[]>()

/**
 * Gives the same assembly for the same input, else the one that `make` makes from the input's {@link standIns}. Inputs are
 * compared by value, so that a turn whose injections are new objects finds the assembly too. Injections are readonly data: a
 * change in place, deeper than the list of entries, is not noticed.
 */
export function assembledBefore<Options extends MemoOptions>(
  given: readonly Injection[],
  options: Options,
  { memo, make }: { readonly memo: Memo; readonly make: Make<Options> },
): Assembly {
  const { dialect, counter = roughCounter, tools = [], names, ...rest } = options
  const others = JSON.stringify([rest, Object.keys(names ?? {})])
  const lists = Object.values(names ?? {})
  const list = memo.made(requests, memo, () => [])
  const standing = standIns(given, list[0]?.given ?? [])
  for (const [at, known] of list.entries()) {
    if (
      known.dialect !== dialect ||
      known.counter !== counter ||
      known.others !== others ||
      !sameLists(known.tools, tools, sameTool)
    )
      continue
    if (!sameLists(known.names, lists, sameLists) || !sameLists(known.given, standing, sameInjection)) continue
    list.unshift(...list.splice(at, 1))
    return known.assembly
  }
  const assembly = make(standing, options, memo)
  list.unshift({ dialect, counter, others, tools: tools.slice(), names: lists, given: standing, assembly })
  if (list.length > limit) list.pop()
  return assembly
}

/** About the UTF-16 units that a memo holds: those of its requests' messages, and of the texts that the last counter knows. */
export function sizeOf(memo: Memo): number {
  const list = memo.get(requests, memo) ?? []
  let size = list[0] ? messageCounter(list[0].counter, memo).size() : 0
  for (const { assembly } of list) for (const { content } of assembly.messages) size += content.length
  return size
}

function sameTool(a: CountedTool, b: CountedTool): boolean {
  return a.name === b.name && JSON.stringify(a) === JSON.stringify(b)
}

/**
 * Replaces each injection by an equal one of the request before, or keeps it where there is none. Results are remembered by
 * object, so they are found again although an application makes its injections anew each turn. Lists are copied, because an
 * application may add to them between turns.
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
    standing.push(known && (known === injection || sameInjection(known, injection)) ? known : withOwnList(injection, known))
  }
  return standing
}

/** Longer lists, such as histories, are not compared: they hold the same objects anyway. */
const mostCompared = 100

/** Copies a list, with equal entries of the list before, wherever they stood: of lists made anew each turn, such as events, most are equal. */
function withOwnList(injection: Injection, known: Injection | undefined): Injection {
  const { content } = injection
  if (!Array.isArray(content)) return injection
  const [entries, before] = [content, known?.content] as [readonly SlotEntry[], SlotValue | undefined]
  if (!Array.isArray(before) || entries.length + before.length > mostCompared) return { ...injection, content: entries.slice() }
  const byText = new Map((before as readonly SlotEntry[]).map((entry) => [textOf(entry), entry]))
  const standIn = (entry: SlotEntry): SlotEntry => {
    const equal = byText.get(textOf(entry))
    return equal !== undefined && sameEntry(equal, entry) ? equal : entry
  }
  return { ...injection, content: entries.map(standIn) }
}

const textOf = ({ text }: SlotEntry): string => (typeof text === "object" && isText(text) ? text.text : "")

/** True for injections that print the same: equal values, whichever objects hold them. */
function sameInjection(a: Injection, b: Injection): boolean {
  const isAlike = a.key === b.key && a.trust === b.trust && a.priority === b.priority && a.role === b.role && a.scope === b.scope
  return (
    isAlike &&
    a.enabled === b.enabled &&
    a.stability === b.stability &&
    (a.fit === b.fit || sameFit(a.fit, b.fit)) &&
    (a.source === b.source || sameSource(a.source, b.source)) &&
    sameValue(a.content, b.content)
  )
}

function sameValue(a: SlotValue, b: SlotValue): boolean {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object") return false
  if (!isText(a)) return !isText(b) && sameLists(a, b, sameEntry)
  if (!isText(b) || a.text !== b.text || a.trust !== b.trust || cutOf(a) !== cutOf(b)) return false
  if (a.source !== b.source && !sameSource(a.source, b.source)) return false
  if (a.parts !== b.parts && JSON.stringify(a.parts) !== JSON.stringify(b.parts)) return false
  const [left, right] = [removedFrom(a), removedFrom(b)]
  // Two texts that are not encoded, or two encoded ones from which the same was removed.
  return left === right || (left?.removed === right?.removed && sameLists(left?.kinds ?? [], right?.kinds ?? [], Object.is))
}

function sameEntry(a: SlotEntry, b: SlotEntry): boolean {
  if (noticeOf(a) !== noticeOf(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  for (const name of names) {
    const [left, right] = [a[name], b[name]]
    if (!Object.hasOwn(b, name) || left === undefined || right === undefined || !sameValue(left, right)) return false
  }
  return true
}

function sameFit(a: FitRule | undefined, b: FitRule | undefined): boolean {
  if (!a || !b) return false
  const isSame = a.rank === b.rank && a.shrink === b.shrink && a.group === b.group
  return (
    isSame && a.minTokens === b.minTokens && a.maxTokens === b.maxTokens && sameLists(a.scores ?? [], b.scores ?? [], Object.is)
  )
}

function sameSource(a: Source | undefined, b: Source | undefined): boolean {
  return a?.file === b?.file && a?.line === b?.line && a?.column === b?.column
}

/** True for two lists of the same length, with the same items at the same places. */
export function sameLists<Item>(
  a: readonly Item[],
  b: readonly Item[],
  same: (a: Item, b: Item) => boolean = Object.is,
): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index] && !same(a[index] as Item, b[index] as Item)) return false
  }
  return true
}
