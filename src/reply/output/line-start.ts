import { isLineBreak } from "../../encode/line-breaks.ts"
import { isWordUnit, bubbleMark as mark } from "./bubble-mark.ts"

/** Knows, UTF-16 unit by unit, where a line begins and where a bubble does: after a line break, after `@br`. */
export class LineStart {
  #isAfterWord = false
  #marked = 0

  /** Takes the next unit; hands back what may begin after it. */
  accept(unit: number): "line" | "bubble" | undefined {
    const isFirst = unit === mark.charCodeAt(0)
    if (isFirst) this.#marked = this.#isAfterWord ? 0 : 1
    else this.#marked = this.#marked > 0 && unit === mark.charCodeAt(this.#marked) ? this.#marked + 1 : 0
    const isMark = this.#marked === mark.length
    if (isMark) this.#marked = 0
    this.#isAfterWord = !isMark && isWordUnit(unit)
    if (isMark) return "bubble"
    return isLineBreak(unit) ? "line" : undefined
  }
}
