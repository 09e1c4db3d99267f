import { messageOf } from "../core/errors.ts"
import type { Skill } from "../layers/skills.ts"
import { deadline } from "./deadline.ts"
import { getPrompt, listOf, type McpText, readResource } from "./listings.ts"
import { skillFrom } from "./offered-text.ts"
import type { Shelf } from "./shelf.ts"
import { shown } from "./shown.ts"
import type { Surroundings } from "./surroundings.ts"

/** For reading a resource or a prompt, or the lists of them. */
const readTimeoutMs = 30_000

/** What all servers offer of a kind. A server that cannot say is a warning. */
export async function listAll<T>(
  shelves: readonly Shelf[],
  kind: "resources" | "prompts",
  { read, signal }: { readonly read: (server: string, raw: unknown) => T[]; readonly signal: AbortSignal },
): Promise<readonly T[]> {
  const lists = shelves.map(async ({ server }) => {
    try {
      return (await listOf(server, kind, signal)).flatMap((raw) => read(server.name, raw))
    } catch (error) {
      server.warn("skills", `Its ${kind} could not be read: ${shown(messageOf(error))}.`)
      return []
    }
  })
  return (await Promise.all(lists)).flat()
}

/** What the servers' settings name as skills; what cannot be read is a warning. */
export async function readSkills(shelves: readonly Shelf[], surroundings: Surroundings): Promise<readonly Skill[]> {
  const { words } = surroundings
  const reads = shelves.flatMap(({ server }) =>
    (server.settings.skills ?? []).map(async (name): Promise<McpText[]> => {
      if (server.link.current === undefined) return []
      try {
        const read = await withLimit(surroundings, (signal) =>
          isUri(name) ? readResource(server, name, { words, signal }) : getPrompt(server, { name, args: {} }, { words, signal }),
        )
        return [read]
      } catch (error) {
        server.warn("skills", `${shown(name)} could not be read: ${shown(messageOf(error))}.`)
        return []
      }
    }),
  )
  return (await Promise.all(reads)).flat().map(skillFrom)
}

function isUri(name: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(name)
}

/** What `read` settles as, within the time for it. */
export async function withLimit<T>({ ports }: Surroundings, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = deadline(readTimeoutMs, "no answer came", { timers: ports.timers, other: new AbortController().signal })
  try {
    return await read(limit.signal)
  } finally {
    limit.clear()
  }
}
