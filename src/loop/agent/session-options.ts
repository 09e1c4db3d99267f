import { checkMemberTypes, checkOptions, checkShape, checkType, type OptionList, shownJson } from "../../core/check-options.ts"
import type { Addressees, AttachmentInput, RepliedTo, ServiceKey, SessionKey, Speaker } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Injection, Trust } from "../../core/value.ts"
import type { SessionRecord } from "../../memory/services/store/session-store.ts"
import type { Profile } from "../../profile/profile.ts"
import { type InjectionInput, trusts } from "../../prompt/stack/injection.ts"
import { PromptStack } from "../../prompt/stack/prompt-stack.ts"
import type { Tool } from "../../prompt/tools/tool.ts"
import { checkAnswerLimit } from "../../reply/output/answer-limit.ts"
import type { StepControl } from "../turn/control/step-control.ts"
import type { AgentContext, TurnInput } from "../turn/turn-context.ts"
import { type LiveSession, turnIdOf } from "./queue/turn-states.ts"

/** A speaker whose name may be left out. */
export type SpeakerInput = Speaker | Omit<Speaker, "name">

/** Options that say to whom words are directed. Prompts of a group show it. */
export interface DirectedOptions {
  /**
   * The message that the words reply to: its id in `Session.history`, or the speaker alone, if that is all that the platform knows. An
   * id that the history does not have is reported to `onWarning` and left out.
   */
  readonly replyTo?: string | { readonly from: SpeakerInput } | undefined
  /** The people that the words name. The agent has its own id. The default name is the id, for the agent its name. */
  readonly mentions?: readonly SpeakerInput[] | undefined
}

/** Options of `Session.send`. */
export interface SendOptions extends DirectedOptions, StepControl {
  /**
   * The speaker. The default name is that of the profile's user. The default id is the conversation's name, in a group with `#` before
   * it: memories and profiles belong to the id, so pass one wherever a person has several conversations or a group several people.
   */
  readonly from?: SpeakerInput
  /**
   * Pictures, recordings and other files that came with the text, which may then be empty: at most 20, with at most 20,000,000 bytes each.
   * The prompt shows each as `%[name]` (R8). A path has the form that the file tools use. One that cannot be used ends the turn with an
   * error of code `file` or `file-size`.
   */
  readonly attachments?: readonly AttachmentInput[]
  /** Items for the prompts of this turn alone. Those of scope `session` stay if the turn is stored. A malformed one throws `injection`. */
  readonly inject?: readonly InjectionInput[]
  /** Tools of this turn, beside the agent's. One with `outside` is run by the caller: the turn ends with its call in `TurnResult.calls`. */
  readonly tools?: readonly Tool[] | undefined
  /** Runs of tools that the caller made for these words. The turn goes on behind them. */
  readonly runs?: TurnInput["runs"]
  readonly signal?: AbortSignal
}

/** Options of `Session.receive`. Those that belong to an answer are left out of words that are only heard, and `atMs` of an answer. */
export type ReceiveOptions = Pick<SendOptions, "from" | "attachments" | "replyTo" | "mentions" | "inject" | "signal"> &
  Pick<HearOptions, "atMs"> &
  Pick<TurnInput, "journal">

/** Options of `Session.wake`. */
export interface WakeOptions {
  /** The person whose memories and profile the turn may see. Default: in a private conversation the one who spoke last, in a group nobody. */
  readonly to?: SpeakerInput | undefined
  /** The origin of the reason's words. Only with `author` do they stand in the prompt as they are. Default `tool`: they came from outside. */
  readonly trust?: Trust
  /** As in {@link SendOptions.inject}. */
  readonly inject?: readonly InjectionInput[]
  readonly signal?: AbortSignal
}

/** Options of `Session.wakes`, `dropWake`, `greetings` and `greet`. */
export interface WakesOptions {
  /** The person whose wakes they are, or who is greeted, as in {@link SendOptions.from}. */
  readonly from?: SpeakerInput
}

/**
 * Options of `Session.wakeAt`. Times can be local, such as `2026-11-21 09:00`, have an offset, or count from now, such as `+10m`. A local
 * time that a clock change skips rings later by what is skipped, and one that it repeats rings the first time.
 */
export interface WakeAtOptions extends WakesOptions {
  /** `hourly`, `daily`, `weekdays`, `weekly`, `monthly`, `yearly`, or a cron pattern of five fields; at least ten minutes apart. */
  readonly repeat?: string
  /** The person's time zone. Default: the profile's. The host's is never taken. */
  readonly timeZone?: string
}

/** Options of `Session.preview`, which keeps nothing. */
export interface PreviewOptions extends DirectedOptions, Pick<SendOptions, "from" | "attachments" | "inject" | "signal"> {
  /** A prompt file of the dialect. Default `planner`. */
  readonly prompt?: string
}

/** Options of `Session.hear`. */
export interface HearOptions extends DirectedOptions {
  /** As in {@link SendOptions.from}. */
  readonly from?: SpeakerInput
  /** As in {@link SendOptions.attachments}. */
  readonly attachments?: readonly AttachmentInput[]
  /** The moment when it was said, in milliseconds since 1970. Default: now. */
  readonly atMs?: number | undefined
}

/** Options of `Session.regenerate` and `Session.edit`. */
export interface ChangeOptions {
  /** As in {@link SendOptions.inject}. */
  readonly inject?: readonly InjectionInput[]
  readonly signal?: AbortSignal
}

/** Options of `Session.approve` and `Session.deny`. Functions and schemas of the turn that waited cannot be kept, so they are given again. */
export interface AnswerOptions extends StepControl {
  /** The id of the person who answers. The turn fails with `approval` if another one was asked. Default: the program itself, which may. */
  readonly by?: string | undefined
  /** As in {@link SendOptions.tools}. */
  readonly tools?: readonly Tool[] | undefined
  readonly signal?: AbortSignal
}

/** Options of `Session.explainMemories`. */
export interface ExplainMemoriesOptions {
  /** The one who asks, as in {@link SendOptions.from}. */
  readonly from?: SpeakerInput
  /** Default 8. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** Options of `Session.forgetMemory`. */
export interface ForgetMemoryOptions {
  /** The one whose memory it is, as in {@link SendOptions.from}. */
  readonly from?: SpeakerInput
}

const directedOptions = { replyTo: true, mentions: true }
const previewed = { from: true, attachments: true, inject: true, signal: true, ...directedOptions }
const control = { toolChoice: true, stopWhen: true, prepareStep: true, output: true, answerLimit: true }

/** A speaker as it is stored. */
export function speakerOf(person: SpeakerInput, defaultName: string): Speaker {
  const { id, name = defaultName, isAgent }: Partial<Speaker> & Pick<Speaker, "id"> = person
  checkType("the id of a speaker", id, "string")
  checkType("the name of a speaker", name, "string")
  return isAgent === true ? { id, name, isAgent } : { id, name }
}

/** The form of runs that a caller made. */
export const runsShape = [{ tool: "string", args: "json", result: "string" }]

/** The types of the options of a session's methods. Those of other options are checked where they are used. */
const types =
  "from:object? to:object? mentions:list? inject:list? tools:objects? signal:object? stopWhen:function? prepareStep:function? prompt:string? repeat:string? timeZone:string? limit:number?"

/** Throws `usage` for an option of a session's method that there is not, or that has another type. */
export function checkSessionOptions<T extends object, Text extends string>(
  of: string,
  given: T,
  known: OptionList<T, Text>,
): void {
  checkOptions(of, given, known, { files: "Write `attachments: [{ path }]`, with an object for each path." })
  checkMemberTypes(of, given, types)
  for (const [name, value] of Object.entries(given)) {
    if (name === "runs" && value !== undefined) checkShape(`\`runs\` of ${of}`, value, runsShape)
    if (name === "trust") checkTrust(of, value)
    if (name === "answerLimit" && value !== undefined) checkAnswerLimit(of, value)
  }
}

/** Throws `usage` for a trust that there is not. */
export function checkTrust(of: string, trust: unknown): void {
  if (trust === undefined || trusts.has(trust as Trust)) return
  checkType(`\`trust\` of ${of}`, trust, "string")
  const found = JSON.stringify(trust)
  throw new PromptStrataError("usage", `expected trust author, user, agent, tool or memory of ${of}, found ${found}.`)
}

/** The names of the options of a session's methods. */
export const optionsOf = {
  send: { ...previewed, ...control, tools: true, runs: true },
  receive: { ...previewed, atMs: true, journal: true },
  wake: { to: true, trust: true, inject: true, signal: true },
  wakeAt: { from: true, repeat: true, timeZone: true },
  person: { from: true },
  preview: { ...previewed, prompt: true },
  answer: { by: true, tools: true, signal: true, ...control },
  change: { inject: true, signal: true },
  explainMemories: { from: true, limit: true, signal: true },
  hear: { from: true, attachments: true, atMs: true, ...directedOptions },
}

/** The speaker of a turn in which nobody spoke. In a group it is the agent, so that no person's memories are seen. */
export function wokenFor(key: SessionKey, { agent }: Profile, record: SessionRecord | undefined): Speaker | undefined {
  if (key.audience === "group") return { id: agent.id, name: agent.name }
  return record?.history.findLast(({ role }) => role === "user")?.speaker
}

/** The error of a turn that cannot begin; undefined for one that can. The words of a turn that replaces another are not known yet. */
export function refusalOf(
  { text, wake, attached, speaker }: TurnInput,
  isClosed: boolean,
  replaces = false,
): PromptStrataError | undefined {
  if (isClosed) return new PromptStrataError("closed", "The agent is closed.", { hint: "Make a new agent with createAgent." })
  if (speaker.id.trim() === "")
    return new PromptStrataError("usage", `expected the id of a speaker, found ${JSON.stringify(speaker.id)}.`, {
      hint: "Leave out the speaker, or name one: everyone with a blank id would be the same person.",
    })
  if (replaces || (wake ?? text).trim() !== "" || attached.length > 0) return undefined
  if (wake !== undefined)
    return new PromptStrataError("empty-question", "expected a reason to begin a turn by itself; the text is empty.", {
      hint: "Say in a sentence why the agent should wake.",
    })
  return new PromptStrataError("empty-question", "expected words; the text is empty.", {
    hint: "Pass at least one visible character, or a file in `attachments`.",
  })
}

/** Checks items at once, so that a mistake throws where it was made. */
export function completed(items: readonly InjectionInput[] = []): readonly Injection[] {
  if (items.length === 0) return []
  const stack = new PromptStack().fork()
  for (const item of items) stack.add(item)
  return stack.items()
}

/** Words as a caller passes them. The record is absent until the session was read. */
export interface Utterance {
  readonly text: string
  readonly options?: DirectedOptions & Pick<SendOptions, "from" | "attachments">
  readonly turnId: string
  readonly record?: SessionRecord | undefined
}

/** The input of a turn. Without a speaker, somebody speaks who is known by the conversation alone, and no other shares their memory. */
export function inputOf(
  { agent, key, stack }: Pick<LiveSession, "agent" | "key" | "stack">,
  { text, options = {}, turnId, record }: Utterance,
): TurnInput {
  checkType("the words", text, "string")
  const { from, replyTo, mentions, attachments: attached } = options
  // Read later, a function without parameters passes for an empty list.
  if (typeof attached === "function") checkType("`attachments`", attached, "list")
  const { conversation, audience } = key
  const id = from ? from.id : audience === "private" ? conversation : `#${conversation}`
  const speaker = speakerOf({ ...from, id }, agent.profile.user.name)
  const userKey: ServiceKey = { ...key, user: id }
  const to = replyTo !== undefined || mentions ? directed(agent, { key: userKey, turnId }, options, record) : undefined
  const nothing = { wake: undefined, attachments: [], inject: [] }
  return { key: userKey, turnId, speaker, text: text.toWellFormed(), attached: attached ?? [], ...nothing, stack, ...to }
}

/**
 * The people to whom options direct words. The message of an id is looked up in `record`; before that is read, it is left out. Throws
 * `usage` for a person without an id.
 */
export function directed(
  { profile, onWarning }: AgentContext,
  { key, turnId }: Pick<TurnInput, "key" | "turnId">,
  { replyTo, mentions }: DirectedOptions,
  record: SessionRecord | undefined,
): Addressees {
  const self = profile.agent
  const named = (person: SpeakerInput | undefined): Speaker => {
    if (typeof person?.id === "string" && person.id.trim() !== "")
      return speakerOf(person, person.id === self.id ? self.name : person.id)
    const message = `expected replyTo and mentions to name people by id, found ${shownJson(person)}.`
    throw new PromptStrataError("usage", message, { hint: 'Such as { mentions: [{ id: "ada", name: "Ada" }] }.' })
  }
  if (typeof replyTo !== "object" && replyTo !== undefined) checkType("`replyTo`", replyTo, "string")
  const people = new Map(mentions?.map((person) => [person?.id, named(person)]))
  const said = typeof replyTo === "string" && record ? messageOfId(record, replyTo) : undefined
  if (typeof replyTo === "string" && record && said === undefined) {
    const message = `The words were kept without \`replyTo\`, because the history has no message ${JSON.stringify(replyTo)}.`
    onWarning({ key, turnId, message })
  }
  return {
    replyTo: typeof replyTo === "object" ? { speaker: named(replyTo?.from) } : said,
    mentions: people.size > 0 ? [...people.values()] : undefined,
  }
}

function messageOfId({ history }: SessionRecord, id: string): RepliedTo | undefined {
  const turnId = turnIdOf(id)
  const said = history.filter((message) => message.turnId === turnId).find((_, at) => `${turnId}:${at}` === id)
  return said && { id, speaker: said.speaker }
}
