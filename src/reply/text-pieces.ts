/** How many pieces stand apart: joined in blocks, a long text costs no more to keep than its characters. */
const blockPieces = 1_024

/** A text that grows by pieces and is joined when it is asked for: adding to it never copies what is there. */
export class TextPieces {
  #blocks: string[] = []
  #pieces: string[] = []
  #length = 0

  /** In UTF-16 units. */
  get length(): number {
    return this.#length
  }

  add(piece: string): void {
    if (piece === "") return
    this.#length += piece.length
    this.#pieces.push(piece)
    if (this.#pieces.length < blockPieces) return
    this.#blocks.push(this.#pieces.join(""))
    this.#pieces = []
  }

  join(): string {
    return this.#blocks.join("") + this.#pieces.join("")
  }

  /** Empties it and hands back what it was. */
  take(): string {
    const text = this.join()
    this.#blocks = []
    this.#pieces = []
    this.#length = 0
    return text
  }
}
