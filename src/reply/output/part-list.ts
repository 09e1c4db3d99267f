import type { OutputPart } from "./output-part.ts"

/** Parts in order; neighbouring texts become one, empty ones none. */
export class PartList {
  #parts: OutputPart[] = []

  add(part: OutputPart): void {
    if (part.type !== "text") this.#parts.push(part)
    else this.say(part.delta)
  }

  say(delta: string): void {
    if (delta === "") return
    const last = this.#parts.at(-1)
    if (last?.type === "text") this.#parts[this.#parts.length - 1] = { type: "text", delta: last.delta + delta }
    else this.#parts.push({ type: "text", delta })
  }

  /** Empties it and hands back what it held. */
  take(): OutputPart[] {
    const taken = this.#parts
    this.#parts = []
    return taken
  }
}

/** The parts with neighbouring texts joined: what two cuttings of one answer have in common. */
export function joinTexts(parts: readonly OutputPart[]): OutputPart[] {
  const list = new PartList()
  for (const part of parts) list.add(part)
  return list.take()
}
