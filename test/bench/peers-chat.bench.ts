import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { cpuMsAlone, formatMs, formatRatio } from "./measure.ts"
import { asking, remembers, variants } from "./peers/asked.ts"
import type { Contestant } from "./peers/contestant.ts"
import { loadContestants } from "./peers/load-peers.ts"
import { type Chat, chat, chatFloor, remembering } from "./workloads.ts"

/** Of what remembers nothing from turn to turn, so that a turn costs the same whichever came before. */
const everyTurn = 10
/** So many runs are not counted: what runs for the first time is compiled meanwhile. Who takes longer than this together is warm. */
const warmUps = 60
const warmMs = 5000
const title = "W2: a chat of 200 turns, a prompt each; times the floor's CPU"
const notes = [
  "A system prompt of some 4,000 tokens, two lines a turn of some 160 each, a budget of 16,000. " +
    `The last of ${warmUps + 1} runs, or as many as take ${warmMs / 1000} s. What remembers nothing is measured on every ${everyTurn}th turn, times ${everyTurn}. ` +
    "`sent / new`: text read by the tokenizer in all turns, by the text there is.",
]

/** Beside other libraries: all prompts of a long chat. What must hold of ours is gated elsewhere. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  if (!peers) return { title, rows: [], gates: [] }
  const { contestants, skipped } = await loadContestants()
  const work = chat()
  const warm = async (make: NonNullable<Contestant["makeChat"]>, how: { readonly memo: boolean; readonly stride: number }) => {
    let measured = await measure(make, { work, ...how })
    for (let run = 0, spent = measured.all; run < warmUps && spent < warmMs; run++, spent += measured.all)
      measured = await measure(make, { work, ...how })
    return measured
  }
  const base = await warm(floor, { memo: false, stride: 1 })
  const rows: Row[] = [{ ...rowOf("floor", base, base), "all turns": formatMs(base.all) }]
  for (const { contestant, memo, label } of variants(contestants)) {
    if (!contestant.makeChat) continue
    const stride = remembers(contestant, memo) ? 1 : everyTurn
    rows.push(rowOf(label, await warm(contestant.makeChat, { memo, stride }), base))
  }
  return { title, rows, gates: [], notes: [...notes, ...skipped] }
}

interface Measured {
  readonly all: number
  readonly sent: number
  readonly lastTokens: number
}

const floor: NonNullable<Contestant["makeChat"]> = (work, { count }) => {
  const known = remembering(count)
  return (turn) => chatFloor(work, turn, known)
}

async function measure(
  make: NonNullable<Contestant["makeChat"]>,
  { work, memo, stride }: { work: Chat; memo: boolean; stride: number },
): Promise<Measured> {
  const asked = asking(memo)
  const prompt = make(work, asked)
  let last = ""
  const all = await cpuMsAlone(async () => {
    for (let turn = stride - 1; turn < work.turns; turn += stride) last = await prompt(turn)
  })
  const fresh = work.system.length + work.lines.slice(0, work.turns * 2 - 1).reduce((sum, { text }) => sum + text.length, 0)
  return { all: all * stride, sent: (asked.units() * stride) / fresh, lastTokens: asking(false).count(last) }
}

function rowOf(who: string, own: Measured, base: Measured): Row {
  return {
    who,
    "all turns": formatRatio(own.all, base.all),
    "sent / new": own.sent.toFixed(2),
    "tokens of the last prompt": own.lastTokens,
  }
}
