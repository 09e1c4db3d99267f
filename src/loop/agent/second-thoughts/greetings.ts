import type { SessionKey } from "../../../core/conversation.ts"
import type { AgentContext } from "../../turn/turn-context.ts"
import { checkSessionOptions, type GreetOptions, optionsOf } from "../session-options.ts"

type Greeting = Pick<AgentContext, "plugins" | "profile">

/** The greetings that can begin a conversation, for a person and an audience: those of a plugin, such as a card's, else the profile's. */
export function greetingsOf({ plugins, profile }: Greeting, { audience }: SessionKey, options: GreetOptions): readonly string[] {
  checkSessionOptions("a greeting", options, optionsOf.greet)
  const { from } = options
  const { greeting, greetings = greeting === undefined ? [] : [greeting] } = profile
  const name = from !== undefined && "name" in from ? from.name : profile.user.name
  return plugins.find((plugin) => plugin.greetings)?.greetings?.({ name, audience }) ?? greetings
}

/** The greeting that the profile chose among them. */
export function greetingOf(agent: Greeting, key: SessionKey, options: GreetOptions): string | undefined {
  const { greeting, greetings = [] } = agent.profile
  const at = greeting === undefined ? 0 : greetings.indexOf(greeting)
  return greetingsOf(agent, key, options)[at] ?? greeting
}
