import { PromptStrataError } from "../../core/errors.ts"
import type { MessageRole } from "../../core/message.ts"
import type { Source } from "../../core/source.ts"
import { type Injection, leastStable, type Scope, type Stability } from "../../core/value.ts"
import type { Draft, DraftMessage, MessageCalls, Piece } from "./draft.ts"

/** Whose text is being printed. */
export interface Origin {
  readonly key: string
  readonly stability: Stability
  /** True for a placeholder: it prints in place of its injection. */
  readonly placeholder?: boolean
}

/** The prompt file's own text. */
const ownFrame: Origin = { key: "", stability: "global" }

const stabilityOfScope: Record<Scope, Stability> = { global: "global", session: "session", turn: "turn" }

/** The origin of what an injection prints. History only grows, whatever its scope. */
export function originOf({ key, scope }: Injection): Origin {
  return { key, stability: key === "history" ? "conversation" : stabilityOfScope[scope] }
}

/** A message while it is being printed. */
interface OpenMessage {
  readonly role: MessageRole
  readonly calls?: MessageCalls
  readonly pieces: Piece[]
}

/** Records what is printed as pieces of messages, each with its origin. One recorder makes one draft. */
export class DraftRecorder {
  readonly #messages: DraftMessage[] = []
  readonly #printed = new Set<string>()
  /** The piece put last, or one that stood here before: where the next one would be like it, it is put again. */
  again: Piece | undefined
  #lastKey = ""
  #origin: Origin
  #open: OpenMessage | undefined
  /** The last message, where it was opened here. */
  #last: OpenMessage | undefined

  constructor(origin: Origin = ownFrame) {
    this.#origin = origin
  }

  /** Whose text is being printed now. */
  get origin(): Origin {
    return this.#origin
  }

  /** The role of the last message. */
  get role(): MessageRole | undefined {
    return this.#messages.at(-1)?.role
  }

  /** True while nothing was recorded. */
  get isEmpty(): boolean {
    for (const { pieces } of this.#messages) if (pieces.length > 0) return false
    return true
  }

  /** Records what `print` prints as coming from `origin`, or from something that changes more often around it. */
  from<Result>(origin: Origin, print: () => Result): Result {
    const around = this.#origin
    const stability = leastStable(origin.stability, around.stability)
    this.#origin = stability === origin.stability ? origin : { ...origin, stability }
    try {
      return print()
    } finally {
      this.#origin = around
    }
  }

  /** Records what `print` prints as standing there only because of something that changes this often. */
  dependingOn<Result>(stability: Stability, print: () => Result): Result {
    return this.from({ ...this.#origin, stability }, print)
  }

  put({ text, part, trust, source }: Pick<Piece, "text" | "part" | "trust" | "source">): void {
    if (text === "") return
    const { key, stability } = this.#origin
    const { pieces } = this.#place(source)
    const { again } = this
    const isAlike = again?.text === text && again.source === source && again.part === part && again.trust === trust
    this.again = isAlike && again.key === key && again.stability === stability ? again : undefined
    this.again ??= source
      ? { text, key, part, trust, stability, source, known: undefined, hash: undefined }
      : { text, key, part, trust, stability, known: undefined, hash: undefined }
    pieces.push(this.again)
    this.#mark()
  }

  /** Puts pieces that were recorded under this origin before, from number `from` on. */
  putAgain(pieces: readonly Piece[], from: number): void {
    const first = pieces[from]
    if (!first) return
    const { pieces: into } = this.#place(first.source)
    for (let index = from; index < pieces.length; index++) into.push(pieces[index] ?? first)
    this.#mark()
  }

  /** How many pieces the last message has. */
  get count(): number {
    return this.#messages.at(-1)?.pieces.length ?? 0
  }

  /** The pieces of the last message from number `from` on. */
  piecesFrom(from: number): readonly Piece[] {
    return this.#messages.at(-1)?.pieces.slice(from) ?? []
  }

  /** Puts pieces that some injections printed before, each under its own origin, from number `from` up to number `to`. */
  putPrinted(pieces: readonly Piece[], from: number, to: number): void {
    const first = pieces[from]
    if (!first || from >= to) return
    const { pieces: into } = this.#place(first.source)
    for (let index = from; index < to; index++) into.push(pieces[index] ?? first)
  }

  /** Notes that an injection printed something that was put by {@link putPrinted}. */
  markPrinted(key: string): void {
    this.#printed.add(key)
  }

  /** A message in which nothing is printed leaves no trace, unless it makes or answers a native call. */
  startMessage(role: MessageRole, calls?: MessageCalls): void {
    this.#dropEmptyMessage()
    this.#open = { role, pieces: [], ...(calls ? { calls } : {}) }
    this.#last = this.#open
    this.#messages.push(this.#open)
  }

  /** Adds a message that was recorded under this origin before, and in which something is printed. */
  addMessage(message: DraftMessage): void {
    this.#dropEmptyMessage()
    this.#open = undefined
    this.#last = undefined
    this.#messages.push(message)
    this.#mark()
  }

  /** What is printed next needs a message of its own. */
  endMessage(): void {
    this.#open = undefined
  }

  /** What is printed next still belongs to the last message. */
  continueMessage(): void {
    this.#open = this.#last
  }

  draft(): Draft {
    this.#dropEmptyMessage()
    return { messages: this.#messages, printed: this.#printed }
  }

  #mark(): void {
    const { key, placeholder } = this.#origin
    if (key === this.#lastKey || key === "" || placeholder === true) return
    this.#lastKey = key
    this.#printed.add(key)
  }

  /** A prompt that names no role is one message of the user. */
  #place(source: Source | undefined): OpenMessage {
    if (this.#open) return this.#open
    if (this.#messages.length > 0) throw outsideMessage(source)
    this.startMessage("user")
    return this.#place(source)
  }

  #dropEmptyMessage(): void {
    const last = this.#messages.at(-1)
    if (last && last.pieces.length === 0 && !last.calls) this.#messages.pop()
  }
}

function outsideMessage(source: Source | undefined): PromptStrataError {
  return new PromptStrataError("prompt", "expected all text inside a message, found some outside.", {
    source,
    hint: "Put ${role(user)} or ${role(system)} on a line before it.",
  })
}
