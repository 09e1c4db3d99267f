import type { LanguageModel } from "../../src/core/model/language-model.ts"
import type { IdGenerator } from "../../src/core/ports.ts"
import { type Agent, createAgent } from "../../src/loop/agent/agent.ts"
import type { Session } from "../../src/loop/agent/session.ts"
import { readState, type VirtualContextState } from "../../src/memory/forgetting/plugin/context-state.ts"
import { createVirtualContext } from "../../src/memory/forgetting/plugin/virtual-context.ts"
import { virtualContextName } from "../../src/memory/forgetting/plugin/virtual-context-name.ts"
import type { VirtualContextOptions } from "../../src/memory/forgetting/plugin/virtual-context-settings.ts"
import type { AskModel, BackgroundJob, CommittedTurn, JobContext } from "../../src/memory/services/background/background-job.ts"
import type { MemoryRecall } from "../../src/memory/services/memory/memory-service.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import type { TurnHook } from "../../src/memory/services/turn-hook.ts"
import type { ProfileInput } from "../../src/profile/profile.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { countingIds, type ManualClock, manualClock, manualTimers, seededRandom } from "../../src/testing/index.ts"
import type { TurnResult } from "../../src/trace/turn-event.ts"
import { createIdleStore } from "./idle-store.ts"

/** What a rehearsal of a virtual context is made from. */
export interface RehearsalOptions {
  readonly model: LanguageModel
  readonly profile?: ProfileInput
  readonly options?: VirtualContextOptions
  readonly store?: Store
  readonly memory?: MemoryRecall
  readonly startMs?: number
  /** Answers background prompts. Default: none is asked. */
  readonly ask?: AskModel
  readonly hooks?: readonly TurnHook[]
  /** Turns of a session never share an id: a session that goes on takes those of before. */
  readonly ids?: IdGenerator
}

/** A session with a virtual context whose jobs run when the test says so. */
export interface Rehearsal {
  readonly agent: Agent
  readonly session: Session
  readonly store: Store
  readonly clock: ManualClock
  readonly receipts: { readonly kind: string; readonly outcome: string }[]
  /** A turn and, unless told otherwise, the jobs that follow it. */
  say(text: string, options?: { readonly jobs?: boolean }): Promise<TurnResult>
  runJobs(): Promise<number>
  state(): Promise<VirtualContextState>
}

/** Fay over a model, its time standing still between turns. */
export function rehearse(given: RehearsalOptions): Rehearsal {
  const { model, options = {}, store = createIdleStore(), startMs = Date.UTC(2026, 0, 5, 9, 0) } = given
  const clock = manualClock(startMs)
  const plugin = createVirtualContext({ locale: "en", ...options, events: { timeZone: "UTC", ...options.events } })
  const profile = {
    name: "test",
    dialect: "fay",
    locale: "en",
    timeZone: "UTC",
    retry: { maxAttempts: 1 },
    memory: { enabled: given.memory !== undefined },
    ...given.profile,
  } as const
  const agent = createAgent({
    profile: resolveProfile(profile),
    model,
    store,
    hooks: [...(plugin.hooks ?? []), ...(given.hooks ?? [])],
    ...(given.memory ? { memory: given.memory } : {}),
    ports: { clock, timers: manualTimers(clock), ids: given.ids ?? countingIds(), random: seededRandom(1) },
  })
  const session = agent.session("test")
  const receipts: { readonly kind: string; readonly outcome: string }[] = []
  const runJobs = () => runAll(plugin.jobs ?? [], { session, store, clock, receipts, ask: given.ask ?? refuseToAsk })
  return {
    ...{ agent, session, store, clock, receipts, runJobs },
    async say(text, { jobs = true } = {}) {
      const result = await session.send(text).result
      if (jobs && result.ok) await runJobs()
      return result
    },
    async state() {
      const record = await store.load(session.key)
      return readState((record?.state.hooks as Record<string, unknown> | undefined)?.[virtualContextName])
    },
  }
}

const refuseToAsk: AskModel = () => Promise.reject(new Error("no model was to be asked"))

interface JobSurroundings extends Pick<Rehearsal, "session" | "store" | "clock" | "receipts"> {
  readonly ask: AskModel
}

async function runAll(jobs: readonly BackgroundJob[], surroundings: JobSurroundings): Promise<number> {
  const { session, store, clock } = surroundings
  const turn = await lastTurn(surroundings)
  let ran = 0
  for (const job of jobs) {
    const payload = job.afterTurn?.(turn)
    if (payload === undefined) continue
    ran++
    const { key, turnId } = turn
    const plain = JSON.parse(JSON.stringify(payload))
    await job.run({ id: `${turnId}:${job.kind}`, kind: job.kind, key, turnId, atMs: clock.nowMs(), payload: plain }, context())
  }
  return ran

  function context(): JobContext {
    return {
      attempt: 1,
      isLast: true,
      signal: new AbortController().signal,
      ports: {} as JobContext["ports"],
      ask: surroundings.ask,
      post: (note) => store.post(session.key, note),
      messages: (filter) => store.messages(session.key, filter),
      receipt: async ({ kind, outcome }) => void surroundings.receipts.push({ kind, outcome }),
    }
  }
}

/** The last committed turn, as background work sees it. */
async function lastTurn({ session, store }: Pick<Rehearsal, "session" | "store">): Promise<CommittedTurn> {
  const record = await store.load(session.key)
  const last = record?.history.at(-1)
  const messages = record?.history.filter(({ turnId }) => turnId === last?.turnId) ?? []
  return {
    key: { ...session.key, user: session.key.conversation },
    turnId: last?.turnId ?? "",
    turn: Number(record?.state.turns) - 1,
    speaker: messages[0]?.speaker ?? { id: session.key.conversation, name: "User" },
    memoryOn: true,
    messages,
    untrusted: false,
    hookStates: (record?.state.hooks ?? {}) as Readonly<Record<string, unknown>>,
  }
}
