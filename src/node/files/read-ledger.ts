import type { ServiceKey } from "../../core/keys.ts"
import type { ToolContext } from "../../tools/tool.ts"

/** A stretch of a text, in UTF-16 units. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A file as it was shown. */
export interface ShownFile {
  readonly path: string
  readonly hash: string
}

/** Whose context it is: what was shown in one turn is not known in another. */
export interface ReadContext {
  readonly key: ServiceKey
  readonly turnId: string
}

/** What a model has been shown of a file as it is now: all that was asked for, less, nothing, or an older version. */
export type Shown = "shown" | "partly" | "unread" | "changed"

/** Keeps which files a model has been shown in each turn, so that nothing unseen is overwritten (D10). */
export interface ReadLedger {
  /** Shown whole, or a part; parts add up. With `injection`, it counts as long as the turn's requests show that injection whole. */
  show(context: ReadContext, file: ShownFile, what: TextRange | "whole" | { readonly injection: string }): void
  /** How much of `range` has been shown. */
  shown(context: ToolContext, file: ShownFile, range: TextRange): Shown
  /** The model's own change: what it knew of the file it still knows, with `range` now holding `insertedUnits` units of its own. */
  edited(context: ReadContext, file: ShownFile, change: { readonly range: TextRange; readonly insertedUnits: number }): void
}

interface Entry {
  readonly hash: string
  readonly whole: boolean
  readonly injection?: string
  /** Apart from each other, in order. */
  readonly ranges: readonly TextRange[]
}

/** Turns that run at once are few; what is older is over. */
const maxTurns = 64

/** Makes an empty ledger. */
export function createReadLedger(): ReadLedger {
  const turns = new Map<string, Map<string, Entry>>()
  return {
    show(context, { path, hash }, what) {
      const files = filesOf(turns, context)
      const known = files.get(path)
      const before = known?.hash === hash ? known : { hash, whole: false, ranges: [] }
      if (what === "whole") files.set(path, { ...before, whole: true })
      else if ("injection" in what) files.set(path, { ...before, injection: what.injection })
      else files.set(path, { ...before, ranges: joined([...before.ranges, what]) })
    },
    shown(context, { path, hash }, { start, end }) {
      const known = filesOf(turns, context).get(path)
      if (!known) return "unread"
      if (known.hash !== hash) return "changed"
      if (isWhole(known, context)) return "shown"
      if (known.ranges.some((range) => range.start <= start && end <= range.end)) return "shown"
      return known.ranges.length > 0 ? "partly" : "unread"
    },
    edited(context, { path, hash }, { range, insertedUnits }) {
      const files = filesOf(turns, context)
      const known = files.get(path)
      const moved = known ? known.ranges.map((one) => shifted(one, range, insertedUnits)) : []
      files.set(path, { whole: false, ...known, hash, ranges: joined(moved) })
    },
  }
}

function isWhole({ whole, injection }: Entry, context: ToolContext): boolean {
  return whole || (injection !== undefined && context.isShownWhole?.(injection) !== false)
}

function filesOf(turns: Map<string, Map<string, Entry>>, { key, turnId }: ReadContext): Map<string, Entry> {
  const turn = JSON.stringify([key.agent, key.conversation, key.audience, turnId])
  const files = turns.get(turn) ?? new Map<string, Entry>()
  turns.delete(turn)
  turns.set(turn, files)
  for (const oldest of turns.keys()) {
    if (turns.size <= maxTurns) break
    turns.delete(oldest)
  }
  return files
}

/** A range after `range` came to hold `insertedUnits` units: what lies behind it moves, what holds it grows. */
function shifted(one: TextRange, range: TextRange, insertedUnits: number): TextRange {
  const by = insertedUnits - (range.end - range.start)
  if (one.start >= range.end && one.start > range.start) return { start: one.start + by, end: one.end + by }
  return one.end >= range.end ? { start: one.start, end: one.end + by } : one
}

function joined(ranges: readonly TextRange[]): readonly TextRange[] {
  const inOrder = [...ranges].sort((one, other) => one.start - other.start)
  const apart: TextRange[] = []
  for (const range of inOrder) {
    const last = apart.at(-1)
    if (last && range.start <= last.end) apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else apart.push(range)
  }
  return apart
}
