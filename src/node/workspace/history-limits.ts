/** How much of the history is kept: the oldest go first; unless `maxEntries` is 0 the newest always stays. */
export interface HistoryLimits {
  readonly maxEntries: number
  readonly maxBytes: number
}
