import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { openStore } from "../../src/adapters/stores/open-store.ts"
import type { HistoryMessage } from "../../src/core/conversation.ts"
import type { LanguageModel, ModelPart } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import type { ProfileInput } from "../../src/profile/profile.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import type { Skill } from "../../src/prompt/layers/skills.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import type { Tool } from "../../src/prompt/tools/tool.ts"
import type { BenchResult } from "./bench.ts"
import { formatMs, formatRatio, isWithin, mediansInTurn, ratioGate } from "./measure.ts"

const warmUps = 8
const rounds = 25
/** So many turns are one measurement, because a single one is too short for a clock of CPU time. */
const turns = 8
const deltas = 50

/** Runs some turns. */
type Turns = () => Promise<void>

/**
 * A turn with much that it need not read, beside the same turn with little, and the most that it may cost of it: more than is measured, and
 * less than twice as much, so that noise passes and a change that doubles it does not.
 */
interface Case {
  readonly what: string
  readonly little: Turns
  readonly much: Turns
  readonly most: number
}

/** CPU of a turn with many tools, skills or messages, beside the same turn with few in the same rounds. The gates are the ratios. */
export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-bench-"))
  const store = await openStore(folder)
  const cases: Case[] = [
    { what: "500 tools, JSON, to one", little: withTools(1, "json"), much: withTools(500, "json"), most: 2 },
    { what: "500 tools, native, to one", little: withTools(1, "native"), much: withTools(500, "native"), most: 1.6 },
    { what: "200 inline skills, to one", little: withSkills(1), much: withSkills(200), most: 1.3 },
  ]
  for (const [name, kept, most] of [
    ["memory", createInMemoryStore(), 1.2],
    ["SQLite", store, 1.2],
  ] as const) {
    const what = `history of 10,000 turns to one of 10, ${name}`
    cases.push({ what, little: await withHistory(10, kept), much: await withHistory(10_000, kept), most })
  }
  const found = []
  for (const each of cases) {
    const { much, little, most } = each
    found.push({ ...each, ms: await mediansInTurn([much, little], { warmUps, rounds, holds: isWithin(most) }) })
  }
  await store.close()
  rmSync(folder, { recursive: true })
  return {
    title: `A turn by how much there is beside it (median of ${rounds})`,
    rows: found.map(({ what, ms: [muchMs = Number.NaN, littleMs = Number.NaN], most }) => ({
      what,
      little: formatMs(littleMs / turns),
      much: formatMs(muchMs / turns),
      "much / little": formatRatio(muchMs, littleMs),
      bound: `${most}×`,
    })),
    gates: found.map(({ what, ms, most }) => ratioGate(what, ms, most)),
  }
}

function withTools(count: number, mode: "json" | "native"): Turns {
  const inputSchema = z.object({ subject: z.string().describe("What to look for"), limit: z.number().int().min(1).optional() })
  const tools = Array.from({ length: count }, (_, at) =>
    defineTool({ name: `tool_${at}`, description: `Looks up what is known of subject ${at}`, inputSchema, execute: () => "ok" }),
  )
  return sessionsOf({ loop: { mode } }, tools)
}

function withSkills(count: number): Turns {
  const text = "## A thing\n\nDo it step by step. Say before what you do, and then what came of it."
  const skills = Array.from(
    { length: count },
    (_, at): Skill => ({
      name: `skill-${at}`,
      description: `How to do thing ${at}`,
      mode: "inline",
      priority: 0,
      content: { text: `${text} (${at})`, trust: "author" },
      allowedTools: [],
      resources: [],
      scripts: [],
      metadata: {},
      source: { file: `skill-${at}.md`, line: 1 },
    }),
  )
  return sessionsOf({ skills }, [])
}

/** Turns of a conversation that holds so many already. */
async function withHistory(count: number, store: Store): Promise<Turns> {
  const conversation = `of-${count}`
  const messages = Array.from({ length: count * 2 }, (_, at): HistoryMessage => {
    const isOwn = at % 2 === 1
    return {
      role: isOwn ? "assistant" : "user",
      text: `Words number ${at} of a conversation that went on for long.`,
      speaker: isOwn ? { id: "bench", name: "Bench" } : { id: "ann", name: "Ann" },
      turnId: `turn-${at >> 1}`,
      atMs: at * 60_000,
    }
  })
  await store.append({ agent: "bench", conversation, audience: "private" }, messages)
  const agent = createAgent({ profile: profileOf({ memory: { enabled: false } }), model: talking, store })
  return async () => {
    for (let turn = 0; turn < turns; turn++) await sent(agent.session(conversation).send(`Go on with ${words++}.`))
  }
}

let conversations = 0
/** No two turns have the same words, so that none finds its whole request again. */
let words = 0

/** Turns of new conversations. */
function sessionsOf(input: ProfileInput, tools: readonly Tool[]): Turns {
  const agent = createAgent({ profile: profileOf(input), model: talking, tools })
  return async () => {
    for (let turn = 0; turn < turns; turn++) await sent(agent.session(`new-${conversations++}`).send(`Go on with ${words++}.`))
  }
}

function profileOf(input: ProfileInput) {
  return resolveProfile({
    dialect: "layered",
    locale: "en",
    persona: "You are Mira.",
    memory: { enabled: false },
    agent: { id: "bench" },
    ...input,
  })
}

async function sent(turn: { readonly result: Promise<{ readonly ok: boolean; readonly error?: unknown }> }): Promise<void> {
  const result = await turn.result
  if (!result.ok) throw result.error
}

const talking: LanguageModel = {
  id: "bench",
  capabilities: { developerRole: false, tools: true },
  async *stream({ tools }): AsyncGenerator<ModelPart> {
    if (!tools) yield { type: "text-delta", delta: '{"action":"finish","message":"' }
    for (let i = 0; i < deltas; i++) yield { type: "text-delta", delta: "word " }
    if (!tools) yield { type: "text-delta", delta: '"}' }
    yield { type: "finish", reason: "stop" }
  },
}
