import { type Memo, memoKind } from "../../core/memo.ts"
import { type CountedTool, roughCounter, type TokenCounter } from "../../core/ports.ts"
import type { Assembly } from "../../core/span.ts"
import { type Injection, isText, type SlotEntry, type SlotValue } from "../../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { markOf } from "../encode/marked-text.ts"
import type { KnownNames } from "../encode/named-lines.ts"
import { messageCounter } from "./tokens/message-counter.ts"

/** Everything that an assembly is made from, beside the injections. Further options are plain JSON. */
interface MemoOptions {
  readonly dialect: Dialect
  readonly counter?: TokenCounter
  readonly tools?: readonly CountedTool[] | undefined
  readonly names?: KnownNames | undefined
}

interface RememberedAssembly {
  readonly dialect: Dialect
  readonly counter: TokenCounter
  /** Everything else, as JSON. */
  readonly others: string
  readonly tools: readonly CountedTool[]
  readonly names: KnownNames | undefined
  readonly given: readonly Injection[]
  readonly assembly: Assembly
}

type Make<Options> = (injections: readonly Injection[], options: Options, memo: Memo) => Assembly

/** The number of requests that are remembered: the latest ones. */
const limit = 4

const requests = memoKind<Memo, RememberedAssembly[]>()

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
  const others = JSON.stringify(rest)
  const list = memo.made(requests, memo, () => [])
  const standing = standIns(given, list[0]?.given ?? [])
  for (const [at, known] of list.entries()) {
    if (known.dialect !== dialect || known.counter !== counter || known.others !== others) continue
    const isAlike = sameData(known.tools, tools) && sameData(known.names, names)
    if (!isAlike || !sameData(known.given, standing)) continue
    list.unshift(...list.splice(at, 1))
    return known.assembly
  }
  const assembly = make(standing, options, memo)
  list.unshift({ dialect, counter, others, tools: tools.slice(), names, given: standing, assembly })
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
  const byText = new Map<string, SlotEntry>()
  for (const entry of before as readonly SlotEntry[]) byText.set(entryText(entry), entry)
  const standing: SlotEntry[] = []
  for (const entry of entries) {
    const equal = byText.get(entryText(entry))
    standing.push(equal && sameData(equal, entry) ? equal : entry)
  }
  return { ...injection, content: standing }
}

const entryText = ({ text }: SlotEntry): string => (typeof text === "object" && isText(text) ? text.text : "")

/** True for injections that print the same. Each member is named, because a stack can have thousands that are new each turn. */
function sameInjection(a: Injection, b: Injection): boolean {
  const isAlike = a.key === b.key && a.trust === b.trust && a.priority === b.priority && a.role === b.role && a.scope === b.scope
  const isAsReady = isAlike && a.enabled === b.enabled && a.stability === b.stability
  return isAsReady && sameData(a.fit, b.fit) && sameData(a.source, b.source) && sameData(a.content, b.content)
}

/** True for data that prints the same, whichever objects hold it: equal values with equal marks, their names in the same order. */
export function sameData(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let index = 0; index < a.length; index++) if (!sameData(a[index], b[index])) return false
    return true
  }
  const names = Object.keys(a)
  const others = Object.keys(b)
  if (names.length !== others.length) return false
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as keyof object
    if (name !== others[index] || !sameData(a[name], b[name])) return false
  }
  return sameData(markOf(a), markOf(b))
}
