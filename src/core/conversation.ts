/** The readers of a conversation: one person, or several. Private memories do not enter a group. */
export type Audience = "private" | "group"

/** A session is a conversation of one agent, with one or many speakers. */
export interface SessionKey {
  readonly agent: string
  readonly conversation: string
  readonly audience: Audience
}

/** A session and the speaker of the turn at hand. No service is called without it. */
export interface ServiceKey extends SessionKey {
  readonly user: string
}

/** A person who speaks in a conversation. `id` is stable, `name` is shown in prompts. */
export interface Speaker {
  readonly id: string
  readonly name: string
  /** True for another agent, such as a bot in the same group. */
  readonly isAgent?: true
}

/** The message that another one replies to. */
export interface RepliedTo {
  /** The message's id in `Session.history`; absent if only its speaker is known. */
  readonly id?: string
  readonly speaker: Speaker
}

/** The people that words are directed to. */
export interface Addressees {
  readonly replyTo?: RepliedTo | undefined
  readonly mentions?: readonly Speaker[] | undefined
}

/**
 * Puts the id behind each name that several people have, wherever it stands in messages: people who spoke in them, but for the agent, and
 * `others`.
 */
export function toldApart<T extends Addressees & { readonly speaker: Speaker; readonly role?: string }>(
  messages: readonly T[],
  others: readonly Speaker[] = [],
): readonly T[] {
  const people = [...others, ...messages.flatMap(({ role, speaker }) => (role === "assistant" ? [] : [speaker]))]
  const ids = new Map(people.map(({ name, id }) => [name, id]))
  const shared = new Set(people.flatMap(({ name, id }) => (ids.get(name) === id ? [] : [name])))
  if (shared.size === 0) return messages
  // Nobody passes for another one by a name that is made here.
  for (const one of people) if (shared.has(one.name)) shared.add(nameWithId(one))
  const named = (speaker: Speaker): Speaker => (shared.has(speaker.name) ? { ...speaker, name: nameWithId(speaker) } : speaker)
  return messages.map((message) => {
    const { speaker, replyTo, mentions } = message
    const to = replyTo && { ...replyTo, speaker: named(replyTo.speaker) }
    return { ...message, speaker: named(speaker), replyTo: to, mentions: mentions?.map(named) }
  })
}

/** A speaker's name where others have it too. */
export function nameWithId({ name, id }: Speaker): string {
  return `${name}·${id}`
}

/** The result of a call. `args` are those that the tool received. */
export interface CallResult {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly result: string
}

/** A prestart result that stands in history (T26). */
export interface KeptPrestart extends CallResult {
  /** True if only its own turn's prompts showed it. Prompts of later turns leave it out. */
  readonly once?: true | undefined
  /** The result's age, where it was taken from an earlier turn (H5). */
  readonly ageMs?: number | undefined
}

/** A tool run that is kept in history (T29). Runs of one step of the model have one `step`. */
export interface KeptRun extends CallResult {
  /** The id of the model's own call, or of the run. */
  readonly id: string
  readonly step: number
  readonly failed?: true
  /** True if `result` is a sentence of the dialect: the tool returned nothing, or it did not run to its end. */
  readonly sentence?: true | undefined
  /** Pictures, recordings and files of the result that the model got. */
  readonly attachments?: readonly Attachment[] | undefined
  /** Data of the call for its provider, such as thoughts that it wants back (`ToolCall.providerData`). It is never text of a prompt. */
  readonly providerData?: unknown
}

/** One message of a conversation's history (T29): the words, without thinking and injected context. */
export interface HistoryMessage {
  readonly role: "user" | "assistant"
  readonly text: string
  readonly speaker: Speaker
  readonly turnId: string
  readonly atMs: number
  /** Prestart results, on the user's message. */
  readonly prestart?: readonly KeptPrestart[]
  /** The turn's tool runs, on its first message, if the profile keeps them (`history.toolRuns`). */
  readonly runs?: readonly KeptRun[] | undefined
  /** Pictures, recordings and other files that came with the message (R8). */
  readonly attachments?: readonly Attachment[] | undefined
  /** The message that this one replies to. */
  readonly replyTo?: RepliedTo | undefined
  /** The people that the message names. */
  readonly mentions?: readonly Speaker[] | undefined
  /** Memories that the turn recalled, on the user's message, if the profile keeps them (`context.older`). */
  readonly recalled?: readonly string[]
  /** True on an answer that was cut off, and on the messages of a turn that failed (T20). */
  readonly interrupted?: true
  /** True on messages outside of an answered turn: words that the agent only heard (`Session.hear`), and those of a turn that failed. */
  readonly unanswered?: true
  /** True on words that another message's turn is to answer, or their own turn later: they joined a newer message, or waited for an approval. */
  readonly toAnswer?: true
  /** On the first message of a turn: the ids of turns before it whose words it answers too. */
  readonly answers?: readonly string[]
  /** True on a message of the agent that no user's message came before (R27). */
  readonly unprompted?: true
  /** On the first message of a turn: what its calls of models used (T55). Absent if no provider told it. */
  readonly spent?: TurnSpending | undefined
}

type UsageCount =
  | "inputTokens"
  | "inputCacheReadTokens"
  | "inputCacheWriteTokens"
  | "outputTokens"
  | "reasoningTokens"
  | "costUsd"

/** The calls of one model in a turn, or in a child agent inside it. */
export interface ModelCalls {
  readonly model: string
  /** The name of the child agent that made them; absent for the turn itself. */
  readonly child?: string
  readonly calls: number
  /** How many of them have no usage: their provider told none. Absent: 0. */
  readonly unknown?: number
  /** The sum of the other calls, as `Usage` of a model. An absent field means unknown, not zero. */
  readonly usage: { readonly [Count in UsageCount]?: number }
  /** The tokens that the provider did not tell, as they were counted here. Only where a profile bounds a user's day. */
  readonly estimate?: ModelCalls["usage"]
}

/** The calls of models in a turn, as they are kept with its first message (T55). Plain JSON. */
export interface TurnSpending {
  /** The person whose turn it was. */
  readonly user: string
  readonly calls: readonly ModelCalls[]
  /** Tokens of the turn's own requests as they were counted here, by layer: its key, of `lorebook/NAME` the beginning, `""` for the prompt file's own text. */
  readonly layers: Readonly<Record<string, number>>
}

/** True for a message with words or attachments. A window of history counts and shows such messages alone (T30). */
export function isSpoken({ text, attachments }: Pick<HistoryMessage, "text" | "attachments">): boolean {
  return text.trim() !== "" || (attachments?.length ?? 0) > 0
}

/** The messages that have words or attachments. Histories are frozen, and `filter` takes several times as long on a frozen list. */
export function spokenOf(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const spoken: HistoryMessage[] = []
  for (let at = 0; at < history.length; at++) {
    const message = history[at] as HistoryMessage
    if (isSpoken(message)) spoken.push(message)
  }
  return spoken
}

/**
 * A picture, a recording or another file of a message. Plain JSON: its bytes are kept in the store under `blob`, or stand behind `url`. With
 * neither it is a file of the workspace.
 */
export interface Attachment {
  /** The name in prompts, as `%[name]` (R8). Of a file in the workspace its path. */
  readonly name: string
  /** Such as `image/png`. Absent if nobody knows it. */
  readonly mediaType?: string
  /** The id of the bytes in the store: their SHA-256 in hexadecimal digits. */
  readonly blob?: string
  readonly url?: string
  /** The number of bytes, if it is known. */
  readonly sizeBytes?: number
  /** The width and height of a picture in pixels, if they are known. */
  readonly width?: number
  readonly height?: number
  /** A description in words, which stands for the attachment where a model does not get it. */
  readonly caption?: string
}

/** A file that comes with words: one of the workspace, bytes, a URL, or bytes that the session's store has already. */
export type AttachmentInput =
  | { readonly path: string }
  | (AttachmentLook & { readonly bytes: Uint8Array })
  /** An address of `http:` or `https:`, or a `data:` URL, which counts as bytes. */
  | (AttachmentLook & { readonly url: string })
  | (AttachmentLook & { readonly blob: string })

interface AttachmentLook {
  /** The name in prompts. Default: from the URL or the media type, such as `image.png`. */
  readonly name?: string | undefined
  /** Default: the kind that the first bytes show. A picture whose bytes show another kind has that kind. */
  readonly mediaType?: string | undefined
}

/** True for words that the agent only heard. Those of a turn that failed are `interrupted` too. */
export function isHeard({ unanswered, interrupted }: HistoryMessage): boolean {
  return unanswered === true && interrupted !== true
}

/** A file that an answer shows (R8), or that the model made, for the code that delivers the answer. Plain JSON. */
export interface FileAttachment {
  /** The path in the workspace. Of a file that the model made its name. */
  readonly path: string
  /** Such as `image/png`. */
  readonly mediaType: string
  /** The number of bytes in `base64`. */
  readonly bytes: number
  /** The content of the file; for a reference with lines, those lines in UTF-8. */
  readonly base64: string
  /** The lines that were asked for, counted from 1. */
  readonly lines?: { readonly from: number; readonly to: number }
  /** Of a file that the model made: the id of its bytes in the session's store. */
  readonly blob?: string
}

/** Milliseconds since 1970 beyond this are no date. */
const maxDateMs = 8_640_000_000_000_000

/** True for whole milliseconds since 1970 that a date can have. */
export function isMoment(atMs: unknown): boolean {
  return Number.isSafeInteger(atMs) && Math.abs(atMs as number) <= maxDateMs
}
