import { checkOptions, checkType, type OptionNames, type TypeName } from "../../core/check-options.ts"
import type { AttachmentInput, Speaker } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Injection, Trust } from "../../core/value.ts"
import { type InjectionInput, trusts } from "../../prompt/stack/injection.ts"
import { PromptStack } from "../../prompt/stack/prompt-stack.ts"
import type { StepControl } from "../turn/control/step-control.ts"
import type { TurnInput } from "../turn/turn-context.ts"

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
  readonly signal?: AbortSignal
}

/** Options of `Session.receive`. Those that belong to an answer are left out of words that are only heard, and `atMs` of an answer. */
export type ReceiveOptions = Pick<SendOptions, "from" | "attachments" | "replyTo" | "mentions" | "inject" | "signal"> &
  Pick<HearOptions, "atMs">

/** Options of `Session.wake`. */
export interface WakeOptions {
  /** The person whose memories and profile the turn may see. Default: in a private conversation the one who spoke last, in a group nobody. */
  readonly to?: SpeakerInput
  /** The origin of the reason's words. Only with `author` do they stand in the prompt as they are. Default `tool`: they came from outside. */
  readonly trust?: Trust
  /** As in {@link SendOptions.inject}. */
  readonly inject?: readonly InjectionInput[]
  readonly signal?: AbortSignal
}

/** Options of `Session.preview`. */
export interface PreviewOptions extends DirectedOptions {
  readonly from?: SpeakerInput
  /** As in {@link SendOptions.attachments}. Nothing is kept. */
  readonly attachments?: readonly AttachmentInput[]
  /** A prompt file of the dialect. Default `planner`. */
  readonly prompt?: string
  /** As in {@link SendOptions.inject}. */
  readonly inject?: readonly InjectionInput[]
  readonly signal?: AbortSignal
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
const control = { toolChoice: true, stopWhen: true, prepareStep: true, output: true }

/** A speaker as it is stored. */
export function speakerOf(person: SpeakerInput, defaultName: string): Speaker {
  const { id, name = defaultName, isAgent }: Partial<Speaker> & Pick<Speaker, "id"> = person
  checkType("the id of a speaker", id, "string")
  checkType("the name of a speaker", name, "string")
  return isAgent === true ? { id, name, isAgent } : { id, name }
}

/** The types of the options of a session's methods. Those of other options are checked where they are used. */
const types: Readonly<Record<string, TypeName>> = {
  from: "object",
  to: "object",
  mentions: "list",
  inject: "list",
  signal: "object",
  stopWhen: "function",
  prepareStep: "function",
  prompt: "string",
  limit: "number",
}

/** Throws `usage` for an option of a session's method that there is not, or that has another type. */
export function checkSessionOptions<T extends object>(of: string, given: T, known: OptionNames<T>): void {
  checkOptions(of, given, known, gone)
  for (const [name, value] of Object.entries(given)) {
    const type = types[name]
    if (type !== undefined && value !== undefined) checkType(`\`${name}\` of ${of}`, value, type)
    if (name === "trust") checkTrust(of, value)
  }
}

/** Throws `usage` for a trust that there is not. */
export function checkTrust(of: string, trust: unknown): void {
  if (trust === undefined || trusts.has(trust as Trust)) return
  checkType(`\`trust\` of ${of}`, trust, "string")
  const found = JSON.stringify(trust)
  throw new PromptStrataError("usage", `expected trust author, user, agent, tool or memory of ${of}, found ${found}.`)
}

const gone = { files: "Write `attachments: [{ path }]`, with an object for each path." }

/** The names of the options of a session's methods. */
export const optionsOf = {
  send: { ...previewed, ...control },
  receive: { ...previewed, atMs: true },
  wake: { to: true, trust: true, inject: true, signal: true },
  preview: { ...previewed, prompt: true },
  answer: { signal: true, ...control },
  change: { inject: true, signal: true },
  explainMemories: { from: true, limit: true, signal: true },
  forgetMemory: { from: true },
  hear: { from: true, attachments: true, atMs: true, ...directedOptions },
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
  const stack = new PromptStack().fork()
  for (const item of items) stack.add(item)
  return stack.items()
}
