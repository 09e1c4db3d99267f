import type { McpServerSettings } from "../profile/profile.ts"

/** True for tools that the settings let through: allowed, or no list of allowed ones, and not denied. */
export function toolFilter({ allow, deny = [] }: Pick<McpServerSettings, "allow" | "deny">): (tool: string) => boolean {
  return (tool) =>
    (allow === undefined || allow.some((pattern) => matches(pattern, tool))) && !deny.some((pattern) => matches(pattern, tool))
}

/** `*` stands for any characters; the pieces between are looked for in order, so that no pattern can take long. */
function matches(pattern: string, name: string): boolean {
  const pieces = pattern.split("*")
  const [head = "", ...rest] = pieces
  const tail = rest.pop()
  if (tail === undefined) return name === pattern
  if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false
  let at = head.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= name.length - tail.length
}
