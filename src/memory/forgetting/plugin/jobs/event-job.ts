import type { HistoryMessage } from "../../../../core/conversation.ts"
import type { ToolWords } from "../../../../prompt/tools/tool-words.ts"
import type { BackgroundJob, JobContext } from "../../../services/background/background-job.ts"
import { promptData } from "../../../services/background/dialogue.ts"
import { shorten } from "../../../services/shorten-by-rule.ts"
import type { Receipt } from "../../../services/store/receipt.ts"
import type { JudgedTurn, Judgements } from "../../events/best-sentences.ts"
import { type EventRecord, newEvent } from "../../events/event-record.ts"
import { formatStamp, stampAt } from "../../events/stamp.ts"
import type { EndedTopic } from "../../events/topic.ts"
import { zonedCalendar } from "../../events/zoned-calendar.ts"
import { readState, virtualContextNote } from "../context-state.ts"
import { virtualContextName } from "../virtual-context-name.ts"
import type { EventWriter, VirtualContextSettings } from "../virtual-context-settings.ts"
import { askOrRule } from "./ask-or-rule.ts"
import { readTopics, type WrittenTopic, writeTopicByRule } from "./written-event.ts"

const kind = "event"
/** A topic that has not become an event after so many turns is enqueued again. */
const againAfterTurns = 8
const maxMessages = 200
const maxMessageCharacters = 2_000

/**
 * Writes an event for each ended topic (R20, H1): from what the model wrote when it judged the topic's turns, by rule in the form of a
 * template, or by a call of the model with the prompt `event`. Small talk is no event.
 */
export function eventJob({ events }: VirtualContextSettings, form: ToolWords["say"]): BackgroundJob {
  return {
    kind: `${virtualContextName}:${kind}`,
    afterTurn({ memoryOn, turn, hookStates }) {
      if (!memoryOn) return undefined
      const { ended } = readState(hookStates[virtualContextName])
      const due = ended.filter(({ endedTurn }) => (turn - endedTurn) % againAfterTurns === 0)
      return due.length === 0 ? undefined : { topics: due, turn }
    },
    async run({ payload, atMs }, context) {
      const { topics, turn } = payload as { readonly topics: readonly EndedTopic[]; readonly turn: number }
      for (const topic of topics) {
        const said = await context.messages({ fromMs: topic.fromMs, beforeMs: topic.beforeMs, limit: maxMessages })
        const receipts = (await context.receiptsOf?.([...new Set(said.map(({ turnId }) => turnId))])) ?? []
        // A turn of which something was forgotten since is told by no event.
        const forgotten = new Set(receipts.filter(({ kind }) => kind.startsWith("forget ")).map(({ turnId }) => turnId))
        const messages = said.filter(({ text, turnId }) => text.trim() !== "" && !forgotten.has(turnId))
        const written = await write(messages, { writer: events.writer, form, judged: judgementsOf(messages, receipts) }, context)
        const records = recordsOf(written, { topic, messages, timeZone: events.timeZone, now: { atMs, turn } })
        await context.post(virtualContextNote(`${kind}:${topic.id}`, [{ type: "events", events: records, ends: topic.id }]))
      }
    },
  }
}

async function write(
  messages: readonly HistoryMessage[],
  { writer, form, judged }: { readonly writer: EventWriter; readonly form: ToolWords["say"]; readonly judged: Judgements },
  context: JobContext,
): Promise<readonly WrittenTopic[]> {
  if (messages.length === 0) return []
  const [best] = [...judged.values()].sort((a, b) => b.importance - a.importance)
  if (writer === "model" && best?.event?.trim()) return [{ text: best.event, importance: best.importance, message: 1, parts: [] }]
  const byRule = writeTopicByRule(messages, form, judged)
  const rule = (): readonly WrittenTopic[] => (byRule === undefined ? [] : [{ ...byRule, message: 1, parts: [] }])
  if (writer !== "model-call" || byRule === undefined) return rule()
  const dialogue = messages.map(({ speaker, text, role }) => ({
    speaker: { text: speaker.name, trust: "user" as const },
    text: { text: shorten(text, maxMessageCharacters), trust: role === "user" ? ("user" as const) : ("agent" as const) },
  }))
  return askOrRule(context, { kind, prompt: "event", data: [promptData("dialogue", dialogue, "user")], read: readTopics, rule })
}

type JudgedValue = JudgedTurn & { readonly keys?: Readonly<Record<string, { readonly importance?: number }>> }

/** The importance of a turn without keys in a batch, because it holds nothing worth finding again. */
const withoutKeys = 2

/**
 * The turns of these messages as the calls that judged them found them. A call judges the turns that waited for it too (M15): each of them
 * has the importance of its own lines.
 */
function judgementsOf(messages: readonly HistoryMessage[], receipts: readonly Receipt[]): Judgements {
  const judged = receipts.filter(({ kind, value }) => kind === "importance" && typeof value?.importance === "number")
  const batches = new Map(judged.map(({ turnId, value }) => [turnId, value as unknown as JudgedValue]))
  const waiting = new Set(receipts.filter(({ kind }) => kind === "batch").map(({ turnId }) => turnId))
  const found = new Map<string, JudgedTurn>()
  let together: string[] = []
  for (const turnId of new Set(messages.map((message) => message.turnId))) {
    together.push(turnId)
    const judgement = batches.get(turnId)
    if (judgement === undefined) {
      if (!waiting.has(turnId)) together.pop()
      continue
    }
    const isOne = together.length === 1
    for (const id of together) found.set(id, isOne ? judgement : { ...judgement, importance: importanceOf(id, judgement) })
    together = []
  }
  return found
}

/** The importance of the most important line of a turn that was judged with others. */
function importanceOf(turnId: string, { importance, keys }: JudgedValue): number {
  if (keys === undefined) return importance
  const own = Object.entries(keys).flatMap(([id, line]) => (id.startsWith(`${turnId}:`) ? (line.importance ?? importance) : []))
  return Math.max(Math.min(importance, withoutKeys), ...own)
}

/** The topic and messages from which events were written. */
interface Origin {
  readonly topic: EndedTopic
  readonly messages: readonly HistoryMessage[]
  readonly timeZone: string
  readonly now: { readonly atMs: number; readonly turn: number }
}

/** The events of written topics, each followed by the events of its parts, which are its children. */
function recordsOf(written: readonly WrittenTopic[], origin: Origin, idOf = `topic:${origin.topic.id}`): readonly EventRecord[] {
  const { topic, messages, timeZone, now } = origin
  return written.flatMap((one, at) => {
    const id = numbered(idOf, at)
    const parts = recordsOf(one.parts, origin, `${id}.1`)
    const first = messages[Math.floor(one.message) - 1] ?? messages[0]
    const startMs = first?.atMs ?? topic.fromMs
    const endMs = Math.max(startMs, messages.at(-1)?.atMs ?? topic.lastMs)
    const stamp = formatStamp(stampAt("moment", startMs, zonedCalendar(timeZone)))
    const sources = [...new Set(messages.map(({ turnId }) => turnId))]
    const children = one.parts.map((_, part) => numbered(`${id}.1`, part))
    const { text, importance } = one
    return [newEvent({ id, grain: "moment", stamp, startMs, endMs, text, importance, sources, children }, now), ...parts]
  })
}

function numbered(id: string, at: number): string {
  return at === 0 ? id : `${id}:${at + 1}`
}
