import type { Entry, Text } from "../core/value.ts"
import type { Tool } from "../tools/tool.ts"

/** What is known of groups' rules of use (R28). */
export interface GroupRules {
  /** The profile's own, by group. */
  readonly own: Readonly<Record<string, Text>>
  /** Groups of which the dialect's file has a sentence. */
  readonly shipped: ReadonlySet<string>
}

/** An entry for each group of the tools at hand that has rules of use, in the order of the tools (R28). */
export function toolGroupEntries(tools: readonly Tool[], { own, shipped }: GroupRules): Entry[] {
  const groups = new Set(tools.flatMap(({ group }) => (group === undefined ? [] : [group])))
  return [...groups]
    .filter((group) => shipped.has(group) || Object.hasOwn(own, group))
    .map((group) => {
      const rules = Object.hasOwn(own, group) ? own[group] : undefined
      return { [group]: true, ...(rules === undefined ? {} : { rules }) }
    })
}
