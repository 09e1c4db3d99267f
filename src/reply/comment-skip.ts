import { isBlank } from "./loose-syntax.ts"

type Stage = "none" | "slash" | "hash" | "line" | "block" | "star" | "end"

/** Skips comments, character by character: `//`, or `#` and a space, to the end of the line, and `/*` to its end. */
export class CommentSkip {
  #stage: Stage = "none"

  /** True for a character of a comment. A slash or a hash is taken for the beginning of one; what follows it tells. */
  skips(character: string): boolean {
    this.#stage = this.#next(character)
    return this.#stage !== "none"
  }

  #next(character: string): Stage {
    switch (this.#stage) {
      case "slash":
        return character === "/" ? "line" : character === "*" ? "block" : "none"
      case "hash":
        return isBlank(character) ? endOfLine(character) : "none"
      case "line":
        return endOfLine(character)
      case "block":
        return character === "*" ? "star" : "block"
      case "star":
        return character === "/" ? "end" : character === "*" ? "star" : "block"
      default:
        return character === "/" ? "slash" : character === "#" ? "hash" : "none"
    }
  }
}

function endOfLine(character: string): Stage {
  return character === "\n" ? "end" : "line"
}
