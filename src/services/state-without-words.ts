/** What stays of a group's state when one of its speakers is forgotten: switches and counts, for they are nobody's words. */
export function stateWithoutWords(state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept = Object.entries(state).filter(([, value]) => typeof value === "boolean" || typeof value === "number")
  return Object.freeze(Object.fromEntries(kept))
}
