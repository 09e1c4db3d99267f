import { listOf, recordOf } from "../../core/json-access.ts"
import { type LoreState, loreState } from "../lorebook/timed.ts"
import { type CharacterTrait, cleanLine, faultOf, traitLimits } from "./character-sheet.ts"

/** The most speakers of one conversation whose relationship is kept. Beyond that, the one that changed longest ago is forgotten. */
const maxSpeakers = 200

/** The most turns of a conversation whose changes can be taken back. */
const maxUndone = 50

/** The changes that a model made in a session, and since when entries of the world book are in. Plain JSON. */
export interface CharacterMemory {
  /** The memory before each of the last turns that changed it, oldest first. */
  readonly before?: readonly { readonly turnId: string; readonly memory: unknown }[]
  readonly state: readonly CharacterTrait[]
  /** By the speaker's id. The one that changed last stands last. */
  readonly relationships: readonly { readonly speaker: string; readonly traits: readonly CharacterTrait[] }[]
  readonly worldBook: LoreState
}

/** Reads the changes that a session kept. Parts that are missing or malformed count as unchanged. */
export function characterMemory(kept: unknown): CharacterMemory {
  const { state, relationships, before, worldBook } = recordOf(kept)
  const turns = listOf(before).flatMap((item) => {
    const { turnId, memory } = recordOf(item)
    return typeof turnId === "string" ? [{ turnId, memory }] : []
  })
  return {
    ...(turns.length > 0 ? { before: turns } : {}),
    worldBook: loreState(worldBook),
    state: traitsOf(state),
    relationships: listOf(relationships).flatMap((item) => {
      const { speaker, traits } = recordOf(item)
      return typeof speaker === "string" ? [{ speaker, traits: traitsOf(traits) }] : []
    }),
  }
}

/** The changes in the relationship with one speaker. */
export function relationshipWith({ relationships }: CharacterMemory, speaker: string): readonly CharacterTrait[] {
  return relationships.find((known) => known.speaker === speaker)?.traits ?? []
}

/** The memory with other changes in the relationship with one speaker. */
export function withRelationship(memory: CharacterMemory, speaker: string, traits: readonly CharacterTrait[]): CharacterMemory {
  const others = memory.relationships.filter((known) => known.speaker !== speaker)
  const all = traits.length > 0 ? [...others, { speaker, traits }] : others
  return { ...memory, relationships: all.slice(-maxSpeakers) }
}

/** The memory as a turn changed it, so that {@link withoutTurns} can take that back. */
export function changedIn(turnId: string, old: CharacterMemory, changed: CharacterMemory): CharacterMemory {
  const { before = [], ...memory } = old
  const isKnown = before.some((known) => known.turnId === turnId)
  return { ...changed, before: isKnown ? before : [...before, { turnId, memory }].slice(-maxUndone) }
}

/** The memory before the first of the given turns, which are the last ones of the conversation. */
export function withoutTurns(memory: CharacterMemory, turns: ReadonlySet<string>): CharacterMemory {
  const { before = [] } = memory
  const at = before.findIndex(({ turnId }) => turns.has(turnId))
  if (at < 0) return memory
  return { ...characterMemory(before[at]?.memory), ...(at > 0 ? { before: before.slice(0, at) } : {}) }
}

function traitsOf(value: unknown): readonly CharacterTrait[] {
  return listOf(value)
    .flatMap((pair): CharacterTrait[] => {
      const [name, text] = listOf(pair)
      if (typeof name !== "string" || typeof text !== "string") return []
      const trait: CharacterTrait = [cleanLine(name), cleanLine(text)]
      return faultOf(trait) === undefined && trait[1] !== "" ? [trait] : []
    })
    .slice(0, traitLimits.traits)
}
