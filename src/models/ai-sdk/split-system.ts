/** Messages parted after the system messages that they begin with. */
export function splitSystem<M extends { role: string }>(messages: readonly M[]): { system: M[]; rest: M[] } {
  const first = messages.findIndex(({ role }) => role !== "system")
  const at = first === -1 ? messages.length : first
  return { system: messages.slice(0, at), rest: messages.slice(at) }
}
