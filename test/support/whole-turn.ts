import type { AgentOptions } from "../../src/loop/agent/agent-options.ts"
import type { Session } from "../../src/loop/agent/session.ts"
import type { SendOptions } from "../../src/loop/agent/session-options.ts"
import type { Turn } from "../../src/loop/agent/turn.ts"
import type { ProfileInput } from "../../src/profile/profile.ts"
import { type ManualTimers, type ScriptedModelOptions, type ScriptedStep, scriptedModel } from "../../src/testing/index.ts"
import { printTrace } from "../../src/trace/print-trace.ts"
import type { TurnEvent } from "../../src/trace/turn-event.ts"
import { testAgent } from "./agents.ts"

/** One turn, or several, of an agent over scripts. */
export interface Scenario {
  readonly steps: readonly ScriptedStep[]
  /** A second model, which is asked if the first one fails. */
  readonly next?: readonly ScriptedStep[]
  readonly model?: ScriptedModelOptions
  readonly profile?: ProfileInput
  readonly options?: Partial<AgentOptions>
  readonly send?: Partial<SendOptions>
  /** The turns; by default one of the words `hi`. */
  readonly turns?: (session: Session, options: SendOptions) => AsyncGenerator<Turn>
  /** Called before the first turn, with the timers that move its clock. */
  readonly begins?: (timers: ManualTimers) => void
  /** Called with each event of a turn. */
  readonly on?: (event: TurnEvent, turn: Turn) => void
}

/** Plays a scenario. Returns all that a caller can see of it: events, results, traces, requests, history, and what is left over. */
export async function playedTurns({ steps, next, turns, begins, on, ...given }: Scenario): Promise<string> {
  const native = given.model?.capabilities?.tools === true
  const model = scriptedModel(steps, { chunkSize: 1_000, ...given.model })
  const models = next ? ([model, scriptedModel(next, { id: "second", chunkSize: 1_000 })] as const) : model
  const warnings: string[] = []
  const { agent, session, timers } = testAgent(
    model,
    { locale: "en", ...(native && { loop: { mode: "native" } }), ...given.profile },
    {
      onWarning: ({ message }) => void warnings.push(message),
      ...given.options,
      model: models,
    },
  )
  begins?.(timers)
  const signal = watchedSignal()
  const text: string[] = []
  const options = { signal: signal.signal, ...given.send }
  for await (const turn of (turns ?? oneTurn)(session, options)) {
    for await (const event of turn) {
      on?.(event, turn)
      if (event.type !== "turn-end") text.push(shown(event))
    }
    const result = await turn.result
    const { trace, ...rest } = result
    text.push(shown(rest), "", printTrace(trace), "")
  }
  await agent.idle()
  for (const { messages, assembly: _, ...request } of model.requests)
    text.push(`request of ${messages.length}: ${shown(request)}`)
  for (const { role, content, ...message } of model.requests.at(-1)?.messages ?? [])
    text.push(`── ${role} ${shown(message)}`, content)
  text.push("──")
  for (const { role, text: words, turnId: _, atMs: __, ...message } of await session.history())
    text.push(`${role}: ${shown(words)} ${shown(message)}`)
  text.push(...warnings, `timers left: ${timers.pending}; listeners left: ${signal.left()}`)
  return text.join("\n")
}

async function* oneTurn(session: Session, options: SendOptions): AsyncGenerator<Turn> {
  yield session.send("hi", options)
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member instanceof Error ? { code: Reflect.get(member, "code"), message: member.message } : member,
  )
}

/** A signal that counts those who listen to it. */
function watchedSignal(): { readonly signal: AbortSignal; readonly left: () => number } {
  const { signal } = new AbortController()
  let listeners = 0
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners++
    add(...given)
  }
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners--
    remove(...given)
  }
  return { signal, left: () => listeners }
}
