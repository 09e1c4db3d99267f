import type { TokenCounter } from "../core/ports.ts"
import type { Assembly } from "../core/span.ts"
import type { Injection } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { sameInjections } from "./same-injections.ts"
import { standIns } from "./stand-ins.ts"

/** What an assembly is made from, beside the injections. */
export interface MemoKey {
  readonly counter: TokenCounter
  readonly dialect: Dialect
  /** Everything else, as JSON. */
  readonly options: string
}

interface Remembered {
  readonly counter: TokenCounter
  readonly options: string
  readonly given: readonly Injection[]
  readonly assembly: Assembly
}

/** So many requests of a dialect are remembered, the last ones asked for. */
const limit = 4

const remembered = new WeakMap<Dialect, Remembered[]>()

/**
 * The same assembly for the same input, else the one that `make` makes of what stands for the input ({@link standIns}). Inputs
 * are compared by value, so that a turn that makes its injections anew finds it too. Injections are readonly data: one that is
 * changed in place, deeper than its list, is not seen to have changed.
 */
export function assembledBefore(
  given: readonly Injection[],
  { counter, dialect, options }: MemoKey,
  make: (injections: readonly Injection[]) => Assembly,
): Assembly {
  const list = remembered.get(dialect) ?? []
  remembered.set(dialect, list)
  const standing = standIns(given, list[0]?.given ?? [])
  const at = list.findIndex(
    (entry) => entry.counter === counter && entry.options === options && sameInjections(entry.given, standing),
  )
  const [known] = at < 0 ? [] : list.splice(at, 1)
  const entry = known ?? { counter, options, given: standing, assembly: make(standing) }
  list.unshift(entry)
  if (list.length > limit) list.pop()
  return entry.assembly
}
