import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { BenchResult } from "./bench.ts"

const count = 20_000
const maxBytes = 700
/** An estimate that is too low by more lets indexes take more room than they may. */
const maxUnder = 0.1

const gapCount = 100_000
/** The longest that other work of the process may wait for the indexing, in milliseconds of CPU. */
const maxGapMs = 20

interface Measured {
  readonly texts: number
  readonly unasked: number
  readonly asked: number
  readonly estimate: number
}

/** The least of three processes, because another one's work makes code slower. */
function longestGapMs(): number {
  const script = fileURLToPath(new URL("./index-gap.ts", import.meta.url))
  const gaps = [1, 2, 3].map(() => Number(execFileSync(process.execPath, [script, String(gapCount)], { encoding: "utf8" })))
  return Math.min(...gaps)
}

/** The bytes of a recall index for each memory, heap and external, beyond the memories' texts, in a process of its own. */
export async function run(): Promise<BenchResult> {
  const script = fileURLToPath(new URL("./index-bytes.ts", import.meta.url))
  const printed = execFileSync(process.execPath, ["--expose-gc", script, String(count)], { encoding: "utf8" })
  const { texts, unasked, asked, estimate }: Measured = JSON.parse(printed)
  const gapMs = longestGapMs()
  return {
    title: "The memory of a recall index, for each of its memories and beyond their texts, and the longest wait for its making",
    rows: [
      {
        memories: String(count),
        "a text": `${texts} bytes`,
        "before a question": `${unasked} bytes`,
        "after one": `${asked} bytes`,
        "by its own estimate": `${estimate} bytes`,
        [`longest CPU between two turns of the event loop, ${gapCount} memories`]: `${gapMs.toFixed(1)} ms`,
      },
    ],
    gates: [
      { name: `at most ${maxGapMs} ms of CPU without a turn of the event loop`, ok: gapMs <= maxGapMs, detail: gapMs.toFixed(1) },
      { name: `an index takes at most ${maxBytes} bytes a memory`, ok: asked <= maxBytes, detail: `${asked}` },
      {
        name: `its own estimate is at most ${100 * maxUnder} % under what it takes`,
        ok: estimate + texts >= (1 - maxUnder) * (asked + texts),
        detail: `${estimate} beside ${asked}`,
      },
    ],
  }
}
