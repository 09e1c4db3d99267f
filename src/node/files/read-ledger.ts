import type { ServiceKey } from "../../core/conversation.ts"
import { NewestMap } from "../../core/memo.ts"
import type { ToolContext } from "../../prompt/tools/tool.ts"

/** A part of a text, as offsets in UTF-16 units. */
export type TextRange = { readonly start: number; readonly end: number }

/** A version of a file. */
export type ShownFile = { readonly path: string; readonly hash: string }

/** A turn of a conversation. What was shown in one turn is not known in another. */
export type ReadContext = { readonly key: ServiceKey; readonly turnId: string }

/** How much of a range the model has been shown: all of it, another part of the file, nothing, or an older version. */
export type ReadState = "shown" | "partly" | "unread" | "changed"

/** Keeps what a model has been shown of files in each turn, so that nothing it has not seen is overwritten (D10). */
export interface ReadLedger {
  /**
   * Notes that the whole file or a part of it was shown; parts add up. With `injection`, the file counts as shown while the
   * turn's requests show that injection whole.
   */
  show(context: ReadContext, file: ShownFile, what: TextRange | "whole" | { readonly injection: string }): void
  /** How much of `range` has been shown. */
  shown(context: ToolContext, file: ShownFile, range: TextRange): ReadState
  /** Notes the model's own change: `range` now holds `insertedUnits` new units. What was shown before still counts. */
  edited(context: ReadContext, file: ShownFile, change: { readonly range: TextRange; readonly insertedUnits: number }): void
}

interface Entry {
  readonly hash: string
  readonly whole: boolean
  readonly injection?: string
  /** In order, without overlaps. */
  readonly ranges: readonly TextRange[]
}

/** Makes an empty ledger. */
export function createReadLedger(): ReadLedger {
  const turns = createTurnMap<Map<string, Entry>>()
  const filesOf = (context: ReadContext) => turns.get(context) ?? turns.set(context, new Map())
  return {
    show(context, { path, hash }, what) {
      const files = filesOf(context)
      const known = files.get(path)
      const before = known?.hash === hash ? known : { hash, whole: false, ranges: [] }
      if (what === "whole") files.set(path, { ...before, whole: true })
      else if ("injection" in what) files.set(path, { ...before, injection: what.injection })
      else files.set(path, { ...before, ranges: merged([...before.ranges, what]) })
    },
    shown(context, { path, hash }, { start, end }) {
      const known = filesOf(context).get(path)
      if (!known) return "unread"
      if (known.hash !== hash) return "changed"
      const isShown = isWhole(known, context) || known.ranges.some((range) => range.start <= start && end <= range.end)
      if (isShown) return "shown"
      return known.ranges.length > 0 ? "partly" : "unread"
    },
    edited(context, { path, hash }, { range, insertedUnits }) {
      const files = filesOf(context)
      const known = files.get(path)
      const moved = known ? known.ranges.map((one) => shifted(one, range, insertedUnits)) : []
      files.set(path, { whole: false, ...known, hash, ranges: merged(moved) })
    },
  }
}

function isWhole({ whole, injection }: Entry, context: ToolContext): boolean {
  return whole || (injection !== undefined && context.isShownWhole?.(injection) !== false)
}

/** A shown range after `range` was replaced by new units: it moves when it lies behind `range`, and grows when it holds it. */
function shifted(one: TextRange, range: TextRange, insertedUnits: number): TextRange {
  const by = insertedUnits - (range.end - range.start)
  if (one.start >= range.end && one.start > range.start) return { start: one.start + by, end: one.end + by }
  return one.end >= range.end ? { start: one.start, end: one.end + by } : one
}

function merged(ranges: readonly TextRange[]): readonly TextRange[] {
  const inOrder = [...ranges].sort((one, other) => one.start - other.start)
  const apart: TextRange[] = []
  for (const range of inOrder) {
    const last = apart.at(-1)
    if (last && range.start <= last.end) apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else apart.push(range)
  }
  return apart
}

/** Values of the turns that were used last. */
export interface TurnMap<T> {
  get(turn: ReadContext): T | undefined
  set(turn: ReadContext, value: T): T
}

/** Few turns run at the same time. Older ones have ended. */
const maxTurns = 64

/** Makes an empty map that keeps the 64 turns used last. */
export function createTurnMap<T>(): TurnMap<T> {
  const values = new NewestMap<string, T>(maxTurns)
  const keyOf = ({ key, turnId }: ReadContext) => JSON.stringify([key.agent, key.conversation, key.audience, turnId])
  const set = (turn: ReadContext, value: T): T => {
    values.set(keyOf(turn), value)
    return value
  }
  return {
    get(turn) {
      const value = values.get(keyOf(turn))
      return value === undefined ? undefined : set(turn, value)
    },
    set,
  }
}
