/** A container that is being read. */
interface Container {
  readonly isObject: boolean
  /** Braces too many with which it began, and with which it has to end. */
  extra: number
  members: number
  /** See {@link LooseContainers.openTail}. */
  openTail: number
}

/**
 * The containers that are open while loose JSON is read. They know whether a brace that is missing at an end could as
 * well be missing further in.
 */
export class LooseContainers {
  readonly #open: Container[] = []

  get depth(): number {
    return this.#open.length
  }

  get inside(): "object" | "array" {
    return this.#open.at(-1)?.isObject === false ? "array" : "object"
  }

  /** What holds the innermost container. */
  get around(): "object" | "array" | "nothing" {
    const outer = this.#open.at(-2)
    return outer === undefined ? "nothing" : outer.isObject ? "object" : "array"
  }

  /** True while the innermost container holds nothing. */
  get isEmpty(): boolean {
    return this.#open.at(-1)?.members === 0
  }

  /** Braces with which the innermost container still has to end, after the first. */
  get extra(): number {
    return this.#open.at(-1)?.extra ?? 0
  }

  /**
   * The greatest depth of an object, directly in an object, that ends where the innermost container's members so far end
   * and has several members: were the brace missing before one of its commas, the text would be the same. 0 for none.
   */
  get openTail(): number {
    return this.#open.at(-1)?.openTail ?? 0
  }

  push(isObject: boolean): void {
    this.#open.push({ isObject, extra: 0, members: 0, openTail: 0 })
  }

  /** The innermost container began with a brace too many. */
  double(): void {
    const container = this.#open.at(-1)
    if (container) container.extra++
  }

  /** The innermost container got a value. */
  add(): void {
    const container = this.#open.at(-1)
    if (container === undefined) return
    container.members++
    container.openTail = 0
  }

  pop(): void {
    const isInObject = this.around === "object"
    const depth = this.depth
    const closed = this.#open.pop()
    this.add()
    const container = this.#open.at(-1)
    if (closed === undefined || container === undefined) return
    const own = closed.isObject && isInObject && closed.members > 1 ? depth : 0
    container.openTail = Math.max(closed.openTail, own)
  }
}
