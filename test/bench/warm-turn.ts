import { cpuMsAlone } from "./measure.ts"
import { loadLoopers } from "./peers/load-loopers.ts"
import { deltas } from "./peers/turns/looper.ts"

/**
 * One looper in a process of its own, told by its name: first so many turns that all it runs is compiled, then, each time it is asked,
 * the CPU milliseconds of some turns.
 */
const [name, peers, tools = "1", warmUps = "0", turns = "0"] = process.argv.slice(2)
const { loopers } = await loadLoopers({ peers: peers === "peers" })
const turn = loopers.find((looper) => looper.name === name)?.makeTurn(Number(tools))
if (!turn) throw new Error(`expected the name of a looper, found ${name}`)
let questions = 0
const run = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) {
    const answer = await turn(`How do I come to house ${questions++}?`)
    if (answer !== deltas.join("")) throw new Error(`${name} answered ${JSON.stringify(answer.slice(0, 80))}`)
  }
}
await run(Number(warmUps))
/** After a pause some code is cold again, so half of the turns are not measured. */
const measured = async (): Promise<number> => {
  await run(Number(turns))
  return cpuMsAlone(() => run(Number(turns)))
}
process.on("message", () => void measured().then((ms) => process.send?.(ms)))
process.send?.(0)
