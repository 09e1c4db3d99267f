import { findMentions, lastMessagesOf } from "../reply/mentions.ts"
import type { TurnRun } from "./turn-run.ts"

type Args = Readonly<Record<string, unknown>>

/** No argument nests deeper; what lies below stays as it is. */
const maxDepth = 100

/**
 * The arguments of a call with what was said in place of each `@last_NAME` and `@last_N_NAME` (R7), a line break between messages:
 * of this turn's window and question. One whose speaker is unknown or said nothing stays as written and is reported. Where the
 * profile has no mentions, and without one, these are the arguments themselves.
 */
export function resolveMentions(run: TurnRun, args: Args): Args {
  if (run.setup.mentions !== true) return args
  const said = spokenIn(run)
  const names = new Set(said.map(({ name }) => name))
  const inText = (text: string): string => {
    const { mentions, unknown } = findMentions(text, names)
    for (const { text: mark } of unknown)
      run.warnOnce("mention", mark, `${mark} in a call names nobody who speaks in what this turn shows; it was left as it is.`)
    let resolved = ""
    let from = 0
    for (const { start, end, name, count } of mentions) {
      const messages = lastMessagesOf(said, { name, count }).map((message) => message.text)
      resolved += text.slice(from, start) + messages.join("\n")
      from = end
    }
    return resolved + text.slice(from)
  }
  return inValue(args, inText, 0) as Args
}

interface Said {
  readonly name: string
  readonly text: string
}

function spokenIn({ setup }: TurnRun): Said[] {
  const { history, question, agentName, wake } = setup
  const before = history.map(({ role, speaker, text }) => ({ name: role === "assistant" ? agentName : speaker.name, text }))
  return wake === undefined ? [...before, { name: question.speaker.name, text: question.text }] : before
}

function inValue(value: unknown, inText: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return value.includes("@last_") ? inText(value) : value
  if (typeof value !== "object" || value === null || depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((item) => inValue(item, inText, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inValue(item, inText, depth + 1)]))
}
