// Loaded beforehand: the first turn of a file takes as many rounds of the event loop as the next.
import "../../src/loop/agent/borders/aside.ts"
import "../../src/loop/agent/session-turn.ts"
import "../../src/loop/turn/ask-for-report.ts"
import "../../src/loop/turn/calls/calls.ts"
import "../../src/loop/turn/plan-native.ts"
import "../../src/loop/turn/prepare.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { type Agent, createAgent } from "../../src/loop/agent/agent.ts"
import type { AgentOptions } from "../../src/loop/agent/agent-options.ts"
import type { Session } from "../../src/loop/agent/session.ts"
import type { ProfileInput } from "../../src/profile/profile.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { countingIds, type ManualTimers, manualClock, manualTimers, seededRandom } from "../../src/testing/index.ts"

/** An agent whose time stands still, with the timers that drive its limits. */
export interface TestAgent {
  readonly agent: Agent
  readonly session: Session
  readonly timers: ManualTimers
}

/** Fay over a model, in UTC, everything else deterministic. */
export function testAgent(model: LanguageModel, profile: ProfileInput = {}, options: Partial<AgentOptions> = {}): TestAgent {
  const clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5))
  const timers = manualTimers(clock)
  const agent = createAgent({
    profile: resolveProfile({
      name: "test",
      dialect: "fay",
      locale: "zh-CN",
      agent: { name: "Fay" },
      user: { name: "主人" },
      persona: "你是Fay。",
      timeZone: "UTC",
      retry: { maxAttempts: 1 },
      ...profile,
    }),
    model,
    ...options,
    ports: { clock, timers, ids: countingIds(), random: seededRandom(1), ...options.ports },
  })
  return { agent, session: agent.session("test"), timers }
}

/** Everything a stream yields. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const piece of stream) all.push(piece)
  return all
}

/** Planner output that calls a tool. */
export function callTool(tool: string, args: Record<string, unknown> = {}): string {
  return JSON.stringify({ action: "tool", tool, args })
}

/** Planner output that answers. */
export function finish(message: string): string {
  return JSON.stringify({ action: "finish", message })
}
