import { addUsage, type FinishReason, type Usage } from "../../src/core/model/language-model.ts"
import type { ToolCall } from "../../src/core/span.ts"
import type { Misbehaviour, Outcome } from "./misbehaviour.ts"

/** What must come of a turn in front of a misbehaving server. */
export interface ExpectedTurn {
  /** A stop reason, or an error's code. */
  readonly end: string
  readonly text: string
  readonly usage: Usage
  readonly calls: readonly ToolCall[]
  readonly requests: number
  /** For each retry the wait that the server asked for, if it did. */
  readonly waits: readonly (number | undefined)[]
}

interface Rules {
  readonly mode: "chat" | "native"
  readonly maxAttempts: number
  readonly maxSteps: number
  readonly models: number
}

class Failed {
  readonly code: string
  constructor(code: string) {
    this.code = code
  }
}

/** The turn that the loop's rules make of the answers, worked out without the loop. */
export function expectedTurn(next: () => Misbehaviour, rules: Rules): ExpectedTurn {
  let text = ""
  let parted = false
  let usage: Usage = {}
  let requests = 0
  const calls: ToolCall[] = []
  const waits: (number | undefined)[] = []

  function show(said: string): void {
    if (said === "") return
    text += (parted ? "\n\n" : "") + said
    parted = false
  }

  function step(): Extract<Outcome, { type: "answer" }> {
    for (let model = 0, tries = 1; ; ) {
      const { outcome } = next()
      requests++
      show(outcome.text)
      if (outcome.type === "answer") {
        usage = addUsage(usage, outcome.usage ?? {})
        return outcome
      }
      const again = tries < rules.maxAttempts && (outcome.type === "stall" || outcome.isRetryable)
      if (text !== "" || (!again && model + 1 >= rules.models))
        throw new Failed(outcome.type === "stall" ? "model-stall" : "model")
      waits.push(again && outcome.type === "fault" ? outcome.retryAfterMs : undefined)
      tries = again ? tries + 1 : 1
      if (!again) model++
    }
  }

  function endedWhole(reason: FinishReason): boolean {
    return reason === "stop" || reason === "tool-calls"
  }

  function final(stopReason: string): string {
    const { reason } = step()
    if (text.trim() === "") throw new Failed("model-empty")
    return endedWhole(reason) ? stopReason : "truncated"
  }

  function answered(reason: FinishReason): string {
    if (text.trim() === "") return final("finish")
    return endedWhole(reason) ? "finish" : "truncated"
  }

  function native(): string {
    for (let at = 0; at < rules.maxSteps; at++) {
      const { calls: made, text: said, reason } = step()
      if (made.length === 0) return answered(reason)
      calls.push(...made)
      if (said !== "") parted = true
    }
    return final("max-steps")
  }

  function end(): string {
    try {
      return rules.mode === "chat" ? answered(step().reason) : native()
    } catch (failed) {
      if (failed instanceof Failed) return failed.code
      throw failed
    }
  }

  const how = end()
  return { end: how, text, usage, calls, requests, waits }
}
