import { PromptStrataError } from "../core/errors.ts"
import type { MessageRole } from "../core/message.ts"
import { leastStable, type Scope, type Stability } from "../core/scope.ts"
import type { Source } from "../core/source.ts"
import type { Injection } from "../core/value.ts"
import type { Draft, MessageCalls, Piece } from "./draft.ts"

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

/** Records what is printed as pieces of messages, each with its origin. One recorder makes one draft. */
export class DraftRecorder {
  readonly #roles: MessageRole[] = []
  readonly #pieces: Piece[] = []
  readonly #calls = new Map<number, MessageCalls>()
  readonly #printed = new Set<string>()
  #origin = ownFrame
  #open = false

  /** The role of the last message. */
  get role(): MessageRole | undefined {
    return this.#roles.at(-1)
  }

  /** Records what `print` prints as coming from `origin`, or from something that changes more often around it. */
  from<Result>(origin: Origin, print: () => Result): Result {
    const around = this.#origin
    this.#origin = { ...origin, stability: leastStable(origin.stability, around.stability) }
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
    if (!this.#open) this.#openImplicitly(source)
    const { key, stability, placeholder } = this.#origin
    if (key !== "" && placeholder !== true) this.#printed.add(key)
    const message = this.#roles.length - 1
    this.#pieces.push({ text, message, key, part, trust, stability, ...(source ? { source } : {}) })
  }

  /** A message in which nothing is printed leaves no trace, unless it makes or answers a native call. */
  startMessage(role: MessageRole, calls?: MessageCalls): void {
    this.#dropEmptyMessage()
    this.#roles.push(role)
    if (calls) this.#calls.set(this.#roles.length - 1, calls)
    this.#open = true
  }

  /** What is printed next needs a message of its own. */
  endMessage(): void {
    this.#open = false
  }

  /** What is printed next still belongs to the last message. */
  continueMessage(): void {
    this.#open = this.#roles.length > 0
  }

  draft(): Draft {
    this.#dropEmptyMessage()
    return { roles: this.#roles, calls: this.#calls, pieces: this.#pieces, printed: this.#printed }
  }

  /** A prompt that names no role is one message of the user. */
  #openImplicitly(source: Source | undefined): void {
    if (this.#roles.length > 0) throw outsideMessage(source)
    this.startMessage("user")
  }

  #dropEmptyMessage(): void {
    const last = this.#roles.length - 1
    if (last >= 0 && this.#pieces.at(-1)?.message !== last && !this.#calls.has(last)) this.#roles.pop()
  }
}

function outsideMessage(source: Source | undefined): PromptStrataError {
  return new PromptStrataError("prompt", "text stands outside a message.", {
    ...(source ? { source } : {}),
    hint: "Put ${role(user)} or ${role(system)} on a line before it.",
  })
}
