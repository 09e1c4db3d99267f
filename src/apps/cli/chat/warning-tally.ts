import { english, type Translate } from "../words/translate.ts"

/** Tells each kind of warning once and counts its repetitions, so that they do not bury a conversation. */
export interface WarningTally {
  /** The warning, if it is the first of its kind. */
  first(message: string): readonly string[]
  /** How often each kind came again, with its first message. */
  repeated(): readonly { readonly message: string; readonly times: number }[]
}

/** Creates a tally. Messages are of one kind if they differ only in numbers, ids and details: what follows a comma or a bracket. */
export function createWarningTally(translate: Translate = english): WarningTally {
  const kinds = new Map<string, { readonly message: string; times: number }>()
  return {
    first(message) {
      const kind = (/^[^,(]*/.exec(message)?.[0] ?? "").replace(/"[^"]*"|\d+/g, "…")
      const known = kinds.get(kind)
      if (known === undefined) kinds.set(kind, { message: translate(message), times: 0 })
      else known.times++
      return known === undefined ? [translate(message)] : []
    },
    repeated: () => [...kinds.values()].filter(({ times }) => times > 0),
  }
}
