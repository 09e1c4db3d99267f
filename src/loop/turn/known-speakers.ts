import { type HistoryMessage, spokenOf } from "../../core/conversation.ts"
import { late } from "../../core/late.ts"
import { memoKind } from "../../core/memo.ts"
import { whatHappened, within } from "../../core/timers.ts"
import { memoOf } from "../../prompt/assemble/assembler.ts"
import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { loadNameLooks } from "../../prompt/dialect/shipped.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import type { OtherSpeakers } from "./turn-progress.ts"

interface Names {
  /** Those who spoke. */
  readonly spoke: readonly string[]
  /** Those whom somebody answered or mentioned. */
  readonly named: readonly string[]
}

/** Names, and the messages of the conversation that they come from. */
interface KnownSpeakers extends Names {
  readonly messages: number
}

/** The table is read once. */
const loadLooks = late(loadNameLooks)

/** The session's memo keeps them, so a store is asked once, and a session that forgets its requests forgets them too. */
const known = memoKind<Dialect, KnownSpeakers>()

const mostMessages = 2_000
const mostNames = 500

/**
 * Returns the names of the people who spoke in the conversation, or whom somebody answered or mentioned, also before the messages that
 * were loaded for the turn: a line of another person must not begin as theirs (T5). They are those of the newest 2,000 messages, and at
 * most 500, first of all those who spoke. They are read again after messages left the history. If the store fails, the turn goes on with the names that it has.
 */
export async function readSpeakers(turn: TurnContext): Promise<OtherSpeakers> {
  return { names: await readNames(turn), looks: await loadLooks() }
}

async function readNames(turn: TurnContext): Promise<readonly string[]> {
  const { record, assembler, agent } = turn
  const { history = [], earlier = 0 } = record ?? {}
  const later = namesIn(history)
  if (earlier === 0) return newest([...later.named, ...later.spoke])
  const memo = memoOf(assembler)
  const before = memo.get(known, agent.dialect)
  const messages = earlier + spokenOf(history).length
  // Messages between those that were read and those that were loaded are not known.
  const isWhole = before !== undefined && before.messages >= earlier && before.messages <= messages
  const older = isWhole ? before : await olderNames(turn)
  const { spoke, named } = older ? joined(older, later) : later
  if (older) memo.set(known, agent.dialect, { spoke, named, messages })
  return newest([...named, ...spoke])
}

async function olderNames(turn: TurnContext): Promise<Names | undefined> {
  const { agent, signal } = turn
  const { prestartMs: timeoutMs } = agent.profile.limits
  const outcome = await within({ timeoutMs, signal, timers: agent.ports.timers }, () =>
    turn.messages({ role: "user", limit: mostMessages }),
  )
  if (outcome.status === "done") return namesIn(outcome.value)
  if (outcome.status !== "aborted")
    warn(turn, "recall", `Names of people who spoke long ago are not known: reading them ${whatHappened(outcome, timeoutMs)}.`)
  return undefined
}

function namesIn(history: readonly HistoryMessage[]): Names {
  const [spoke, named]: [string[], string[]] = [[], []]
  for (const { role, speaker, replyTo, mentions = [] } of history) {
    if (role === "user") spoke.push(speaker.name)
    if (replyTo) named.push(replyTo.speaker.name)
    for (const { name } of mentions) named.push(name)
  }
  return { spoke, named }
}

function joined(older: Names, later: Names): Names {
  return { spoke: newest([...older.spoke, ...later.spoke]), named: newest([...older.named, ...later.named]) }
}

/** The names without repetition, the newest ones last. */
function newest(names: readonly string[]): readonly string[] {
  return [...new Set(names.toReversed())].slice(0, mostNames).reverse()
}
