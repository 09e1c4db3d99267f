import { PromptStrataError } from "../../../core/errors.ts"
import { type Memo, memoKind } from "../../../core/memo.ts"
import type { Source } from "../../../core/source.ts"
import type { MessageRole } from "../../../core/span.ts"
import { type Injection, type Stability, stabilities, stabilityOf } from "../../../core/value.ts"
import type { FrameSink } from "../../template/frame-writer.ts"
import type { Draft, DraftMessage, MessageCalls, Piece } from "./draft.ts"

/** The source of what is being printed. */
export interface Origin {
  /** The key of the injection; `""` for the prompt file's own text. */
  readonly key: string
  readonly stability: Stability
  /** True for a placeholder, which is printed in place of the injection. */
  readonly placeholder?: boolean
}

const ownFrame: Origin = { key: "", stability: "global" }

/** The origin of what an injection prints. History has the stability `conversation`, whatever its scope: it only grows. */
export function originOf(injection: Injection): Origin {
  const { key } = injection
  return { key, stability: key === "history" ? "conversation" : stabilityOf(injection) }
}

/** By item, the piece that joined its pieces the last time. */
const joinedItems = memoKind<Injection, Piece>()

/** A part of a printed text, with its source. */
export type PrintedPart = Pick<Piece, "text" | "part" | "trust" | "parts"> & { readonly source?: Source | undefined }

/** A message while it is being printed. */
type OpenMessage = DraftMessage & { readonly pieces: Piece[] }

/** Records printed text as pieces of messages, each with its origin. One recorder makes one draft. */
export class DraftRecorder {
  readonly #messages: DraftMessage[] = []
  readonly #printed = new Set<string>()
  /** Items that were printed without being looked at. Few ask for them, so they are marked when the first one does. */
  readonly #unmarked: (() => readonly Injection[])[] = []
  /** The origin of what is printed now. */
  origin = ownFrame
  /** True if the first piece of a message is the file's own text, and not a value, a fence or a notice. */
  opensWithFrame = false
  #lastKey = ""
  #open: OpenMessage | undefined
  /** The last message, if it was opened by `startMessage`. */
  #last: OpenMessage | undefined

  /** Puts the file's own text. */
  readonly frame: FrameSink = (text, source) => {
    this.opensWithFrame ||= this.pieces.length === 0
    this.put({ text, part: "frame", trust: "author", source })
  }

  /** The role of the last message. */
  get role(): MessageRole | undefined {
    return this.#messages.at(-1)?.role
  }

  /**
   * Records what follows under `origin`, and gives the origin around it, for the caller to put back. A less stable origin around
   * it lowers the stability.
   */
  enter(origin: Origin): Origin {
    const around = this.origin
    const isStabler = stabilities.indexOf(origin.stability) < stabilities.indexOf(around.stability)
    this.origin = isStabler ? { ...origin, stability: around.stability } : origin
    return around
  }

  put({ text, part, trust, source, parts }: PrintedPart): void {
    if (text === "") return
    const { key, stability } = this.origin
    const { pieces } = this.#place(source)
    const piece: Piece = source
      ? { text, key, part, trust, stability, source, known: undefined, hash: undefined, span: undefined }
      : { text, key, part, trust, stability, known: undefined, hash: undefined, span: undefined }
    pieces.push(parts ? { ...piece, parts, extraTokens: parts.reduce((sum, { tokens }) => sum + tokens, 0) } : piece)
    this.mark()
  }

  /** The pieces of the last message so far. */
  get pieces(): readonly Piece[] {
    return this.#messages.at(-1)?.pieces ?? []
  }

  /** Puts pieces again that were recorded before, from index `from` up to `to`. The caller notes whose they are. */
  putAgain(pieces: readonly Piece[], from: number, to: number): void {
    const first = pieces[from]
    if (!first || from >= to) return
    const { pieces: into } = this.#place(first.source)
    for (let index = from; index < to; index++) into.push(pieces[index] ?? first)
  }

  /**
   * Joins the pieces of the last message from index `from` on to one, which is counted and compared as a whole. They stay apart if
   * they are not alike. An item that printed the same before gets the same piece.
   */
  join(from: number, item: Injection, memo: Memo): void {
    const all = this.#last?.pieces
    const inner = all?.slice(from) ?? []
    const [first, second] = inner
    if (!all || !first || !second) return
    const { key, part, trust, stability } = first
    if (inner.some((piece) => piece.key !== key || piece.stability !== stability || piece.parts)) return
    const before = memo.get(joinedItems, item)
    const isKnown = before !== undefined && samePieces(before.inner, inner)
    const text = isKnown ? "" : inner.map((piece) => piece.text).join("")
    const joined = isKnown
      ? before
      : { text, key, part, trust, stability, inner, known: undefined, hash: undefined, span: undefined }
    all.splice(from, inner.length, joined)
    memo.set(joinedItems, item, joined)
  }

  /** Notes that injections printed something, as soon as somebody asks for a key that nobody has marked. */
  markLater(injections: () => readonly Injection[]): void {
    this.#unmarked.push(injections)
  }

  /** Opens a message. If nothing is printed in it, it is left out, unless it makes or answers a native call. */
  startMessage(role: MessageRole, calls?: MessageCalls | undefined): void {
    this.#dropEmptyMessage()
    this.#open = { role, calls, pieces: [] }
    this.#last = this.#open
    this.#messages.push(this.#open)
  }

  /** Adds messages that were recorded under this origin before and are not empty. */
  addMessages(messages: readonly DraftMessage[]): void {
    this.#dropEmptyMessage()
    this.#open = undefined
    this.#last = undefined
    for (const message of messages) this.#messages.push(message)
    this.mark()
  }

  /** Closes the open message. The next text needs a message of its own. */
  endMessage(): void {
    this.#open = undefined
  }

  /** Opens the last message again, so that the next text belongs to it. */
  continueMessage(): void {
    this.#open = this.#last
  }

  draft(): Draft {
    this.#dropEmptyMessage()
    const [printed, unmarked] = [this.#printed, this.#unmarked]
    const has = (key: string): boolean => {
      if (!printed.has(key)) for (const items of unmarked.splice(0)) for (const item of items()) printed.add(item.key)
      return printed.has(key)
    }
    return { messages: this.#messages, printed: unmarked.length === 0 ? printed : { has } }
  }

  /** Notes that the injection printed something under whose key text is recorded now. */
  mark(): void {
    const { key, placeholder } = this.origin
    if (key === this.#lastKey || key === "" || placeholder === true) return
    this.#lastKey = key
    this.#printed.add(key)
  }

  /** The message for the next piece. A prompt that names no role is one message of the user. */
  #place(source: Source | undefined): OpenMessage {
    if (this.#open) return this.#open
    if (this.#messages.length > 0)
      throw new PromptStrataError("prompt", "expected all text inside a message, found some outside.", {
        source,
        hint: "Put ${role(user)} or ${role(system)} on a line before it.",
      })
    this.startMessage("user")
    return this.#place(source)
  }

  #dropEmptyMessage(): void {
    const last = this.#messages.at(-1)
    if (last && last.pieces.length === 0 && !last.calls) this.#messages.pop()
  }
}

/** True for pieces that print and tell the same. */
export function samePiece(a: Piece | undefined, b: Piece | undefined): boolean {
  if (a === b) return true
  const isAlike = a?.text === b?.text && a?.key === b?.key && a?.part === b?.part && a?.trust === b?.trust
  if (!isAlike || a?.stability !== b?.stability || a?.source !== b?.source || a?.parts !== b?.parts) return false
  return a?.inner === b?.inner || samePieces(a?.inner, b?.inner)
}

/** True for lists of {@link samePiece|equal pieces}. */
function samePieces(a: readonly Piece[] = [], b: readonly Piece[] = []): boolean {
  return a.length === b.length && a.every((piece, at) => samePiece(piece, b[at]))
}
