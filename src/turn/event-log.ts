/** An append-only list that any number of readers follow, each from its beginning, now or later. */
export class EventLog<Event> {
  readonly #events: Event[] = []
  #closed = false
  #waiting: (() => void)[] = []

  append(event: Event): void {
    this.#events.push(event)
    this.#wake()
  }

  /** No more will come: readers end after what there is. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  async *read(): AsyncGenerator<Event, void, undefined> {
    for (let at = 0; ; at++) {
      while (at >= this.#events.length) {
        if (this.#closed) return
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
      yield this.#events[at] as Event
    }
  }

  #wake(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    for (const resume of waiting) resume()
  }
}
