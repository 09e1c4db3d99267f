import { type MemberValue, readAction } from "./interpret-decision.ts"
import type { JsonSink } from "./json-scanner.ts"
import { JsonBuilder } from "./json-value.ts"
import { MessageGate } from "./message-gate.ts"

/** The members a decision can have; all others are read past. */
const known = new Set(["action", "message", "note", "tool", "name", "args", "arguments", "parameters", "input"])

/**
 * Collects a decision's own members while its object streams by (T23): of equal names the first counts, what is nested
 * stays nested, and the message goes to the gate, which opens when `streams` and the action turns out to be `finish`.
 */
export class DecisionMembers implements JsonSink {
  readonly values = new Map<string, MemberValue>()
  readonly gate: MessageGate
  readonly #streams: boolean
  readonly #builder = new JsonBuilder()
  #depth = 0
  #current: string | undefined
  #actionSeen = false
  #understood = false

  constructor(streams: boolean, emit: (delta: string) => void) {
    this.#streams = streams
    this.gate = new MessageGate(emit)
  }

  /** True once the name `action` was read, whatever its value. */
  get actionSeen(): boolean {
    return this.#actionSeen
  }

  /** What the action says, once its value was read. */
  get action(): "tool" | "finish" | "unknown" {
    return readAction(this.values.get("action")).name
  }

  /** True when a value had to be understood rather than read. */
  get understood(): boolean {
    return this.#understood
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
    if (this.#depth > 1) {
      if (this.#current !== undefined) this.#builder.key(name)
      return
    }
    this.#current = known.has(name) && !this.values.has(name) ? name : undefined
    if (name === "action") this.#actionSeen = true
  }

  text(part: string): void {
    if (this.#current === undefined) return
    if (this.#current !== "message" || this.#depth > 1) this.#builder.text(part)
    else this.gate.put(part)
  }

  textEnd(): void {
    if (this.#current === undefined) return
    const isMessage = this.#current === "message" && this.#depth === 1
    if (!isMessage) this.#builder.textEnd()
    if (this.#depth === 1) this.#settle(isMessage ? this.gate.text : this.#builder.take())
  }

  scalar(raw: string): void {
    if (this.#current === undefined) return
    this.#builder.scalar(raw)
    if (this.#depth > 1) return
    const value = this.#builder.take()
    const isNumber = this.#current === "message" && typeof value === "number"
    if (isNumber) this.#understood = true
    this.#settle(isNumber ? raw : value)
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
