import type { CutSize } from "../../core/span.ts"
import type { Injection } from "../../core/value.ts"
import type { NoticeText } from "../cut/notice.ts"

/** The words that stand where something was cut; from the dialect's prompt files. Texts are counted in code points. */
export interface Notices {
  truncated(counts: { readonly kept: number; readonly total: number }): NoticeText
  /** `byScore` where not the oldest ones went. */
  entriesDropped(counts: { readonly dropped: number; readonly total: number; readonly byScore: boolean }): NoticeText
}

/** An injection after a cut, and the cut as later steps of the turn repeat it. */
export interface Shrunk {
  readonly injection: Injection
  readonly cut: CutSize
}
