import { isSameSession } from "./recorder.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, type Route, recordOfCall } from "./route.ts"

/** The first request of a turn by layers. */
export interface GrowthStep {
  readonly id: string
  readonly question: string
  readonly tokens: number
  /** In the order in which they begin. */
  readonly layers: readonly { readonly key: string; readonly tokens: number }[]
  /** The injections that were cut or left out for the budget. */
  readonly cut: readonly { readonly key: string; readonly fate: string }[]
}

/** The newest turns that are shown. */
const maxSteps = 100

/** How the prompt of a turn's session grew, and what fell out when: of the turns in memory. */
export const growthRoute: Route = { method: "GET", path: /^api\/turns\/([\w.-]+)\/growth$/u, answer: growth }

async function growth(state: InspectorState, call: Call): Promise<Response> {
  const { session } = await recordOfCall(state, call)
  const turns = state.recorder.turns.filter((turn) => isSameSession(turn.session, session) && turn.trace?.steps[0])
  const steps = turns.slice(-maxSteps).map(({ id, question, wake, trace }): GrowthStep => {
    const { assembly } = trace?.steps[0] ?? {}
    const layers = new Map<string, number>()
    for (const { key, tokens } of assembly?.spans ?? []) layers.set(key, (layers.get(key) ?? 0) + tokens)
    return {
      id,
      question: (wake ?? question).slice(0, 200).toWellFormed(),
      tokens: assembly?.tokens ?? 0,
      layers: [...layers].map(([key, tokens]) => ({ key, tokens })),
      cut: (assembly?.decisions ?? []).flatMap(({ key, fate }) =>
        fate === "shortened" || fate === "dropped" ? { key, fate } : [],
      ),
    }
  })
  return jsonWithoutSecrets(state, { steps, left: turns.length - steps.length })
}
