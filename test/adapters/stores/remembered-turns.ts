import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import type { StatementCount } from "../../support/count-statements.ts"

/** Judges each turn worth keeping, and finds a new fact in each. */
function judging(): LanguageModel {
  let asked = 0
  return {
    id: "judge",
    capabilities: { developerRole: false, tools: false },
    async *stream({ facts }) {
      asked += 1
      const profile = { [`boat ${asked}`]: `seen ${asked}` }
      const answers: Readonly<Record<string, unknown>> = {
        importance: { importance: 8 },
        "user-profile": profile,
        "importance-and-profile": { importance: 8, profile },
      }
      const said = { action: "finish", message: `I saw ${asked} gulls over the harbour, too.` }
      yield { type: "text-delta", delta: JSON.stringify(facts?.background ? answers[facts.prompt] : said) }
      yield { type: "finish", reason: "stop" }
    },
  }
}

/**
 * Turns that remember and are remembered: each recalls what another conversation left, and each `batchTurns` of them are judged. Returns
 * the transactions and statements of each turn with its background work, once the first turns are over; of a batch their mean.
 */
export async function countTurns(store: Store, count: StatementCount, batchTurns: number, isLimited = false) {
  const profile = resolveProfile({
    dialect: "layered",
    locale: "en",
    persona: "You are Mira.",
    agent: { id: "bench" },
    memory: { reflectEvery: 0, batchTurns },
    limits: isLimited ? { dailyTokens: 1e9 } : {},
  })
  const agent = createAgent({ profile, model: judging(), store, onWarning: () => undefined })
  const counts: { readonly transactions: number; readonly statements: number; readonly recalled: number }[] = []
  let recalled = 0
  for (let turn = 0; turn < 32; turn++) {
    const session = agent.session(turn < 10 ? "before" : "talk")
    if (batchTurns === 1 || turn === 12) count.clear()
    const text = `Boat number ${turn} lay in the harbour beside ${turn * 3} other boats.`
    const { trace } = await session.send(text, { from: { id: "ann", name: "Ann" } }).result
    recalled = trace.recalled?.length ?? 0
    // Somebody who waits for the work ends a batch. Without that, a turn's work runs while the next ones do.
    if (batchTurns === 1) await agent.idle()
    const { transactions, statements } = count
    if (turn >= 12 && batchTurns === 1) counts.push({ transactions, statements, recalled })
  }
  await agent.close()
  const { transactions, statements } = count
  return batchTurns === 1 ? counts : [{ transactions: transactions / 20, statements: statements / 20, recalled }]
}
