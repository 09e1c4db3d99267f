import type { HistoryMessage, ServiceKey, Speaker } from "../../core/conversation.ts"
import { messageOf } from "../../core/errors.ts"
import { within } from "../../core/timers.ts"
import { dialogueInjection } from "../../memory/services/background/dialogue.ts"
import type { SessionRecord } from "../../memory/services/store/session-store.ts"
import type { AgentContext, TurnInput } from "../turn/turn-context.ts"
import type { HeardMessage } from "./hear.ts"
import { emptyRecord, type LiveSession } from "./queue/turn-states.ts"
import { type QuietHours, quietHours } from "./schedule/schedule-times.ts"
import { type HearOptions, inputOf, type ReceiveOptions, refusalOf } from "./session-options.ts"
import type { Turn } from "./turn.ts"

/** Words that an agent may answer. */
export interface ReceivedWords {
  readonly key: ServiceKey
  readonly speaker: Speaker
  readonly text: string
  /** True if they name the agent. In a private conversation all words are for the agent. */
  readonly isMentioned: boolean
  /** True if they reply to the agent. */
  readonly isReply: boolean
  /** The messages before, oldest first. */
  readonly history: readonly HistoryMessage[]
  readonly signal: AbortSignal
}

/** The decision about words, with its reason in a few words. */
export interface AnswerDecision {
  readonly answers: boolean
  readonly reason: string
}

/** Decides if an agent answers words. A failure counts as no. */
export type ShouldAnswer = (words: ReceivedWords) => boolean | AnswerDecision | Promise<boolean | AnswerDecision>

/** Rules by which an agent answers what `Session.receive` gets. The first one that fits answers; otherwise the words are heard. */
export interface AnswerRules {
  /** Words that name the agent, or that are said in private. Default true. */
  readonly mentioned?: boolean
  /** Words that reply to the agent. Default true. */
  readonly repliedTo?: boolean
  /** Words that contain one of these, in upper or lower case, or match one of the patterns. */
  readonly keywords?: readonly (string | RegExp)[]
  /** Other words with this probability, from 0 to 1. */
  readonly probability?: number
  /** True asks the agent's model, with the prompt `should-answer`, about words that no rule before answers. */
  readonly model?: boolean
  /** A decision of your own about words that no rule before answers. */
  readonly decide?: ShouldAnswer
  /** For so long after an answer, and while one is made, nothing is answered. */
  readonly cooldownMs?: number
  /** Nothing is answered in these hours, in the profile's time zone or UTC. */
  readonly quietHours?: QuietHours
}

/** The outcome of `Session.receive`: a turn that answers, or the reason why the words were only heard. */
export type ReceiveResult =
  | { readonly answers: true; readonly reason: string; readonly turn: Turn }
  | { readonly answers: false; readonly reason: string /** The id of the message in `Session.history`. */; readonly id: string }

/** Answers of a session that `receive` began. `running` are not stored yet; the others are counted, so that none is missed. */
export interface BegunAnswers {
  running: number
  agents: number
  runningAgents: number
}

/** The part of a session that receives. */
interface ReceivingSession {
  readonly begun: BegunAnswers
  send(text: string, options: Omit<ReceiveOptions, "atMs">, reason: string): Turn
  hear(text: string, options: HearOptions): Promise<HeardMessage>
  /** Lets the words that were received next be decided about. */
  decided(): void
}

interface ReceiveParts {
  readonly text: string
  readonly options: ReceiveOptions
  readonly shouldAnswer: AnswerRules | ShouldAnswer | undefined
  readonly record: SessionRecord | undefined
  readonly signal: AbortSignal
}

/** Decides about words, then answers or keeps them. The bound of answers to agents holds for calls at the same time, too. */
export async function receive(live: LiveSession, session: ReceivingSession, receiving: ReceiveParts): Promise<ReceiveResult> {
  const { text, options, record = emptyRecord } = receiving
  const { agent, key, stack } = live
  const { begun } = session
  // An id that the history does not have is told when the words are kept.
  const input = inputOf({ agent: { ...agent, onWarning: () => undefined }, key, stack }, { text, options, turnId: "", record })
  const refusal = refusalOf(input, agent.closed.aborted)
  if (refusal) throw refusal
  // Those that run now may be stored already in the record; they are then counted twice rather than not at all.
  const before = answersToAgents(record.history) + begun.runningAgents - begun.agents
  const decision = await decide(agent, input, { ...receiving, record, begun })
  const isAgent = input.speaker.isAgent === true
  const { agentAnswers } = agent.profile.conversation
  const isOver = isAgent && before + begun.agents >= agentAnswers
  if (!decision.answers || isOver) {
    const { inject: _, signal: __, journal: ___, ...said } = options
    const reason = isOver ? `${agentAnswers} answers to agents in a row` : decision.reason
    const kept = session.hear(text, said)
    session.decided()
    const { id } = await kept
    const turnId = id.slice(0, id.lastIndexOf(":"))
    agent.tellObservers?.({ input: { ...input, turnId } }, { type: "answer-decision", answers: false, reason })
    return { answers: false, reason, id }
  }
  const { atMs: _, ...asked } = options
  const turn = session.send(text, asked, decision.reason)
  const one = isAgent ? 1 : 0
  begun.running++
  begun.agents += one
  begun.runningAgents += one
  void turn.result.then(() => {
    begun.running--
    begun.runningAgents -= one
  })
  return { answers: true, reason: decision.reason, turn }
}

/** The number of answers to other agents since a person last spoke. */
function answersToAgents(history: readonly HistoryMessage[]): number {
  const since = history.slice(history.findLastIndex(({ role, speaker }) => role === "user" && speaker.isAgent !== true) + 1)
  return since.filter(({ role, unanswered }) => role === "user" && unanswered !== true).length
}

async function decide(
  agent: AgentContext,
  input: TurnInput,
  receiving: ReceiveParts & { readonly record: SessionRecord; readonly begun: BegunAnswers },
): Promise<AnswerDecision> {
  const { shouldAnswer: given, record, signal, begun } = receiving
  if (given === undefined) return { answers: true, reason: "no rules" }
  const rules: AnswerRules = typeof given === "function" ? { mentioned: false, repliedTo: false, decide: given } : given
  const silent = silence(agent, rules, record, begun)
  if (silent !== undefined) return { answers: false, reason: silent }
  const { key, speaker, text, mentions, replyTo } = input
  const { id } = agent.profile.agent
  const isMentioned = key.audience === "private" || mentions?.some((person) => person.id === id) === true
  const isReply = replyTo?.speaker.id === id
  const { history } = record
  const found = fitting(agent, rules, { text, isMentioned, isReply })
  if (found !== undefined) return { answers: true, reason: found }
  const words = { key, speaker, text, isMentioned, isReply, history, signal }
  for (const ask of [rules.model === true ? modelDecision(agent) : undefined, rules.decide]) {
    if (ask === undefined) continue
    const outcome = await within({ timeoutMs: agent.profile.limits.toolMs, signal, timers: agent.ports.timers }, async () =>
      ask(words),
    )
    if (outcome.status !== "done") {
      const why =
        outcome.status === "failed" ? messageOf(outcome.error) : `It took longer than ${agent.profile.limits.toolMs} ms.`
      agent.onWarning({
        key,
        turnId: input.turnId,
        message: `The decision to answer failed, so the words were only heard: ${why}`,
      })
      return { answers: false, reason: "the decision failed" }
    }
    const decision = typeof outcome.value === "boolean" ? { answers: outcome.value, reason: "decided" } : outcome.value
    if (decision.answers || ask === rules.decide) return decision
  }
  return { answers: false, reason: rules.model === true ? "the model decided" : "no rule fits" }
}

/** The reason why nothing is answered now. */
function silence(
  { ports, profile }: AgentContext,
  { cooldownMs = 0, quietHours: hours }: AnswerRules,
  { history }: SessionRecord,
  { running }: BegunAnswers,
): string | undefined {
  const nowMs = ports.clock.nowMs()
  if (hours && quietHours(hours, profile.timeZone ?? "UTC")(nowMs)) return "quiet hours"
  if (cooldownMs <= 0) return undefined
  const last = history.findLast(({ role }) => role === "assistant")
  return running > 0 || (last !== undefined && nowMs - last.atMs < cooldownMs) ? "cooldown" : undefined
}

/** The rule that fits words; undefined for none. */
function fitting(
  { ports }: AgentContext,
  { mentioned = true, repliedTo = true, keywords = [], probability = 0 }: AnswerRules,
  { text, isMentioned, isReply }: Pick<ReceivedWords, "text" | "isMentioned" | "isReply">,
): string | undefined {
  if (mentioned && isMentioned) return "mentioned"
  if (repliedTo && isReply) return "replied to"
  const folded = text.toLowerCase()
  const keyword = keywords.find((each) =>
    typeof each === "string" ? folded.includes(each.toLowerCase()) : text.search(each) >= 0,
  )
  if (keyword !== undefined) return `keyword ${String(keyword)}`
  return probability > 0 && ports.random() < probability ? `probability ${probability}` : undefined
}

/** The newest messages that the model sees for its decision. */
const shownToModel = 12

function modelDecision({ ask, profile }: AgentContext): ShouldAnswer {
  return async ({ key, speaker, text, history, signal }) => {
    const said: HistoryMessage = { role: "user", text, speaker, turnId: "", atMs: 0 }
    const messages = [...history.slice(1 - shownToModel), said]
    const name = { text: profile.agent.name, trust: "author" } as const
    const dialogue = dialogueInjection([{ turnId: key.conversation, turn: 0, untrusted: false, messages }])
    const answer = await ask("should-answer", [dialogue, { ...dialogue, key: "listener", content: name }], { signal })
    return { answers: /^\W*(?:yes|是)/i.test(answer.text.trim()), reason: "the model decided" }
  }
}
