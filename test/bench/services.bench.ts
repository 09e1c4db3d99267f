import type { LanguageModel, ModelPart } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import type { AgentServices } from "../../src/loop/agent/agent-options.ts"
import { createUserProfileService } from "../../src/memory/services/create-user-profile-service.ts"
import { createMemoryService } from "../../src/memory/services/memory/create-memory-service.ts"
import type { MemoryService } from "../../src/memory/services/memory/memory-service.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { manualClock, manualTimers } from "../../src/testing/index.ts"
import type { BenchOptions, BenchResult, Row } from "./bench.ts"
import { formatMs, waitsUntil } from "./measure.ts"

const deltas = 200
const warmUp = 20
const clock = manualClock()

/** What services and the model's background answers can do to a turn. */
interface Kind {
  /** In place of the usual answer to a background prompt. */
  readonly answer?: () => string | Promise<string>
  readonly replaced?: (memory: MemoryService) => Partial<MemoryService>
}

const never = () => new Promise<never>(() => undefined)
const fails = () => Promise.reject(new Error("broken"))
const nonsense = () => Promise.resolve([null, 7, { text: {} }] as never)

const kinds: Readonly<Record<string, Kind>> = {
  "services that work": {},
  "background questions that hang for ever": { answer: never },
  "background questions that fail": { answer: fails },
  "background answers that are garbage": { answer: () => '{"importance": [' },
  "a memory that keeps nothing and hangs": { replaced: () => ({ remember: never, recent: never }) },
  "a memory that fails, recall too": { replaced: () => ({ recall: fails, remember: fails, recent: fails }) },
  "a memory of garbage, recall too": { replaced: () => ({ recall: nonsense, remember: nonsense, recent: nonsense }) },
}

/** What services add to a reply while the work of the turn before is under way; the gate is the number of waits on that way. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  const turns = peers ? 300 : 5
  const times = new Map<string, number[]>(Object.keys(kinds).map((kind) => [kind, []]))
  const waits = await Promise.all(Object.values(kinds).map(waitsOf))
  const all = Object.entries(kinds)
  for (let round = 0; round < warmUp + turns; round++) {
    const first = round % all.length
    for (const [name, kind] of [...all.slice(first), ...all.slice(0, first)]) {
      const tookMs = await replyMs(kind)
      if (round >= warmUp) times.get(name)?.push(tookMs)
    }
  }
  const floor = times.get("services that work") ?? []
  return {
    title: `A reply of ${deltas} deltas while services do their worst (${turns} turns of each, in turn)`,
    rows: [...times].map(([kind, taken]) => row(kind, taken, floor)),
    gates: [
      {
        name: "a reply waits no oftener for services that hang, fail or answer garbage than for those that work",
        ok: waits.every((count) => count <= (waits[0] ?? 0)),
        detail: `${waits.join(", ")} rounds of microtasks`,
      },
    ],
    notes: ["A recall that hangs is given up after `limits.prestartMs`, beside prestart tools."],
  }
}

function row(what: string, taken: readonly number[], floor: readonly number[]): Row {
  const overMs = quantile(taken, 0.95) - quantile(floor, 0.95)
  return {
    what,
    p50: formatMs(quantile(taken, 0.5)),
    p95: formatMs(quantile(taken, 0.95)),
    "p95 over those": taken === floor ? "" : formatMs(Math.max(0, overMs)),
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

async function replyMs(kind: Kind): Promise<number> {
  const session = await talkedTo(kind)
  const beganMs = performance.now()
  const result = await session.send("？").result
  const tookMs = performance.now() - beganMs
  if (!result.ok) throw result.error
  await new Promise(setImmediate)
  return tookMs
}

/** Rounds of microtasks until a reply's result: one more for everything that is awaited on the way. */
async function waitsOf(kind: Kind): Promise<number> {
  const session = await talkedTo(kind)
  return waitsUntil(session.send("？").result)
}

/** A session whose first turn left work that runs, or hangs: timers stand still. */
async function talkedTo(kind: Kind) {
  const store = createInMemoryStore()
  const profile = resolveProfile({ dialect: "layered", persona: "p" })
  const ports = { clock, timers: manualTimers(clock) }
  const services = servicesOf(kind, store)
  const agent = createAgent({ profile, model: talking(kind), store, services, ports, onWarning: () => undefined })
  const session = agent.session("bench")
  const first = await session.send("！").result
  if (!first.ok) throw first.error
  return session
}

function servicesOf({ replaced }: Kind, store: Store): AgentServices {
  const memory = createMemoryService({ records: store.memories, clock })
  return { memory: { ...memory, ...replaced?.(memory) }, userProfile: createUserProfileService({ records: store.users }) }
}

/** A finish whose message comes in deltas of four characters; to background prompts what the kind says. */
function talking({ answer = () => "7" }: Kind): LanguageModel {
  return {
    id: "bench",
    capabilities: { developerRole: false, tools: false },
    async *stream({ facts }): AsyncGenerator<ModelPart> {
      if (facts?.prompt !== "planner") yield { type: "text-delta", delta: await answer() }
      else {
        yield { type: "text-delta", delta: '{"action":"finish","message":"' }
        for (let at = 0; at < deltas; at++) yield { type: "text-delta", delta: "word" }
        yield { type: "text-delta", delta: '"}' }
      }
      yield { type: "finish", reason: "stop" }
    },
  }
}
