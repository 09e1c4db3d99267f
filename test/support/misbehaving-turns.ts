import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { startMisbehavingServer } from "./misbehaving-server.ts"
import { checkTurn, endOf, type FinishedTurn, playMisbehavingTurn } from "./misbehaving-turn.ts"

/** What many turns in front of a misbehaving server left behind. */
export interface Aftermath {
  /** How many turns ended how, and how often the server answered how. */
  readonly counts: ReadonlyMap<string, number>
  readonly unhandled: readonly unknown[]
  /** From a fifth of the turns to all of them. */
  readonly grownMegabytes: number
  /** Connections of the server while nothing runs. */
  readonly connections: number
  /** What keeps the process running afterwards and did not before. */
  readonly handles: readonly string[]
}

const sideBySide = 8

/** Plays `count` turns, of the seeds from `firstSeed`, and checks each; throws with the seed where one did not end as it must. */
export async function playMisbehavingTurns(count: number, firstSeed = 0): Promise<Aftermath> {
  const before = handles()
  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown) => void unhandled.push(reason)
  process.on("unhandledRejection", onUnhandled)
  const server = await startMisbehavingServer()
  const counts = new Map<string, number>()
  let seed = firstSeed
  const play = async (until: number): Promise<void> => {
    while (seed < until) countTurn(counts, checked(seed, await playMisbehavingTurn(server, seed++)))
  }
  const playUntil = (until: number) => Promise.all(Array.from({ length: sideBySide }, () => play(until)))
  try {
    await playUntil(firstSeed + Math.floor(count / 5))
    const early = await heapMegabytes()
    await playUntil(firstSeed + count)
    await server.idle()
    const grownMegabytes = (await heapMegabytes()) - early
    const connections = await server.connections()
    await server.close()
    return { counts, unhandled, grownMegabytes, connections, handles: await handlesBeyond(before) }
  } finally {
    await server.close()
    process.off("unhandledRejection", onUnhandled)
  }
}

function checked(seed: number, turn: FinishedTurn): FinishedTurn {
  try {
    checkTurn(turn)
    return turn
  } catch (cause) {
    throw new Error(`seed ${seed}: ${turn.names.join(" → ")}`, { cause })
  }
}

function countTurn(counts: Map<string, number>, { result, names }: FinishedTurn): void {
  for (const name of [endOf(result), ...names]) counts.set(name, (counts.get(name) ?? 0) + 1)
}

async function heapMegabytes(): Promise<number> {
  setFlagsFromString("--expose-gc")
  const collectGarbage = runInNewContext("gc") as () => void
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  }
  return process.memoryUsage().heapUsed / 2 ** 20
}

function handles(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name))
}

/** Sockets whose other end has closed are gone some turns of the event loop later. */
async function handlesBeyond(before: readonly string[]): Promise<readonly string[]> {
  for (let turn = 0; turn < 1_000 && handles().length > before.length; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  return handles().length > before.length ? handles() : []
}
