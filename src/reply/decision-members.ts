import type { Decision } from "./decision.ts"
import { isDecisionMember, type MemberValue, namesCall, readAction } from "./interpret-decision.ts"
import type { JsonSink } from "./json/json-grammar.ts"
import { JsonBuilder } from "./json/json-value.ts"
import { MessageGate, MessageTail } from "./message-gate.ts"

/** A member's name that only a decision has. It may have swallowed what follows it, for lack of a quote. */
const decisionName = /^\s*(?:action|tool|args)\b/

/**
 * Collects a decision's own members while its object streams by (T23). Of equal names the first counts. Nested objects
 * stay values. The message goes to the gate, which opens when `streams` is set and the action turns out to be `finish`.
 */
export class DecisionMembers implements JsonSink {
  readonly values = new Map<string, MemberValue>()
  readonly gate: MessageGate
  readonly #streams: boolean
  readonly #isTolerant: boolean
  readonly #builder = new JsonBuilder()
  #depth = 0
  #current: string | undefined
  /** True once the name `action` was read, whatever its value. */
  actionSeen = false
  /** True once a name that only a decision has was read, at any depth. */
  mentionsDecision = false
  /** True when a member that no decision has came after the call's own members: it may have been an argument. */
  strayMember = false
  /** True when a value had to be understood rather than read. */
  understood = false

  /** With `isTolerant` the end of a message that is shown is doubted, since it cannot be read again. */
  constructor(options: { readonly streams: boolean; readonly isTolerant: boolean }, emit: (delta: string) => void) {
    this.#streams = options.streams
    this.#isTolerant = options.isTolerant
    this.gate = new MessageGate(emit, options.isTolerant ? new MessageTail() : undefined)
  }

  /** True where the message ended although its string goes on. */
  get ended(): boolean {
    return this.gate.ended
  }

  /** The action, once its value was read. */
  get action(): "tool" | "finish" | "unknown" {
    return readAction(this.values.get("action")).name
  }

  /** The finish whose object was cut off or broken: the message as far as it came, `truncated` unless it was whole. */
  unfinishedFinish(): Decision {
    const message = this.gate.text
    const note = this.values.get("note")
    return {
      action: "finish",
      ...(message.trim() === "" ? {} : { message }),
      ...(typeof note === "string" && note.trim() !== "" ? { note } : {}),
      status: this.values.has("message") ? "repaired" : "truncated",
    }
  }

  open(kind: "object" | "array"): void {
    this.#depth++
    if (this.#depth > 1 && this.#current !== undefined) this.#builder.open(kind)
  }

  close(): void {
    this.#depth--
    if (this.#depth === 0 || this.#current === undefined) return
    this.#builder.close()
    if (this.#depth === 1) this.#settle(this.#builder.take())
  }

  key(name: string): void {
    if (decisionName.test(name)) this.mentionsDecision = true
    if (this.#depth > 1) {
      if (this.#current !== undefined) this.#builder.key(name)
      return
    }
    this.#current = isDecisionMember(name) && !this.values.has(name) ? name : undefined
    if (name === "action") this.actionSeen = true
    if (!isDecisionMember(name) && namesCall(this.values)) this.strayMember = true
  }

  text(part: string, isEscape: boolean): void {
    if (this.#current === undefined) return
    if (this.#isInMessage) this.gate.put(part, isEscape)
    else this.#builder.text(part)
  }

  mayGoOn(): boolean {
    if (!this.#isTolerant || !this.#isInMessage) return false
    this.gate.pause()
    return this.gate.shown
  }

  goesOn(): void {
    this.gate.reopen()
  }

  textEnd(): void {
    if (this.#current === undefined) return
    if (this.#isInMessage) {
      this.gate.close()
      this.#settle(this.gate.text)
      return
    }
    this.#builder.textEnd()
    if (this.#depth === 1) this.#settle(this.#builder.take())
  }

  scalar(raw: string): void {
    if (this.#current === undefined) return
    this.#builder.scalar(raw)
    if (this.#depth > 1) return
    const value = this.#builder.take()
    const isNumber = this.#current === "message" && typeof value === "number"
    if (isNumber) this.understood = true
    this.#settle(isNumber ? raw : value)
  }

  get #isInMessage(): boolean {
    return this.#current === "message" && this.#depth === 1
  }

  /** The current member's value is whole. */
  #settle(value: MemberValue | undefined): void {
    const name = this.#current
    if (name === undefined || value === undefined) return
    this.#current = undefined
    this.values.set(name, value)
    if (name === "action" && this.#streams && this.action === "finish") this.gate.open()
  }
}
