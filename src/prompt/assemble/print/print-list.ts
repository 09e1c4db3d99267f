import { type Memo, memoKind } from "../../../core/memo.ts"
import type { Source } from "../../../core/source.ts"
import type { Injection, SlotEntry, Stability, Trust } from "../../../core/value.ts"
import type { Dialect, PromptFile } from "../../dialect/dialect.ts"
import type { SlotNode } from "../../template/ast.ts"
import type { FrameWriter } from "../../template/frame-writer.ts"
import type { Piece } from "../draft/draft.ts"
import type { DraftRecorder } from "../draft/draft-recorder.ts"
import { authoredList } from "./authored-list.ts"

/** An item of the rest slot, or an entry of an injection's list. */
type ListItem = Injection | SlotEntry

/** The slot in which items are printed, and how to print one of them. */
interface ListPlace<Item extends ListItem> {
  readonly node: SlotNode
  readonly context: ListContext
  readonly memo: Memo
  readonly writer: FrameWriter
  readonly recorder: DraftRecorder
  readonly print: (item: Item) => boolean
}

/** Everything beside an item that its text depends on. In equal contexts, the same item prints the same. */
export interface ListContext {
  readonly dialect: Dialect
  /** The file that prints each item. */
  readonly file: PromptFile
  /** The key of the injection whose entries these are; `""` for items of the rest slot. */
  readonly key: string
  /** The stability of the entries' injection, or of what stands around the rest slot. */
  readonly stability: Stability
  readonly trust?: Trust
  readonly source?: Source | undefined
  /** True if each item is a message of its own. */
  readonly isMessage?: boolean
}

export function isSameContext(a: ListContext, b: ListContext): boolean {
  const isAlike = a.dialect === b.dialect && a.file === b.file && a.key === b.key && a.stability === b.stability
  return isAlike && a.trust === b.trust && a.source === b.source && a.isMessage === b.isMessage
}

/** Lists of so many items are printed from their last printing. For shorter ones that costs more than it saves. */
export const longList = 16

/**
 * Prints a slot's items with the file's separator between them; true if anything was printed. Of a long list, items that followed each
 * other here the last time too are not printed one by one: their pieces are put again. A change of one of a thousand prints one.
 */
export function printList<Item extends ListItem>(items: readonly Item[], place: ListPlace<Item>): boolean {
  const { node, context, memo, writer, recorder, print } = place
  const { separator = "\n" } = context.file
  const isLong = items.length >= longList
  const mayShare = isLong && context.trust === "author"
  if (mayShare && printShared(items, place)) return true
  const before = isLong ? memo.get(lists, node) : undefined
  const known = before && isSameContext(before.context, context) ? before : undefined
  const [scope, begun] = [writer.open(), recorder.pieces.length]
  const ends: number[] = []
  let [near, news] = [0, 0]
  for (let item = items[0]; item; item = items[ends.length]) {
    // The white space before the first item that prints something belongs to the prompt file, so that item is printed anew.
    const search = { from: ends.length, near, isLost: news > fewNews }
    const run = known && recorder.pieces.length > begun && runOf(known, items, search)
    if (known && run) {
      const moved = recorder.pieces.length - begun - run.from
      recorder.putAgain(known.pieces, run.from, run.to)
      for (let place = run.first; place < run.end; place++) ends.push((known.ends[place] ?? 0) + moved)
      // Each item of the rest slot has a key of its own.
      if (context.key === "") recorder.markLater(() => printedIn(known, run) as readonly Injection[])
      if (run.to > run.from) {
        writer.passed()
        writer.separate(separator, node.source)
      }
      near = run.end
    } else {
      if (print(item)) writer.separate(separator, node.source)
      ends.push(recorder.pieces.length - begun)
      if (known?.items[near] === item) near++
      news++
    }
  }
  // A known list that holds all items but the first stays: it is whole, and these are what a budget left of it.
  if (isLong && (!known || news > 1)) {
    const list = memo.set(lists, node, { context, items, pieces: recorder.pieces.slice(begun), ends })
    if (mayShare) share(node, list)
  }
  return writer.close(scope)
}

/** A list that authors wrote prints the same in all sessions: it is one piece, behind its first item. */
interface SharedPiece {
  /** Without the dialect of a request, which has the names of its session. By them no author's text is encoded. */
  readonly context: Omit<ListContext, "dialect">
  readonly piece: Piece
}

/** The piece of an authored list, by the slot of a prompt file. */
const sharedPieces = memoKind<SlotNode, SharedPiece>()

/** Prints a list that sessions share; false if they do not. */
function printShared<Item extends ListItem>(items: readonly Item[], place: ListPlace<Item>): boolean {
  const { node, context, writer, recorder, print } = place
  const shared = authoredList(items as readonly SlotEntry[])?.memo.get(sharedPieces, node)
  if (!shared || !isSameContext({ ...shared.context, dialect: context.dialect }, context)) return false
  const scope = writer.open()
  print(items[0] as Item)
  writer.passed()
  recorder.putAgain([shared.piece], 0, 1)
  return writer.close(scope)
}

/** Keeps the piece of a list for other sessions if nothing of it depends on one. */
function share(node: SlotNode, { context: { dialect, ...context }, items, pieces, ends }: PrintedList): void {
  const list = authoredList(items as readonly SlotEntry[])
  const inner = pieces.slice(ends[0]).map((piece): Piece => ({ ...piece, known: undefined, isShared: true }))
  const [first] = inner
  // A slot with an encoder of its own may depend on names.
  const isEncoded = JSON.stringify(context.file.template.nodes).includes('"encoder":')
  if (!list || !first || ends[0] === 0 || isEncoded || inner.some(({ parts }) => parts)) return
  const text = inner.map((piece) => piece.text).join("")
  list.memo.set(sharedPieces, node, { context, piece: { ...first, text, inner } })
}

/** After so many new items of a list, the next one is looked up in a map and not searched for. */
const fewNews = 2

/** Items of a list that follow each other, and the pieces that they printed. */
interface PrintedRun {
  /** The index of the first item, and the index after the last one. */
  readonly first: number
  readonly end: number
  /** The index of their first piece, and the index after their last one. */
  readonly from: number
  readonly to: number
}

/** A slot's items and the pieces that they printed. An item that stands behind others prints the same behind any others. */
interface PrintedList {
  readonly context: ListContext
  readonly items: readonly ListItem[]
  readonly pieces: readonly Piece[]
  /** By item, the index after its last piece. */
  readonly ends: readonly number[]
  /** By item, its index, once somebody looked for one everywhere. */
  places?: ReadonlyMap<ListItem, number>
}

/** By slot of a prompt file, the list that it printed the last time. */
const lists = memoKind<SlotNode, PrintedList>()

/**
 * The items of another list from index `from` on that follow each other in a printed list too, behind an item that printed something.
 * The search looks from place `near` on; only if `isLost` it looks everywhere.
 */
function runOf(
  list: PrintedList,
  items: readonly ListItem[],
  { from, near, isLost }: { readonly from: number; readonly near: number; readonly isLost: boolean },
): PrintedRun | undefined {
  const first = placeOf(list, items[from], near, isLost)
  const firstPiece = list.ends[first - 1] ?? 0
  if (firstPiece === 0) return undefined
  let end = first + 1
  for (let at = from + 1; at < items.length && items[at] === list.items[end]; at++) end++
  return { first, end, from: firstPiece, to: list.ends[end - 1] ?? firstPiece }
}

/** The place of an item, -1 if it is not found. Where few items are new, the next one stands soon behind `near`, and no map is made. */
function placeOf(list: PrintedList, item: ListItem | undefined, near: number, isLost: boolean): number {
  if (!item || list.items[near] === item) return near
  if (!isLost) return list.items.indexOf(item, near)
  list.places ??= new Map(list.items.map((own, place) => [own, place]))
  return list.places.get(item) ?? -1
}

/** The items of a run that printed something. */
function printedIn({ items, ends }: PrintedList, { first, end }: PrintedRun): readonly ListItem[] {
  return items.slice(first, end).filter((_, at) => (ends[first + at] ?? 0) > (ends[first + at - 1] ?? 0))
}
