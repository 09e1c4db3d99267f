import { checkOptions } from "../../../src/core/check-options.ts"
import { hostPorts, type Timers } from "../../../src/core/ports.ts"
import { claim } from "../../../src/testing/conformance/claims.ts"
import { fileChecks, streamingChecks, toolCallChecks, usageChecks } from "./answer-checks.ts"
import { abortChecks, faultChecks } from "./failure-checks.ts"
import { concurrencyChecks, requestChecks } from "./request-checks.ts"
import {
  type Check,
  type Checks,
  type ConformanceNeed,
  conformanceSecret,
  createStage,
  type PlayedModel,
  type PlayProvider,
  requestLog,
  type StepLimit,
  withinLimit,
} from "./stage.ts"

/** A rule that every `LanguageModel` keeps, as a test. */
export interface ConformanceCheck {
  readonly name: string
  /** Rejects with code `test` if the model breaks the rule. */
  run(): Promise<void>
}

/** Settings of {@link modelConformance}. */
export interface ConformanceOptions {
  /** Features that the wire format does not have. Checks that need one are left out. */
  readonly without?: readonly ConformanceNeed[]
  /** A step of a check that takes longer counts as hanging. Default 5,000. */
  readonly limitMs?: number
  readonly timers?: Timers
}

const answerChecks: Checks = { ...streamingChecks, ...toolCallChecks, ...fileChecks, ...usageChecks }
const allChecks: Checks = { ...answerChecks, ...faultChecks, ...abortChecks, ...concurrencyChecks, ...requestChecks }

/**
 * The rules of a {@link LanguageModel} as checks for any test runner:
 * `for (const { name, run } of modelConformance(play)) test(name, run)`. `play` starts a provider that plays a scene in its
 * wire format, and creates a model that talks to it. Each check plays a scene of its own.
 */
export function modelConformance(play: PlayProvider, options: ConformanceOptions = {}): readonly ConformanceCheck[] {
  checkOptions("modelConformance", options, "without limitMs timers")
  const { without = [], limitMs = 5_000, timers = hostPorts.timers } = options
  return Object.entries(allChecks)
    .filter(([, { needs = [] }]) => !needs.some((need) => without.includes(need)))
    .map(([name, check]) => ({ name, run: () => runCheck(check, play, { limitMs, timers }) }))
}

async function runCheck({ scripts, tools = false, verify }: Check, play: PlayProvider, limit: StepLimit): Promise<void> {
  const log = requestLog()
  const unhandled = await unhandledDuring(async () => {
    const played = await play({ scripts, secret: conformanceSecret, tools, onRequest: log.onRequest })
    try {
      await verify(createStage(played.model, log, limit))
    } finally {
      await close(played, limit)
    }
  })
  claim(unhandled.length === 0, "every rejection to be handled", unhandled.map(String))
}

function close(played: PlayedModel, limit: StepLimit): Promise<void> {
  return withinLimit(Promise.resolve(played.close?.()), "the provider to close", limit)
}

interface RejectionEvents {
  on(event: "unhandledRejection", listener: (reason: unknown) => void): unknown
  off(event: "unhandledRejection", listener: (reason: unknown) => void): unknown
}

/** Runs `task` and resolves to the rejections that were not handled meanwhile; empty if the host does not report them. */
async function unhandledDuring(task: () => Promise<void>): Promise<readonly unknown[]> {
  const host = globalThis as { readonly process?: Partial<RejectionEvents> }
  const unhandled: unknown[] = []
  const listener = (reason: unknown) => void unhandled.push(reason)
  host.process?.on?.("unhandledRejection", listener)
  try {
    await task()
    // The host reports them after the microtasks of the same turn.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    host.process?.off?.("unhandledRejection", listener)
  }
  return unhandled
}
