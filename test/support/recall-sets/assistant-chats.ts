import { mulberry32 } from "../../../src/core/mulberry.ts"
import type { RandomSource } from "../../../src/core/ports.ts"
import type { RecallDocument } from "../../../src/memory/services/recall/recall-query.ts"
import { chineseTexts } from "./chinese-topics.ts"
import { englishTexts } from "./english-topics.ts"
import type { RecallChat, SetQuestion } from "./recall-chat.ts"

/** A fact about a user: sentences that tell it, and questions that ask for it. `{v}` stands for the value. */
interface ToldFact {
  readonly kind: SetQuestion["kind"]
  readonly say: readonly string[]
  /** Sentences that tell a newer value. */
  readonly later?: readonly string[]
  readonly ask: readonly string[]
  readonly values: readonly string[]
}

interface ChatTopic {
  readonly noun: string
  readonly facts: readonly ToldFact[]
  /** A thing that the assistant names once, in the middle of a long answer. */
  readonly pick?: { readonly ask: string; readonly reply: string; readonly question: string; readonly values: readonly string[] }
  readonly requests: readonly string[]
  readonly tips: readonly string[]
  readonly code?: string
}

/** The texts of one language from which chats are made. `{noun}` stands for the topic. */
export interface ChatTexts {
  readonly openers: readonly string[]
  readonly fillers: readonly string[]
  readonly closers: readonly string[]
  readonly small: readonly string[]
  readonly never: readonly string[]
  readonly topics: readonly ChatTopic[]
}

/** The texts of a language. */
export const chatTexts = { en: englishTexts, zh: chineseTexts }
export type ChatLanguage = keyof typeof chatTexts

/** One of a list, by chance. */
export const oneOf = <T>(random: RandomSource, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

/** A list in an order of chance. */
export function shuffled<T>(random: RandomSource, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** What is said in one turn: the user's words, the topic and what the answer must hold, and the questions that it answers. */
interface ChatTurn {
  readonly user: string
  readonly topic?: ChatTopic
  readonly held?: string
  readonly asks?: readonly { readonly kind: SetQuestion["kind"]; readonly text: string; readonly of: "user" | "reply" }[]
}

/** The turns of one topic, in their order. A newer value comes after the older one. */
function topicTurns(topic: ChatTopic, random: RandomSource): ChatTurn[] {
  const later: ChatTurn[] = []
  const turns: ChatTurn[] = topic.facts.map(({ kind, say, later: newer, ask, values }) => {
    const [value = "", next = ""] = shuffled(random, values)
    const asks = [{ kind, text: oneOf(random, ask), of: "user" as const }]
    if (newer !== undefined) later.push({ user: oneOf(random, newer).replace("{v}", next), topic, asks })
    return { user: oneOf(random, say).replace("{v}", value), topic, ...(newer === undefined && { asks }) }
  })
  const { pick } = topic
  if (pick !== undefined) {
    const held = pick.reply.replace("{v}", oneOf(random, pick.values))
    turns.push({ user: pick.ask, topic, held, asks: [{ kind: "which", text: pick.question, of: "reply" }] })
  }
  for (const user of topic.requests) turns.push({ user, topic })
  return [...shuffled(random, turns), ...later]
}

/** Mixes lists without changing the order inside any of them. */
function interleaved<T>(random: RandomSource, lists: readonly (readonly T[])[]): T[] {
  const left = lists.map((list) => [...list])
  const mixed: T[] = []
  for (let rest = left.filter((list) => list.length > 0); rest.length > 0; rest = rest.filter((list) => list.length > 0)) {
    const list = oneOf(random, rest)
    const run = 1 + Math.floor(random() * 3)
    mixed.push(...list.splice(0, run))
  }
  return mixed
}

const lengths = { least: 500, most: 5_000 }

/** A long answer about a topic: an opening, numbered tips, paragraphs and code, up to a length that is chosen by chance. */
function reply(texts: ChatTexts, { topic, held }: ChatTurn, random: RandomSource): string {
  const long = lengths.least + (lengths.most - lengths.least) * random() ** 2
  const noun = topic?.noun ?? ""
  const parts = [oneOf(random, texts.openers)]
  const others = shuffled(random, texts.topics).flatMap(({ tips }) => tips.slice(0, 2))
  const tips = shuffled(random, topic?.tips ?? []).map((tip, at) => `${at + 1}. ${tip}`)
  const body = [...tips, ...shuffled(random, texts.fillers)]
  if (topic?.code !== undefined && random() < 0.7) body.splice(2, 0, topic.code)
  body.push(...others)
  let characters = 0
  for (const part of body) {
    if (characters > long) break
    parts.push(part)
    characters += part.length
  }
  if (held !== undefined) parts.splice(1 + Math.floor(random() * (parts.length - 1)), 0, held)
  parts.push(oneOf(random, texts.closers))
  return parts.join("\n").replaceAll("{noun}", noun)
}

const hourMs = 3_600_000
const topicsInChat = 8

/** A chat between a user and an assistant that answers at length. The id alone decides what is in it. */
function assistantChat(language: ChatLanguage, number: number): RecallChat {
  const id = `assistant-${language}-${number}`
  const random = mulberry32(id)
  const texts = chatTexts[language]
  const topics = shuffled(random, texts.topics).slice(0, topicsInChat)
  const talk = Array.from({ length: 12 }, (): ChatTurn => ({ user: oneOf(random, texts.small) }))
  const turns = interleaved(random, [...topics.map((topic) => topicTurns(topic, random)), talk])
  const lines: RecallDocument[] = []
  const questions: SetQuestion[] = []
  let atMs = Date.UTC(2025, number % 12, 1 + (number % 20), 9)
  let before: ChatTopic | undefined
  turns.forEach((turn, at) => {
    atMs += random() < 0.3 ? (8 + 40 * random()) * hourMs : (2 + 30 * random()) * 60_000
    const line = (of: "user" | "reply", text: string): RecallDocument => ({
      id: `${id}:${at}:${of}`,
      text,
      atMs: of === "user" ? atMs : atMs + 20_000,
      speaker: of === "user" ? { id: "user", name: "Sam" } : { id: "bot", name: "Assistant" },
      session: id,
      turn: at,
      importance: 5,
    })
    const about = turn.topic ?? before
    before = about
    lines.push(line("user", turn.user), line("reply", reply(texts, { ...turn, ...(about && { topic: about }) }, random)))
    for (const { kind, text, of } of turn.asks ?? []) questions.push({ kind, text, evidence: [[`${id}:${at}:${of}`]] })
  })
  const never = shuffled(random, texts.never).slice(0, 2)
  for (const text of never) questions.push({ kind: "never", text, evidence: [] })
  return { id, lines, questions, nowMs: atMs + 7 * 24 * hourMs, askedBy: "user", askedOf: "bot" }
}

/** The chats of a language, twelve of each, with about 200 questions. */
export function assistantChats(language: ChatLanguage): RecallChat[] {
  return Array.from({ length: 12 }, (_, number) => assistantChat(language, number))
}
