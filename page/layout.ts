import type { RecordedRequest, RecordedSpan, RequestChange } from "../src/apps/server/inspector/turn-record.ts"
import type { Words } from "./words.ts"

/** One line of a request on the screen. All lines have the same height, so that any part of a long request is found without the rest. */
export type Row =
  | { readonly kind: "head"; readonly message: number }
  | { readonly kind: "text"; readonly message: number; readonly start: number; readonly end: number }
  /** The end of the prefixes of these stabilities. */
  | { readonly kind: "mark"; readonly names: string; readonly tokens: number }
  | { readonly kind: "change"; readonly change: RequestChange }

/** A message as it is laid out: its text, and the start of each span in it. */
export interface LaidMessage {
  readonly text: string
  readonly starts: readonly number[]
}

/** A request as lines. */
export interface Layout {
  readonly rows: readonly Row[]
  readonly messages: readonly LaidMessage[]
}

/** A part of a line that belongs to one span. */
export interface Segment {
  readonly span: number
  readonly text: string
}

/** On fewer columns, as on a phone, each of several prefixes that end at one place has a line of its own. */
const columnsOfNames = 60

/** Breaks a request into lines of at most `columns` columns, with a line where a prefix ends and where a change begins. */
export function layOut(
  { messages, prefixes, change }: Pick<RecordedRequest, "messages" | "prefixes" | "change">,
  columns: number,
): Layout {
  const rows: Row[] = []
  const laid: LaidMessage[] = []
  for (const [message, { spans }] of messages.entries()) {
    const starts: number[] = []
    let text = ""
    for (const span of spans) {
      starts.push(text.length)
      text += span.text
    }
    laid.push({ text, starts })
    rows.push({ kind: "head", message })
    const marks = prefixes.filter((mark) => mark.message === message && mark.stability !== "turn" && mark.tokens > 0)
    const notes: { at: number; row: Row }[] = [...new Set(marks.map(({ spans }) => spans))].flatMap((spans) => {
      const same = marks.filter((mark) => mark.spans === spans)
      const names = same.map(({ stability }) => stability)
      const shown = columns < columnsOfNames ? names : [names.join(", ")]
      const [tokens, at] = [same[0]?.tokens ?? 0, starts[spans] ?? text.length]
      return shown.map((name) => ({ at, row: { kind: "mark", names: name, tokens } as const }))
    })
    if (change?.message === message && change.outcome !== "none")
      notes.push({ at: starts[change.span] ?? text.length, row: { kind: "change", change } })
    notes.sort((a, b) => a.at - b.at)
    let at = 0
    for (const note of notes) {
      breakLines(text, { from: at, to: note.at, columns }, (start, end) => rows.push({ kind: "text", message, start, end }))
      rows.push(note.row)
      at = note.at
    }
    breakLines(text, { from: at, to: text.length, columns }, (start, end) => rows.push({ kind: "text", message, start, end }))
  }
  return { rows, messages: laid }
}

/** The segments of a line. */
export function segmentsOf({ text, starts }: LaidMessage, start: number, end: number): Segment[] {
  const found: Segment[] = []
  let span = lastAtOrBefore(starts, start)
  for (let at = start; at < end; span++) {
    const next = Math.min(end, starts[span + 1] ?? end)
    if (next > at) found.push({ span, text: text.slice(at, next) })
    at = Math.max(at, next)
  }
  return found
}

/** The index of the line in which a span begins. */
export function rowOfSpan({ rows, messages }: Layout, message: number, span: number): number {
  const start = messages[message]?.starts[span] ?? 0
  return rows.findIndex((row) => row.kind === "text" && row.message === message && row.end > start)
}

function lastAtOrBefore(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** Characters that do not begin a line. */
const closing = new Set("，。、；：？！）】》〉」』”’…—～".split(""))

/**
 * Calls `add` for each line of a part of a text. A line ends at a line break, which belongs to it, at a space, behind a character of a
 * script without spaces, or where it is full.
 */
export function breakLines(
  text: string,
  { from, to, columns }: { readonly from: number; readonly to: number; readonly columns: number },
  add: (start: number, end: number) => void,
): void {
  let [start, width, space] = [from, 0, -1]
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 10) {
      add(start, at + 1)
      ;[start, width, space] = [at + 1, 0, -1]
      continue
    }
    // A line is never broken inside a pair.
    if (unit >= 0xdc00 && unit < 0xe000) continue
    width += unit >= 0x1100 ? 2 : unit === 9 ? 4 : 1
    if (width > columns && at > start) {
      const end = space > start ? space : at
      add(start, end)
      start = end
      ;[width, space] = [widthOf(text, start, at + 1), -1]
    }
    if (unit === 32 || (unit >= 0x2e80 && unit < 0xd800 && !closing.has(text.charAt(at + 1)))) space = at + 1
  }
  if (start < to) add(start, to)
}

function widthOf(text: string, start: number, end: number): number {
  let width = 0
  for (let at = start; at < end; at++) width += text.charCodeAt(at) >= 0x1100 ? 2 : 1
  return width
}

/** All that a request has of one layer. */
export interface LayerSum {
  /** The injection's key; empty for the prompt file's own text. */
  readonly key: string
  readonly tokens: number
  readonly colour: number
  readonly fate: string
  readonly reason: string
  readonly fromTokens: number
}

const colours = 12

/** Layers that stand beside each other often have colours that do not look alike. */
const known: ReadonlyMap<string, number> = new Map([
  ...([
    ["persona", 1],
    ["format", 8],
    ["skills", 9],
    ["tools", 6],
    ["history", 4],
    ["prestart", 7],
  ] as const),
  ...([
    ["question", 3],
    ["memories", 10],
    ["runs", 5],
    ["documents", 11],
    ["time", 2],
    ["steps", 0],
  ] as const),
])

/** The number of a layer's colour: the same for its name on every page. */
export function colourOf(key: string): number {
  if (key === "") return colours
  const own = known.get(key)
  if (own !== undefined) return own
  let hash = 7
  for (let at = 0; at < key.length; at++) hash = (hash * 31 + key.charCodeAt(at)) % 1_000_003
  return hash % colours
}

/** Sums up a request by layers: those in it in the order in which they begin, then those that were left out. */
export function sumLayers({ messages, decisions }: Pick<RecordedRequest, "messages" | "decisions">): LayerSum[] {
  const tokens = new Map<string, number>()
  for (const { key, tokens: own } of messages.flatMap(({ spans }): readonly RecordedSpan[] => spans))
    tokens.set(key, (tokens.get(key) ?? 0) + own)
  const fates = new Map(decisions.map((decision) => [decision.key, decision]))
  const keys = [...new Set([...tokens.keys(), ...fates.keys()])]
  return keys.map((key) => {
    const { fate = key === "" ? "kept" : "", reason = "", fromTokens = 0 } = fates.get(key) ?? {}
    return { key, tokens: tokens.get(key) ?? 0, colour: colourOf(key), fate, reason, fromTokens }
  })
}

/** The word for the fate of an injection. A layer without one has only the words that stand where nothing is. */
export function fateWord(fate: string, words: Words): string {
  if (fate === "") return words.empty
  return fate === "kept" || fate === "shortened" || fate === "dropped" || fate === "unplaced" ? words[fate] : fate
}
