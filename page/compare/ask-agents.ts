import type { AgentComparison, SideProblem } from "../../src/apps/server/inspector/compare/compare-agents.ts"
import type { AgentChange } from "../../src/apps/server/inspector/replay/agent-change.ts"
import type { Words } from "../words.ts"

/** The choice of a person for one side; an empty text changes nothing. */
export interface ChosenAgent {
  readonly profile: string
  readonly dialect: string
  readonly model: string
}

/** The agents of both sides as they were chosen. */
export interface ChosenAgents {
  readonly left: ChosenAgent
  readonly right: ChosenAgent
}

export const unchanged: ChosenAgent = { profile: "", dialect: "", model: "" }

/** The changes that the inspector is asked for. */
export function changesOf({ left, right }: ChosenAgents): { readonly left?: AgentChange; readonly right?: AgentChange } {
  const [a, b] = [left, right].map((side) => Object.fromEntries(Object.entries(side).filter(([, text]) => text.trim() !== "")))
  return {
    ...(a && Object.keys(a).length > 0 && { left: a }),
    ...(b && Object.keys(b).length > 0 && { right: b }),
  }
}

/** Asks for two agents side by side. Throws an error with words for people if the inspector refuses. */
export async function askAgents(
  body: ReturnType<typeof changesOf> & {
    readonly turn?: string
    readonly question?: string
    readonly expected?: string | undefined
    readonly run?: boolean
  },
  signal: AbortSignal,
  words: Words,
): Promise<AgentComparison> {
  const response = await fetch("api/compare", { method: "POST", body: JSON.stringify(body), signal })
  if (!response.ok) throw new Error(await refusalOf(response, words))
  return (await response.json()) as AgentComparison
}

/** The words with which the inspector refuses. */
async function refusalOf(response: Response, words: Words): Promise<string> {
  const found = (await response.json().catch(() => ({}))) as Partial<SideProblem> & {
    readonly error?: { readonly message: string }
  }
  if (found.side && found.problem) return problemText({ side: found.side, problem: found.problem }, words)
  return found.error?.message ?? response.statusText
}

function problemText({ side, problem }: SideProblem, words: Words): string {
  return `${side === "left" ? words.left : words.right}: ${problem.message}`
}
