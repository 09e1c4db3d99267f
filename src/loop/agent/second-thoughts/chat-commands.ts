import { checkType } from "../../../core/check-options.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { localText } from "../../../memory/services/recall/time/local-time.ts"
import { repeatText } from "../schedule/repeat-text.ts"
import type { Session } from "../session.ts"
import type { SpeakerInput } from "../session-options.ts"
import type { Turn } from "../turn.ts"
import texts from "./chat-words.json" with { type: "json" }
import type { SessionAlternative, SessionMessage } from "./session-history.ts"

/** A chat in which somebody gives a command. */
export interface CommandChat {
  readonly session: Session
  readonly from: SpeakerInput
  readonly locale: string
  /** True for a person who may change what all members of the chat see. */
  readonly mayChange: boolean
}

/** The outcome of a command: words for the person, or a turn to show. */
export type CommandOutcome = { readonly text: string } | { readonly turn: Turn }

type Words = typeof texts.en
type Name = keyof Words["commands"]

const wordsOf = (locale: string): Words => (locale.toLowerCase().startsWith("zh") ? texts.zh : texts.en)

/** The commands with their descriptions, as platforms list them. The names are the same in every language. */
export function commandList(locale: string): readonly { readonly command: string; readonly description: string }[] {
  checkType("the locale of commandList", locale, "string")
  return Object.entries(wordsOf(locale).commands).map(([command, description]) => ({ command, description }))
}

/** Commands that change what all members of a chat see. */
const changing: readonly Name[] = ["new", "regenerate", "swipe", "edit", "undo"]

/** The words behind /memory that are no words to look for. */
const switches: readonly string[] = ["off", "on"]

/** Runs words that are a command of the table, also as a group writes it (`/new@bot`). Undefined for any other words, such as a path. */
export async function runCommand(line: string, chat: CommandChat): Promise<CommandOutcome | undefined> {
  const [, name = "", rest = ""] = /^\/([a-z]+)(?:@\S*)?(?:\s+(.*))?$/su.exec(line.trim()) ?? []
  const words = wordsOf(chat.locale)
  if (!Object.hasOwn(words.commands, name)) return undefined
  const command = name as Name
  const isSwitch = command === "memory" && switches.includes(rest.trim())
  if (!chat.mayChange && (isSwitch || changing.includes(command))) return { text: words.notYours }
  return commands[command]({ ...chat, words, history: await chat.session.history({ limit: maxMessages }) }, rest.trim())
}

/** A conversation that is longer has its second thoughts at its end. */
const maxMessages = 1_000

interface OpenChat extends CommandChat {
  readonly words: Words
  readonly history: readonly SessionMessage[]
}

const commands: { readonly [K in Name]: (chat: OpenChat, rest: string) => Promise<CommandOutcome> } = {
  async start({ session, from, words, history }) {
    if (history.length > 0) return { text: words.inTheMiddle }
    return { text: (await session.greet({ from })) ?? words.hello }
  },
  async new({ session, from, words }) {
    await session.clear()
    return { text: (await session.greet({ from })) ?? words.begun }
  },
  async regenerate({ session, words, history }) {
    const last = lastTurn(history)
    return last.some(isQuestion) && last.length > 0 ? { turn: session.regenerate() } : { text: words.nothingSaid }
  },
  swipe,
  async edit({ session, words, history }, rest) {
    const question = history.findLast(isQuestion)
    if (rest === "") return { text: words.editHow }
    const turn = question && (await session.edit(question.id, rest))
    return turn ? { turn } : { text: words.nothingSaid }
  },
  help: async ({ words }) => ({
    text: Object.entries(words.commands)
      .map((each) => `/${each.join("  ")}`)
      .join("\n"),
  }),
  async undo({ session, words, history }) {
    const question = history.findLast(isQuestion)
    if (question === undefined) return { text: words.nothingSaid }
    const before = history[history.findIndex(({ turnId }) => turnId === question.turnId) - 1]
    await (before ? session.rewind(before.id) : session.clear())
    return { text: words.undone }
  },
  async continue({ session, from, words, history }) {
    const { role, text } = history.at(-1) ?? {}
    const answerLimit = role === "assistant" ? { behind: text } : undefined
    return role ? { turn: session.send(words.goOn, { from, answerLimit }) } : { text: words.nothingSaid }
  },
  async memory({ session, from, words }, rest) {
    if (switches.includes(rest)) {
      await session.setMemory(rest === "on")
      return { text: rest === "on" ? words.memoryOn : words.memoryOff }
    }
    if (rest === "") return { text: words.memoryHow }
    const found = (await unlessRefused(session.explainMemories(rest, { from }))) ?? []
    return { text: found.length > 0 ? found.map(({ id, text }) => `${id}: ${text}`).join("\n") : words.noMemory }
  },
  async forget({ session, from, words }, rest) {
    if (rest === "") return { text: words.forgetHow }
    return { text: (await unlessRefused(session.forgetMemory(rest, { from }))) ? words.forgotten : words.notForgotten }
  },
  async schedule({ session, from, words, locale }, rest) {
    const [, id] = /^cancel\s+(\S+)$/u.exec(rest) ?? []
    if (id !== undefined) return { text: (await session.dropWake(id, { from })) ? words.cancelled : words.notCancelled }
    const lines = (await remindersOf(session, from, locale)).map(({ id, text }) => `${id}: ${text}`)
    return { text: lines.length > 0 ? lines.join("\n") : words.noReminder }
  },
}

/** A reminder with its moment in words. */
export type Reminder = { readonly id: string; readonly text: string }

/** The reminders of a person that wait to ring, the next one first. */
export async function remindersOf(session: Session, from: SpeakerInput, locale: string): Promise<readonly Reminder[]> {
  return ((await unlessRefused(session.wakes({ from }))) ?? []).map(({ id, dueMs, timeZone = "UTC", repeat, reason }) => {
    const when = `${localText(dueMs, timeZone)} (${timeZone}${repeat === undefined ? "" : `, ${repeatText(repeat, locale)}`})`
    return { id, text: `${when} ${reason}` }
  })
}

/** Undefined where the session refuses, because it does not have the message, or has no memory, or not this one. */
export async function unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (PromptStrataError.isInstance(error) && error.code === "usage") return undefined
    throw error
  })
}

const isQuestion = ({ role, unanswered }: SessionMessage): boolean => role === "user" && unanswered !== true

function lastTurn(history: readonly SessionMessage[]): readonly SessionMessage[] {
  return history.filter(({ turnId }) => turnId === history.at(-1)?.turnId)
}

/** Puts another answer in the place of the last one, or another greeting in the place of the only message. */
async function swipe({ words, history, ...chat }: OpenChat, rest: string): Promise<CommandOutcome> {
  if (history.length === 0) return { text: words.nothingSaid }
  const { at, all } = others(chat, history)
  const other = all[chosen(rest, at, all.length) ?? -1]
  if (other === undefined) return { text: words.noOther }
  if (typeof other === "string") await chat.session.edit(history[0]?.id ?? "", other)
  else await chat.session.choose(other.turnId)
  const said =
    typeof other === "string" ? [other] : other.messages.flatMap(({ role, text }) => (role === "assistant" ? [text] : []))
  return { text: said.join("\n") || words.begun }
}

/** The greetings or turns among which /swipe goes, and the place of the one that is shown. */
function others({ session, from }: Pick<CommandChat, "session" | "from">, history: readonly SessionMessage[]) {
  const [last, greetings] = [lastTurn(history), history.length === 1 ? session.greetings({ from }) : []]
  const at = greetings.indexOf(last[0]?.text ?? "")
  if (at >= 0) return { at, all: greetings }
  const all = answersIn(last)
  return { at: all.findIndex(({ turnId }) => turnId === last[0]?.turnId), all }
}

/** The place among the greetings or answers to which /swipe goes, as `2/3`, and buttons for the one before and the one behind. */
export interface SwipeQuestion {
  readonly question: string
  readonly choices: readonly { readonly label: string; readonly say: string }[]
}

/** Undefined where there is no other one. */
export async function swipeQuestion(chat: Pick<CommandChat, "session" | "from">): Promise<SwipeQuestion | undefined> {
  const { at, all } = others(chat, await chat.session.history({ limit: maxMessages }))
  const places = [
    { label: "◀", to: at - 1 },
    { label: "▶", to: at + 1 },
  ].filter(({ to }) => to in all)
  const choices = places.map(({ label, to }) => ({ label, say: `/swipe ${to + 1}` }))
  return choices.length > 0 ? { question: `${at + 1}/${all.length}`, choices } : undefined
}

/** The turns among which /swipe goes in the place of the last one, the oldest first. */
function answersIn(last: readonly SessionMessage[]): readonly SessionAlternative[] {
  const all = last.slice(0, 1).flatMap(({ turnId, alternatives = [] }) => [...alternatives, { turnId, messages: last }])
  return all.sort((a, b) => timeOf(a) - timeOf(b))
}

/** The turn at the end of a history, for buttons: its id, its words that can be edited, and the ids of the turns among which /swipe goes. */
export function lastTurnIn(history: readonly SessionMessage[]) {
  const last = lastTurn(history)
  return { turnId: last[0]?.turnId, question: last.find(isQuestion)?.text, answers: answersIn(last).map(({ turnId }) => turnId) }
}

const timeOf = ({ messages }: { readonly messages: readonly SessionMessage[] }): number => messages.at(-1)?.atMs ?? 0

/** The place that a number names, counted from 1, or the next one. Undefined for one that there is not, and for the present one. */
function chosen(rest: string, at: number, count: number): number | undefined {
  const to = rest === "" ? (at + 1) % count : Number(rest) - 1
  return to !== at && Number.isInteger(to) && to >= 0 && to < count ? to : undefined
}
