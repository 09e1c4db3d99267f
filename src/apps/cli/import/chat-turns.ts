import type { HistoryMessage, SessionKey, Speaker } from "../../../core/conversation.ts"
import { sessionOf } from "../../../memory/services/store/rows/row-tables.ts"
import { type StoredTurn, sessionConflict } from "../../../memory/services/store/session-store.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import type { StoreRow } from "../../../memory/services/store/store-row.ts"
import type { TavernChat, TavernMessage } from "./tavern-chat.ts"

/** The people of a session that a chat becomes, or that becomes a chat. */
export interface ChatPeople {
  readonly agent: Speaker
  readonly user: Speaker
}

/** A turn as it will be stored, in each of its versions. */
interface ChatTurn {
  readonly versions: readonly (readonly HistoryMessage[])[]
  readonly chosen: number
}

/** The turns of a chat, and what of it no turn can hold. */
export function chatTurns(
  chat: TavernChat,
  people: ChatPeople,
  turnId: () => string,
): { readonly turns: readonly ChatTurn[]; readonly report: readonly string[] } {
  const turns: ChatTurn[] = []
  let lost = 0
  const { own, others } = charactersOf(chat, people)
  let asked: TavernMessage | undefined
  const said = ({ name, isUser, swipes, chosen }: TavernMessage): Omit<HistoryMessage, "turnId"> => {
    lost += swipes.length - 1
    const speaker = isUser ? { ...people.user, name: name || people.user.name } : { id: name, name, isAgent: true as const }
    return { role: "user", speaker, text: swipes[chosen]?.text ?? "", atMs: swipes[chosen]?.atMs ?? 0 }
  }
  const hear = (): void => {
    if (asked !== undefined) turns.push({ versions: [[{ ...said(asked), turnId: turnId(), unanswered: true }]], chosen: 0 })
    asked = undefined
  }
  for (const message of chat.messages) {
    if (message.isUser || message.name !== own) {
      hear()
      asked = message
      continue
    }
    const question = asked === undefined ? undefined : said(asked)
    asked = undefined
    const speaker = { ...people.agent, name: message.name || people.agent.name }
    const versions = message.swipes.map(({ text, atMs }): readonly HistoryMessage[] => {
      const answer = { role: "assistant", speaker, text, atMs, turnId: turnId() } as const
      if (question !== undefined) return [{ ...question, turnId: answer.turnId }, answer]
      // What the agent says before anybody spoke is a greeting, which is kept as words that it said.
      return [{ ...answer, unprompted: true, ...(turns.length === 0 ? { unanswered: true } : {}) }]
    })
    turns.push({ versions, chosen: message.chosen })
  }
  hear()
  const strangers = others.map(
    (name) =>
      `words of ${JSON.stringify(name.slice(0, 60))} as those of ${people.agent.name}: they are kept as another character's`,
  )
  return { turns, report: lost === 0 ? strangers : [...strangers, `swipes of messages that are not the character's: ${lost}`] }
}

/** Tells the agent's messages from those of other characters, which a group's chat has. */
function charactersOf(chat: TavernChat, { agent }: ChatPeople) {
  const names = new Set(chat.messages.filter(({ isUser }) => !isUser).map(({ name }) => name))
  const [only] = names
  const own = names.size === 1 ? only : [agent.name, chat.characterName].find((name) => names.has(name))
  return { own, others: [...names].filter((name) => name !== own) }
}

/** Writes turns into a session that is new, all or none. Swipes become the alternatives of a turn. */
export async function storeTurns(store: Store, key: SessionKey, turns: readonly ChatTurn[]): Promise<void> {
  const session = sessionOf(key)
  const rows: StoreRow[] = [{ table: "session", ...session, version: 1, state: {} }]
  let [count, last] = [0, -1]
  for (const { versions, chosen } of turns) {
    const before = last
    for (const [at, messages] of versions.entries()) {
      let follows = before
      for (const message of messages) {
        rows.push({ table: "message", ...session, message, ...(at === chosen ? {} : { follows }) })
        follows = count++
      }
      if (at === chosen) last = follows
    }
  }
  const counts = await store.import(rows.map((row) => JSON.stringify(row)))
  // A session that is there already stays as it is.
  if (counts.session !== 1) throw sessionConflict(key, 0, 1)
}

/** The chat that a session's turns are, and what of them it cannot hold. */
export function chatOf(turns: readonly StoredTurn[], { agent, user }: ChatPeople): TavernChat {
  const aside = Map.groupBy(turns, ({ parent }) => parent)
  const left = { attachments: 0, aside: 0 }
  const used = new Set<string>()
  const messages = turns
    .filter(({ isAside }) => !isAside)
    .flatMap((turn): TavernMessage[] => {
      const siblings = (aside.get(turn.parent) ?? [turn]).filter(
        (other) => other === turn || (other.isAside && isSwipeOf(other, turn)),
      )
      for (const { turnId } of siblings) used.add(turnId)
      const last = turn.messages.length - 1
      return turn.messages.map(({ role, speaker, text, atMs, attachments = [] }, at) => {
        left.attachments += attachments.length
        const shown = at === last ? siblings : [turn]
        const swipes = shown.map((other) => ({ text: other.messages[at]?.text ?? text, atMs: other.messages[at]?.atMs ?? atMs }))
        const isUser = role === "user" && speaker.isAgent !== true
        return { name: speaker.name, isUser, swipes, chosen: shown.indexOf(turn) }
      })
    })
  for (const { isAside, turnId } of turns) if (isAside && !used.has(turnId)) left.aside++
  const report = [
    ...(left.attachments === 0 ? [] : [`attachments: ${left.attachments}`]),
    ...(left.aside === 0 ? [] : [`turns that were set aside and are no other answer to the same words: ${left.aside}`]),
  ]
  const nameOf = (wanted: boolean): string | undefined => messages.find(({ isUser }) => isUser === wanted)?.name
  return { userName: nameOf(true) ?? user.name, characterName: nameOf(false) ?? agent.name, messages, report }
}

/** True for a turn that differs in its last words alone, which are the agent's. */
function isSwipeOf({ messages: other }: StoredTurn, { messages }: StoredTurn): boolean {
  const last = messages.length - 1
  return (
    other.length === messages.length &&
    messages.every(({ role, text, speaker }, at) => {
      const twin = other[at]
      return twin?.role === role && twin.speaker.id === speaker.id && (at === last ? role === "assistant" : twin.text === text)
    })
  )
}
