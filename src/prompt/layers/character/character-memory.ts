import { listOf, recordOf } from "../../../core/json-access.ts"
import { type LoreState, loreState } from "../lorebook/timed.ts"
import { type BranchChange, onBranch, type TurnLog, turnLog, withTurn } from "../turn-log.ts"
import { type CharacterTrait, cleanLine, faultOf, traitLimits } from "./character-sheet.ts"

/** The most speakers of one conversation whose relationship is kept. Beyond that, the one that changed longest ago is forgotten. */
const maxSpeakers = 200

/** The changes that a model made in a session, and since when entries of the world book are in. Plain JSON. */
export interface CharacterMemory extends Partial<TurnLog> {
  readonly state: readonly CharacterTrait[]
  /** By the speaker's id. The one that changed last stands last. */
  readonly relationships: readonly { readonly speaker: string; readonly traits: readonly CharacterTrait[] }[]
  readonly worldBook: LoreState
}

/** Reads the changes that a session kept. Parts that are missing or malformed count as unchanged. */
export function characterMemory(kept: unknown): CharacterMemory {
  const { state, relationships, worldBook } = recordOf(kept)
  return {
    ...logOf(turnLog(kept)),
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

/** The memory as a turn changed it, so that {@link characterOnBranch} can take that back. */
export function changedIn(turnId: string, old: CharacterMemory, changed: CharacterMemory): CharacterMemory {
  const { before = [], aside = [], ...memory } = old
  if (before.some((known) => known.turnId === turnId)) return { ...changed, ...logOf({ before, aside }) }
  return { ...changed, ...logOf(withTurn({ before, aside }, turnId, memory)) }
}

/** The memory once the history ends elsewhere: the one that the turn had which ends it now. */
export function characterOnBranch(memory: CharacterMemory, change: BranchChange): CharacterMemory {
  const { before = [], aside = [], ...now } = memory
  const { state, log } = onBranch(now, { before, aside }, change)
  return { ...characterMemory(state), ...logOf(log) }
}

function logOf({ before, aside }: TurnLog): Partial<TurnLog> {
  return { ...(before.length > 0 ? { before } : {}), ...(aside.length > 0 ? { aside } : {}) }
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
