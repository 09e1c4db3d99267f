import type { Injection, Stability } from "../../core/value.ts"
import type { Dialect, PromptFile } from "../../dialect/dialect.ts"
import type { SlotNode } from "../../template/ast.ts"
import type { FrameWriter } from "../../template/frame-writer.ts"
import type { Piece } from "../draft/draft.ts"
import type { DraftRecorder } from "../draft/draft-recorder.ts"

/** Where a slot's items are printed, and how one of them is. */
interface ListPlace {
  readonly node: SlotNode
  readonly context: ListContext
  readonly writer: FrameWriter
  readonly recorder: DraftRecorder
  readonly print: (item: Injection) => boolean
}

/**
 * Prints a slot's items, parted as their file says; true where anything was printed. Those that stood here the last time, one
 * after the other, are put again as a whole.
 */
export function printList(items: readonly Injection[], { node, context, writer, recorder, print }: ListPlace): boolean {
  const { separator = "\n" } = context.file
  const known = knownList(node, context)
  const scope = writer.open()
  const begun = recorder.count
  const ends: number[] = []
  let [near, misses, news] = [0, 0, 0]
  for (let item = items[0]; item; item = items[ends.length]) {
    // White space before the first one that prints is the prompt file's own.
    const run = recorder.count === begun ? undefined : known?.runOf(items, ends.length, { near, isLost: misses > 1 })
    if (known && run) {
      const moved = recorder.count - begun - run.from
      recorder.putPrinted(known.pieces, run.from, run.to)
      for (let place = run.first; place < run.end; place++) {
        const end = known.ends[place] ?? 0
        if (end > (known.ends[place - 1] ?? 0)) recorder.markPrinted(known.items[place]?.key ?? "")
        ends.push(end + moved)
      }
      if (run.to > run.from) writer.passed()
      if (run.to > run.from) writer.separate(separator, node.source)
      ;[near, misses] = [run.end, 0]
    } else {
      if (print(item)) writer.separate(separator, node.source)
      ends.push(recorder.count - begun)
      if (known?.items[near] === item) near++
      else misses++
      news++
    }
  }
  const isKnown = news <= 1 && known?.items.length === items.length && known.items[0] === items[0]
  if (!isKnown) rememberList(node, new PrintedList({ context, items, pieces: recorder.piecesFrom(begun), ends }))
  return writer.close(scope)
}

/** In what a slot's items are printed: where all of it is alike, the same items print the same. */
interface ListContext {
  readonly dialect: Dialect
  /** The file that prints each item. */
  readonly file: PromptFile
  /** How often what stands around the slot changes. */
  readonly stability: Stability
}

/** Some items of a list that follow each other, and which of the list's pieces they printed. */
interface PrintedRun {
  /** The places of the first one and behind the last one. */
  readonly first: number
  readonly end: number
  /** The numbers of their first piece and behind their last one. */
  readonly from: number
  readonly to: number
}

/** A slot's items and what they printed. What one printed behind others, it prints behind any others. */
class PrintedList {
  readonly context: ListContext
  readonly items: readonly Injection[]
  readonly pieces: readonly Piece[]
  /** By item, behind which number its pieces end. */
  readonly ends: readonly number[]
  #places: ReadonlyMap<Injection, number> | undefined

  constructor({ context, items, pieces, ends }: Pick<PrintedList, "context" | "items" | "pieces" | "ends">) {
    this.context = context
    this.items = items
    this.pieces = pieces
    this.ends = ends
  }

  /** The items of a list from number `index` on that stand here too, behind others that printed something; `near` is where to look. */
  runOf(
    items: readonly Injection[],
    index: number,
    { near, isLost }: { readonly near: number; readonly isLost: boolean },
  ): PrintedRun | undefined {
    const first = this.#placeOf(items[index], near, isLost)
    const from = this.ends[first - 1] ?? 0
    if (from === 0) return undefined
    let end = first + 1
    for (let at = index + 1; at < items.length && items[at] === this.items[end]; at++) end++
    return { first, end, from, to: this.ends[end - 1] ?? from }
  }

  /** One that is new stands between its neighbours or in the place of another; then nothing has to be looked up. */
  #placeOf(item: Injection | undefined, near: number, isLost: boolean): number {
    if (!item || this.items[near] === item) return near
    if (this.items[near + 1] === item) return near + 1
    if (!isLost) return -1
    this.#places ??= new Map(this.items.map((own, place) => [own, place]))
    return this.#places.get(item) ?? -1
  }
}

/** By slot of a prompt file, what it held the last time. */
const lists = new WeakMap<SlotNode, PrintedList>()

/** What a slot's items printed the last time in the same context. */
function knownList(node: SlotNode, { dialect, file, stability }: ListContext): PrintedList | undefined {
  const known = lists.get(node)
  const context = known?.context
  const isSame = context?.dialect === dialect && context.file === file && context.stability === stability
  return isSame ? known : undefined
}

/** Remembers what a slot's items printed, in place of what was remembered of it. */
function rememberList(node: SlotNode, list: PrintedList): void {
  lists.set(node, list)
}
