import { describe, expect, test } from "vitest"
import type { HistoryMessage } from "../../../../src/core/conversation.ts"
import { nextTopic, type Topic } from "../../../../src/memory/forgetting/events/topic.ts"
import { writeTopicByRule } from "../../../../src/memory/forgetting/plugin/jobs/written-event.ts"
import { contentTerms } from "../../../../src/memory/forgetting/ranking.ts"
import type { RecallDocument } from "../../../../src/memory/services/recall/recall-query.ts"
import type { TemplateValues } from "../../../../src/prompt/template/render.ts"
import { renderTemplate } from "../../../../src/prompt/template/render-template.ts"
import { chatLanguages, peopleChats } from "../../../support/people-chats.ts"
import { memoryBank, memoryBankPresent } from "../../../support/recall-sets/memory-bank.ts"
import { halfOf } from "../../../support/recall-sets/recall-chat.ts"

interface Chat {
  readonly lines: readonly RecallDocument[]
  readonly questions: readonly { readonly evidence: readonly (readonly string[])[] }[]
}

/** A topic of a chat that holds lines which somebody asks about later: these are what its event should tell. */
interface GoldTopic {
  readonly messages: readonly HistoryMessage[]
  readonly gold: ReadonlySet<string>
}

function goldTopics({ lines, questions }: Chat): readonly GoldTopic[] {
  const asked = new Set(questions.flatMap(({ evidence }) => evidence.flat()))
  const topics: RecallDocument[][] = []
  let topic: Topic | undefined
  for (const [turn, line] of lines.entries()) {
    const next = nextTopic(topic, { id: line.id, atMs: line.atMs, turn }, { gapMs: 30 * 60_000, maxTurns: 24 })
    if (topic === undefined || next.ended) topics.push([])
    topics.at(-1)?.push(line)
    topic = next.topic
  }
  return topics.flatMap((those) => {
    const gold = new Set(those.flatMap(({ id, text }) => (asked.has(id) ? [...contentTerms(text).keys()] : [])))
    if (gold.size === 0) return []
    const messages = those.map(({ id, text, atMs, speaker }) => {
      return { role: speaker.id === "bot" ? "assistant" : "user", text, speaker, turnId: id, atMs } as const
    })
    return { messages, gold }
  })
}

const form = (values: TemplateValues): string => renderTemplate("${heard? ${heard}}${answered? ${answered}}", values)

/** The share of the words of the lines that somebody asks about later, and the longest text. */
function measured(topics: readonly GoldTopic[], write: (messages: readonly HistoryMessage[]) => string) {
  let [share, longest] = [0, 0]
  for (const { messages, gold } of topics) {
    const text = write(messages)
    const held = contentTerms(text)
    share += [...gold].filter((term) => held.has(term)).length / gold.size
    longest = Math.max(longest, text.length)
  }
  return { share: share / topics.length, longest }
}

const byRule = (messages: readonly HistoryMessage[]) => writeTopicByRule(messages, form)?.text ?? ""
/** The beginning and the end of a topic, as events were made of them before. */
const ends = (messages: readonly HistoryMessage[]) => {
  const last = messages.findLast(({ role }) => role === "assistant")?.text ?? ""
  return `${messages[0]?.text.slice(0, 60)} ${last.slice(0, 40)}`
}

// The constants of the rule were chosen on the halves "development"; these are the others.
describe("H1 an event by rule holds what is asked about later", () => {
  test.each(chatLanguages)("in chats of people that it was not tuned on: %s", (language) => {
    const topics = peopleChats(language, "held-out").flatMap(goldTopics)
    const { share, longest } = measured(topics, byRule)
    expect(longest).toBeLessThanOrEqual(120)
    expect(share).toBeGreaterThan(0.5)
    expect(share).toBeGreaterThan(2 * measured(topics, ends).share)
  })

  test.runIf(memoryBankPresent).each(["en", "cn"] as const)("in days of a companion that it was not tuned on: %s", (language) => {
    const chats = memoryBank(language).filter(({ id }) => halfOf(id) === "held-out")
    const topics = chats.flatMap(goldTopics)
    const { share, longest } = measured(topics, byRule)
    expect(longest).toBeLessThanOrEqual(120)
    expect(share).toBeGreaterThanOrEqual(0.2)
    expect(share).toBeGreaterThan(1.4 * measured(topics, ends).share)
  })
})
