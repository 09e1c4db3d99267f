import { defined } from "../core/value.ts"
import type { Decision } from "./decision.ts"
import { addPiece } from "./incoming-text.ts"
import { callBeside, decisionMembers, type MemberValue, namesCall, readAction } from "./interpret-decision.ts"
import type { JsonSink } from "./json/json-grammar.ts"
import { JsonBuilder } from "./json/json-value.ts"
import { MessageTail, mayEnd } from "./message-tail.ts"

/** A member's name that only a decision has. It may have swallowed what follows it, for lack of a quote. */
const decisionName = /^\s*(?:action|tool|args)\b/

/**
 * Collects a decision's own members while its object streams by (T23). Of equal names the first counts. Nested objects
 * stay values. With `streams` the characters of the message of a `finish` are passed on as soon as they may be shown: when the
 * action is known and a visible character has come, since a blank message is none (T14, T23).
 */
export class DecisionMembers implements JsonSink {
  readonly values = new Map<string, MemberValue>()
  /** A member's name that stood twice. */
  repeated: string | undefined
  readonly #to: { message: string }
  readonly #streams: boolean
  readonly #isTolerant: boolean
  /** Builds the values of all members but the message. */
  readonly #builder = new JsonBuilder()
  #depth = 0
  #current: string | undefined
  /** The pieces of the message so far, without the characters that are held back. What is shown is always a beginning of it. */
  readonly #message: string[] = []
  /** Holds characters back that may be the end of the object. Made for the first of them. */
  #tail: MessageTail | undefined
  /** True once the action is known, and its message streams. */
  #mayShow = false
  /** True once a visible character of the message has come. */
  #isVisible = false
  /** True once a character of the message was passed on. It cannot be taken back (T21). */
  shown = false
  /** True where the message ended although its string goes on. */
  ended = false
  /** True once the name `action` was read, whatever its value. */
  actionSeen = false
  /** True once a name that only a decision has was read, at any depth. */
  mentionsDecision = false
  /** True when a member that no decision has came after the call's own members: it may have been an argument. */
  strayMember = false
  /** True when a value had to be understood rather than read. */
  understood = false

  /** With `isTolerant` the end of a message that is shown is doubted, since it cannot be read again. */
  constructor(options: { readonly streams: boolean; readonly isTolerant: boolean }, to: { message: string }) {
    this.#streams = options.streams
    this.#isTolerant = options.isTolerant
    this.#to = to
  }

  /** The finish whose object was cut off or broken: the message as far as it came, `truncated` unless it was whole. */
  unfinishedFinish(): Decision {
    const message = this.#message.join("")
    const note = this.values.get("note")
    return defined({
      action: "finish",
      message: message.trim() === "" ? undefined : message,
      note: typeof note === "string" && note.trim() !== "" ? note : undefined,
      ignored: callBeside(this.values),
      status: this.values.has("message") ? "repaired" : "truncated",
    })
  }

  open(kind: "object" | "array"): void {
    this.#depth++
    if (this.#depth === 1 || this.#current === undefined) return
    this.#builder.open(kind)
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
    const isMember = decisionMembers.has(name)
    this.#current = isMember && !this.values.has(name) ? name : undefined
    if (isMember && this.#current === undefined) this.repeated ??= name
    if (name === "action") this.actionSeen = true
    if (!isMember && namesCall(this.values)) this.strayMember = true
  }

  text(part: string, isEscape: boolean): void {
    if (this.#current === undefined) return
    if (this.#depth > 1 || this.#current !== "message") {
      this.#builder.text(part)
      return
    }
    if (this.#tail === undefined && this.#isTolerant && this.#mayShow && (isEscape || mayEnd.test(part)))
      this.#tail = new MessageTail()
    this.#show(this.#tail ? this.#tail.push(part, isEscape) : part)
    this.ended = this.#tail?.ended === true
  }

  mayGoOn(): boolean {
    if (!this.#isTolerant || this.#current !== "message" || this.#depth > 1) return false
    if (this.#tail) this.#show(this.#tail.pause())
    return this.shown
  }

  goesOn(): void {
    this.#tail?.reopen()
    this.ended = this.#tail?.ended === true
  }

  textEnd(): void {
    if (this.#current === undefined) return
    if (this.#depth > 1 || this.#current !== "message") {
      this.#builder.textEnd()
      if (this.#depth === 1) this.#settle(this.#builder.take())
    } else {
      if (this.#tail) this.#show(this.#tail.release())
      this.#settle(this.#message.join(""))
    }
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

  /** The current member's value is whole. */
  #settle(value: MemberValue | undefined): void {
    const name = this.#current
    if (name === undefined || value === undefined) return
    this.#current = undefined
    this.values.set(name, value)
    if (name === "action" && this.#streams && readAction(value).name === "finish") {
      this.#mayShow = true
      this.#show("")
    }
  }

  /** Takes a piece that belongs to the message, and passes it on if it may be shown. */
  #show(part: string): void {
    addPiece(this.#message, part)
    this.#isVisible ||= part.trim() !== ""
    if (!this.#mayShow || !this.#isVisible) return
    this.#to.message += this.shown ? part : this.#message.join("")
    this.shown = true
  }
}
