import { listOf, recordOf } from "../../core/json-access.ts"
import { type CharacterTrait, cleanLine, faultOf, traitLimits } from "./character-sheet.ts"

/** The most speakers of one conversation whose relationship is kept. Beyond that, the one that changed longest ago is forgotten. */
const maxSpeakers = 200

/** The changes that a model made in a session. Plain JSON. */
export interface CharacterMemory {
  readonly state: readonly CharacterTrait[]
  /** By the speaker's id. The one that changed last stands last. */
  readonly relationships: readonly { readonly speaker: string; readonly traits: readonly CharacterTrait[] }[]
}

/** Reads the changes that a session kept. Parts that are missing or malformed count as unchanged. */
export function characterMemory(kept: unknown): CharacterMemory {
  const { state, relationships } = recordOf(kept)
  return {
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
