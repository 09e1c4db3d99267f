import { deepStrictEqual } from "node:assert/strict"
import { getEventListeners } from "node:events"
import { openaiModel } from "../../src/adapters/models/openai/index.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { seededRandom } from "../../src/testing/index.ts"
import type { TurnEvent, TurnResult } from "../../src/trace/turn-event.ts"
import { testAgent } from "./agents.ts"
import type { Dice } from "./dice.ts"
import { type ExpectedTurn, expectedTurn } from "./expected-turn.ts"
import { clientKey } from "./fault-answers.ts"
import { createHearing } from "./hearing.ts"
import type { MisbehavingServer, ServedRun } from "./misbehaving-server.ts"
import { type Misbehaviour, misbehaviour, serverLimits } from "./misbehaviour.ts"

const echo = defineTool({ name: "echo", description: "Says it again.", execute: (args) => args })
const prose = (dice: Dice) =>
  dice.pick(
    "早上好😀",
    "Hello there, how are you?",
    "a",
    "😀😀😀",
    'One.\n\nTwo: "three" \\ four',
    "x".repeat(dice.below(3_000) + 1),
  )
const planned = (dice: Dice) =>
  dice.pick(
    JSON.stringify({ action: "finish", message: prose(dice) }),
    JSON.stringify({ action: "tool", tool: "echo", args: { x: dice.below(3) } }),
    '{"action":"finish"}',
    prose(dice),
  )

const modes = ["chat", "native", "chat", "native", "json"] as const

/** What became of one turn. */
export interface FinishedTurn {
  readonly result: TurnResult
  readonly events: readonly TurnEvent[]
  readonly names: readonly string[]
  /** Absent where chance has the user abort, and for planner JSON, whose reading is proven elsewhere. */
  readonly expected: ExpectedTurn | undefined
}

/** One turn of the real loop and `openaiModel`, everything in it decided by the seed; no time passes but what the server says. */
export async function playMisbehavingTurn(server: MisbehavingServer, seed: number): Promise<FinishedTurn> {
  const mode = modes[seed % modes.length] ?? "chat"
  const models = seed % 3 === 0 ? 2 : 1
  const isAborted = seed % 20 === 19
  const answers = (): (() => Misbehaviour) => {
    const random = seededRandom(seed)
    return () => misbehaviour(random, mode === "json" ? planned : prose, mode === "native")
  }
  const expected =
    mode === "json" || isAborted ? undefined : expectedTurn(answers(), { mode, maxAttempts: 3, maxSteps: 3, models })

  const hearing = createHearing()
  const model = hearing.wrap(
    openaiModel({ model: "m", apiKey: clientKey, baseUrl: server.baseUrl(seed), capabilities: { tools: mode === "native" } }),
  )
  const given = testAgent(
    model,
    { limits: serverLimits, loop: { mode, maxSteps: 3 }, retry: { maxAttempts: 3 } },
    { tools: [echo], ...(models === 2 && { model: [model, model] }) },
  )
  const controller = new AbortController()
  const next = answers()
  const names: string[] = []
  const served: ServedRun = {
    next: () => {
      const answer = next()
      names.push(answer.name)
      if (isAborted && names.length > seed % 3) setImmediate(() => controller.abort())
      return answer
    },
    heard: hearing.heard,
    pass: (ms) => given.timers.advance(ms),
  }
  server.serve(seed, served)
  const turn = given.session.send("？", { signal: controller.signal })
  const events: TurnEvent[] = []
  for await (const event of turn) {
    events.push(event)
    // The pause is set once the event is told; then its time passes.
    if (event.type === "retry") setImmediate(() => given.timers.advance(event.delayMs))
  }
  const result = await turn.result
  server.forget(seed)
  deepStrictEqual([given.timers.pending, getEventListeners(controller.signal, "abort").length], [0, 0])
  return { result, events, names, expected }
}

/** Throws where a turn did not end as it must. */
export function checkTurn({ result, events, names, expected }: FinishedTurn): void {
  const shown = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("")
  const retries = events.flatMap((event) => (event.type === "retry" ? [event.delayMs] : []))
  const found = {
    lastEvents: events.flatMap(({ type }, at) => (type === "turn-end" ? [at] : [])),
    text: result.ok ? result.text : result.gathered.text,
    isClean: shown.isWellFormed() && !/"action"|"args"|data: /.test(shown),
    tellsSecret: !result.ok && `${result.error.message}${JSON.stringify(result.error.evidence)}`.includes(clientKey),
  }
  deepStrictEqual(found, { lastEvents: [events.length - 1], text: shown, isClean: true, tellsSecret: false })
  if (!expected) return
  const turn = {
    end: endOf(result),
    text: shown,
    usage: result.trace.usage,
    calls: result.trace.runs.map(({ args }) => args),
    requests: names.length,
    retries: retries.length,
    waits: expected.waits.map((wait, at) => (wait === undefined ? undefined : retries[at])),
  }
  deepStrictEqual(turn, {
    ...expected,
    calls: expected.calls.map(({ args }) => JSON.parse(args)),
    retries: expected.waits.length,
    waits: expected.waits.map((wait) => (wait === undefined ? undefined : Math.min(wait, 20_000))),
  })
}

/** A stop reason, or an error's code. */
export function endOf(result: TurnResult): string {
  return result.ok ? result.stopReason : result.error.code
}
