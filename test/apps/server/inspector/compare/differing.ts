import type { MakeVariant } from "../../../../../src/apps/server/inspector/replay/agent-change.ts"
import { PromptStrataError } from "../../../../../src/core/errors.ts"
import type { LanguageModel, ModelRequest } from "../../../../../src/core/model/language-model.ts"
import type { TokenCounter } from "../../../../../src/core/ports.ts"
import { createAgent } from "../../../../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { resolveProfile } from "../../../../../src/profile/resolve.ts"
import { manualClock } from "../../../../../src/testing/index.ts"
import { finish } from "../../../../support/agents.ts"

/** The answer of a model, or how it comes to one. */
type Answer = string | ((request: ModelRequest, signal: AbortSignal) => Promise<string> | string)

/** Agents that differ by their model: each answers what stands under its name. Tells which were asked and closed. */
export function differing(answers: Readonly<Record<string, Answer>> = {}, counter?: TokenCounter) {
  const models = { asked: [] as string[], running: 0, most: 0 }
  const closed: string[] = []
  const modelOf = (id: string): LanguageModel => ({
    id,
    capabilities: { developerRole: false, tools: false },
    async *stream(request, { signal }) {
      models.asked.push(id)
      models.running++
      models.most = Math.max(models.most, models.running)
      try {
        const answer = answers[id] ?? "ok"
        yield { type: "text-delta", delta: finish(typeof answer === "string" ? answer : await answer(request, signal)) }
        yield { type: "usage", usage: { inputTokens: 100, inputCacheReadTokens: 50, outputTokens: 10 } }
        yield { type: "finish", reason: "stop" }
      } finally {
        models.running--
      }
    },
  })
  const variant: MakeVariant = ({ profile, dialect = "layered", model = "calm" }) => {
    if (profile === "nobody") throw new PromptStrataError("usage", "expected a profile, found nobody.")
    return createAgent({
      profile: resolveProfile({
        ...{ name: "test", dialect, locale: "en", persona: "You are Fay.", agent: { name: "Fay" } },
        ...{ memory: { enabled: false }, retry: { maxAttempts: 1 } },
      }),
      model: modelOf(model),
      store: createInMemoryStore(),
      plugins: [{ name: "p", close: () => void closed.push(model) }],
      ports: { clock: manualClock(Date.UTC(2026, 0, 2)), ...(counter && { counter }) },
      runJobs: false,
    })
  }
  return { variant, models, closed }
}
