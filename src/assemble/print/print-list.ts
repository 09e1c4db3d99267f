import type { Injection } from "../../core/value.ts"
import type { SlotNode } from "../../template/ast.ts"
import type { FrameWriter } from "../../template/frame-writer.ts"
import type { DraftRecorder } from "../draft/draft-recorder.ts"
import { knownList, type ListContext, PrintedList, rememberList } from "./printed-list.ts"

/** Where a slot's items are printed, and how one of them is. */
export interface ListPlace {
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
