import type { SessionKey } from "../../../core/conversation.ts"
import type { SessionRecord } from "../../../memory/services/store/session-store.ts"
import type { AgentContext } from "../../turn/turn-context.ts"
import type { SessionQueue } from "../queue/session-queue.ts"
import { checkSessionOptions, optionsOf, type WakesOptions } from "../session-options.ts"

type Greeting = Pick<AgentContext, "plugins" | "profile">

/** The greetings that can begin a conversation, for a person and an audience: those of a plugin, such as a card's, else the profile's. */
export function greetingsOf({ plugins, profile }: Greeting, { audience }: SessionKey, options: WakesOptions): readonly string[] {
  checkSessionOptions("a greeting", options, optionsOf.person)
  const { greeting, greetings = greeting === undefined ? [] : [greeting] } = profile
  const name = options.from && "name" in options.from ? options.from.name : profile.user.name
  return plugins.find((plugin) => plugin.greetings)?.greetings?.({ name, audience }) ?? greetings
}

/** The greeting that the profile chose among them. */
export function greetingOf(agent: Greeting, key: SessionKey, options: WakesOptions): string | undefined {
  const { greeting, greetings = [] } = agent.profile
  const at = greeting === undefined ? 0 : greetings.indexOf(greeting)
  return greetingsOf(agent, key, options)[at] ?? greeting
}

/** Says the greeting as the agent's words if nothing was said yet, and yields it. */
export async function greet(
  queue: SessionQueue,
  record: SessionRecord | undefined,
  options: WakesOptions,
): Promise<string | undefined> {
  const greeting = record?.history.length ? undefined : greetingOf(queue.agent, queue.key, options)
  if (greeting !== undefined) await queue.hear(greeting, { from: { id: queue.key.agent } })
  return greeting
}
