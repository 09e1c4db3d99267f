import { PromptStrataError } from "../../../core/errors.ts"
import { priority } from "../../../core/value.ts"
import { isPlainKey, type ObservedInjection } from "../../../memory/services/observer.ts"
import type { BeforeTurnContext } from "../../../memory/services/turn-hook.ts"
import { sanitise } from "../../../prompt/encode/sanitise.ts"

/** The maximum number of injections in one turn. Of more, the newest are taken. */
const maxInjections = 8
const maxTextLength = 4_000

/** The payload of a note that carries an injection. */
interface InjectionPayload extends Required<ObservedInjection> {
  readonly observer: string
}

/** Makes the payload of a note. Throws `usage` for a key, a text or a priority out of bounds. */
export function injectionPayload(observer: string, { key, text, priority: given }: ObservedInjection): Record<string, unknown> {
  const payload = { observer, key, text, priority: given ?? priority.default }
  const problem = problemOf(payload)
  if (problem === undefined) return payload
  throw new PromptStrataError("usage", `expected ${problem} of the observer ${observer}.`)
}

function problemOf({ observer, key, text, priority }: Readonly<Record<string, unknown>>): string | undefined {
  if (!isPlainKey(observer)) return "the name"
  if (!isPlainKey(key)) return "a key of letters, digits, _ and -, at most 64, in an injection"
  if (typeof text !== "string" || text.length > maxTextLength)
    return `a text of at most ${maxTextLength} UTF-16 units in an injection`
  return Number.isFinite(priority) ? undefined : "a finite priority in an injection"
}

/** Adds the injections that observers left to the turn's prompts, as text of the agent, for this turn only. A bad note is reported and dropped. */
export function addInjections({ notes, stack, warn }: Pick<BeforeTurnContext, "notes" | "stack" | "warn">): void {
  const newest = new Map<string, InjectionPayload>()
  for (const { id, payload } of notes) {
    const problem = problemOf(payload)
    if (problem !== undefined) {
      warn(`The note ${JSON.stringify(id.slice(0, 80))} was left out: expected ${problem}.`)
      continue
    }
    const injection = payload as unknown as InjectionPayload
    const key = `${injection.observer}:${injection.key}`
    newest.delete(key)
    newest.set(key, injection)
  }
  for (const [key, injection] of [...newest].slice(-maxInjections)) add(stack, key, injection)
}

function add(stack: BeforeTurnContext["stack"], key: string, { text, priority }: InjectionPayload): void {
  const content = { text: sanitise(text.toWellFormed()).text, trust: "agent" } as const
  stack.add({ key, content, trust: "agent", priority, scope: "turn" })
}
