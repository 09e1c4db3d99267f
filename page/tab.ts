import type { ComponentType } from "preact"
import type { RecordedRequest, TurnRecord } from "../src/apps/server/inspector/turn-record.ts"
import type { Info } from "./data.ts"
import type { Words } from "./words.ts"

/** Everything that a tab may show of a turn. */
export interface TabProps {
  readonly record: TurnRecord
  /** The chosen one of the turn's requests; undefined before its first one. */
  readonly request: RecordedRequest | undefined
  readonly info: Info
  readonly words: Words
  /** False in a file that was exported: there is nobody to ask. */
  readonly isServed: boolean
  /** Grows with whatever happens to any turn: a tab that shows more than its turn asks again then. */
  readonly news: number
  readonly onReload: () => void
  /** Opens a file of the profile to edit it; undefined if that cannot be done. */
  readonly onEdit: ((file: string, line: number | undefined) => void) | undefined
}

/** A tab beside a turn. To add one, list it in `tabs/all-tabs.ts`. */
export interface Tab {
  readonly id: string
  readonly name: (words: Words) => string
  /** Absent: the tab is there always. */
  readonly isShown?: (props: TabProps) => boolean
  /** It shows one request of the turn, so a list to choose it stands beside the tabs. */
  readonly ofRequest?: boolean
  /** It is made anew for each turn, and with `ofRequest` for each request. */
  readonly View: ComponentType<TabProps>
}
