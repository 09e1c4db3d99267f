import { useEffect, useRef, useState } from "preact/hooks"
import type { AgentComparison, RunEstimate } from "../../src/apps/server/inspector/compare/compare-agents.ts"
import type { Info } from "../data.ts"
import type { Words } from "../words.ts"
import { askAgents, type ChosenAgents, changesOf, unchanged } from "./ask-agents.ts"
import { Sides } from "./sides.tsx"

/** The agents of both sides, and a way to choose others. */
export interface AgentsProps {
  readonly agents: ChosenAgents
  readonly onAgents: (agents: ChosenAgents) => void
  readonly info: Info
  readonly words: Words
}

/** The agents that a comparison begins with: both as they are. */
export const bothUnchanged: ChosenAgents = { left: unchanged, right: unchanged }

/** Fields for the profile, dialect and model of each side. */
export function AgentFields({ agents, onAgents, info, words }: AgentsProps) {
  return (
    <div class="sides agents">
      {(["left", "right"] as const).map((side) => (
        <fieldset key={side}>
          <legend>{words[side]}</legend>
          {(["profile", "dialect", "model"] as const).map((name) => (
            <label key={name}>
              {words[name]}{" "}
              <input
                value={agents[side][name]}
                placeholder={name === "profile" ? info.profile : words.asItIs}
                list={name === "dialect" ? "dialects" : undefined}
                onInput={(event) => onAgents({ ...agents, [side]: { ...agents[side], [name]: event.currentTarget.value } })}
              />
            </label>
          ))}
        </fieldset>
      ))}
      <datalist id="dialects">
        {info.dialects?.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  )
}

interface AgentSidesProps extends AgentsProps {
  /** The recorded turn, or words that nobody has said. */
  readonly asked: { readonly turn: string } | { readonly question: string }
}

/** Both agents' prompts at once, and their answers when a person asks for them. */
export function AgentSides({ asked, ...agentsProps }: AgentSidesProps) {
  const { agents, words } = agentsProps
  const [compared, setCompared] = useState<AgentComparison>()
  const [problem, setProblem] = useState("")
  const [isRunning, setRunning] = useState(false)
  const leaving = useRef(new AbortController())
  const body = JSON.stringify({ ...asked, ...changesOf(agents) })
  const load = async (run: boolean): Promise<void> => {
    leaving.current.abort()
    const own = new AbortController()
    leaving.current = own
    if (run) setRunning(true)
    try {
      const found = await askAgents({ ...JSON.parse(body), run }, own.signal, words)
      if (own.signal.aborted) return
      setCompared(found)
      setProblem("")
    } catch (error) {
      if (!own.signal.aborted) setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      if (leaving.current === own) setRunning(false)
    }
  }
  const isEmpty = "question" in asked && asked.question.trim() === ""
  // `load` is new each time; all it depends on is in `body`.
  useEffect(() => {
    setCompared(undefined)
    setRunning(false)
    const timer = isEmpty ? undefined : setTimeout(() => void load(false), 300)
    return () => {
      clearTimeout(timer)
      leaving.current.abort()
    }
  }, [body])
  return (
    <>
      <AgentFields {...agentsProps} />
      {problem && <p role="alert">{problem}</p>}
      {compared && !isEmpty && (
        <>
          <div class="run-line">
            <p>
              {words.callTakes} {words.left}: {estimateText(compared.estimates.a, words)}; {words.right}:{" "}
              {estimateText(compared.estimates.b, words)}. {words.mayCallAgain}
            </p>
            {isRunning ? (
              <button type="button" onClick={() => leaving.current.abort()}>
                {words.stop}
              </button>
            ) : (
              <button type="button" onClick={() => void load(true)}>
                {words.runBoth}
              </button>
            )}
            <span role="status">
              {isRunning ? words.running : compared.a.outcome.state === "previewed" ? words.notAsked : words.answeredNow}
            </span>
          </div>
          <Sides compared={compared} words={words} />
        </>
      )}
    </>
  )
}

/** `fay-1 reads about 1,234 tokens (0.0012) and writes at most 1,000 tokens (0.0030)`. */
export function estimateText(
  { model, readTokens, exact, answerTokens, readCost, answerCost }: RunEstimate,
  words: Words,
): string {
  const priced = (tokens: number, cost: number | undefined): string =>
    `${words.tokens(tokens.toLocaleString())}${cost === undefined ? "" : ` (${cost.toPrecision(2)})`}`
  const read = priced(readTokens, readCost)
  return words.estimate(model, exact ? read : `${words.about} ${read}`, priced(answerTokens, answerCost))
}
