import type { StandardSchemaV1 } from "@standard-schema/spec"
import { isRecord, listOf, recordOf } from "../../core/json-access.ts"
import type { TrustedText } from "../../core/value.ts"
import type { BeforeTurnContext, TurnHook } from "../../memory/services/turn-hook.ts"
import { characterInjections } from "../../prompt/layers/character/character-injections.ts"
import {
  type CharacterSheet,
  type CharacterTrait,
  changeTraits,
  cleanLine,
  emptySheet,
  faultOf,
  traitLimits,
} from "../../prompt/layers/character/character-sheet.ts"
import type { WorldBook } from "../../prompt/layers/character/world-book.ts"
import { knownTexts } from "../../prompt/layers/lorebook/key-index.ts"
import type { LoreEntry } from "../../prompt/layers/lorebook/lorebook.ts"
import { type LoreState, loreState } from "../../prompt/layers/lorebook/timed.ts"
import { type BranchChange, onBranch, type StateLog, turnLog, withTurn } from "../../prompt/layers/turn-log.ts"
import { defineTool } from "../../prompt/tools/define-tool.ts"
import { jsonTypeOf } from "../../prompt/tools/json-schema.ts"
import type { Tool } from "../../prompt/tools/tool.ts"
import { handWrittenSchema, type TextSchema } from "../../prompt/tools/tool-schema.ts"
import type { ToolWords } from "../../prompt/tools/tool-words.ts"

/** The most speakers of one conversation whose relationship is kept. Beyond that, the one that changed longest ago is forgotten. */
const maxSpeakers = 200

/** The changes that a model made in a session, and since when entries of the world book are in. Plain JSON. */
export interface CharacterMemory extends Partial<StateLog> {
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

function logOf({ before, aside }: StateLog): Partial<StateLog> {
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

/** The parts of a character beside its persona. */
export interface CharacterParts {
  /** When absent, no state is shown, and the model cannot change it. */
  readonly state: CharacterSheet | undefined
  /** The relationship that every speaker begins with. When absent, none is shown, and the model cannot change it. */
  readonly relationship: CharacterSheet | undefined
  readonly reactionPlan: TrustedText | undefined
  readonly worldBook:
    | {
        readonly book: WorldBook
        readonly maxEntries: number
        readonly maxCharacters: number
      }
    | undefined
  readonly words: Readonly<Record<"update_state" | "update_relationship", ToolWords>>
}

/**
 * The hook of the plugin `character`. It puts state, relationship with the turn's speaker, world book and reaction plan into the
 * turn, and adds the tools that change the first two. The model's changes are kept in the session's state. With memory off they
 * are neither shown nor made (D2).
 */
export function characterHook(parts: CharacterParts): TurnHook {
  const { state = emptySheet, relationship = emptySheet, reactionPlan } = parts
  return {
    name: "character",
    beforeTurn(context) {
      const { speaker, key, stack } = context
      const memory = characterMemory(context.memoryOn ? context.state.get() : undefined)
      const injections = characterInjections({
        state: { sheet: state, changes: parts.state ? memory.state : [] },
        relationship: {
          sheet: relationship,
          changes: parts.relationship ? relationshipWith(memory, speaker.id) : [],
          speaker: key.audience === "group" ? speaker.name : undefined,
        },
        worldBook: entriesFor(parts, context, memory),
        reactionPlan,
      })
      for (const injection of injections) stack.add(injection)
      if (context.memoryOn) context.addTools(updateTools(parts, context))
    },
    setAside({ turns, back, state }) {
      if (state === undefined) return undefined
      const gone = new Set(turns.map(({ turnId }) => turnId))
      return characterOnBranch(characterMemory(state), { gone, back: back.map(({ turnId }) => turnId) })
    },
  }
}

/** The entries of the world book for a turn. Since when they are in is kept only while memory is on. */
function entriesFor({ worldBook }: CharacterParts, context: BeforeTurnContext, memory: CharacterMemory): readonly LoreEntry[] {
  if (worldBook === undefined) return []
  const { book, maxEntries, maxCharacters } = worldBook
  const { question, history, turn, turnId, warn } = context
  const texts = [...history.map(({ text }) => text), question]
  const { worldBook: before } = memory
  const known = context.cached(book, knownTexts)
  const { entries, leftOut, state, cut } = book({ texts, maxEntries, maxCharacters, turn, turnId, state: before, known })
  if (leftOut.length > 0) warn(`No room for entries of the world book: ${leftOut.map(nameOf).join(", ")}.`)
  if (cut !== undefined) warn(`World book: ${cut}`)
  const isChanged = JSON.stringify(state) !== JSON.stringify(before)
  if (isChanged && context.memoryOn) context.state.set(changedIn(turnId, memory, { ...memory, worldBook: state }))
  return entries
}

function nameOf({ title, id, text: { source } }: LoreEntry): string {
  return title ?? (id || `${source?.file}:${source?.line}`)
}

/** The tools read the session's state at each call, as an earlier call of the turn may have changed it. */
function updateTools(
  { state, relationship, words }: CharacterParts,
  { state: kept, speaker: { id }, turnId }: BeforeTurnContext,
) {
  const now = () => characterMemory(kept.get())
  const keep = (changed: CharacterMemory) => kept.set(changedIn(turnId, now(), changed))
  const tools = [
    state &&
      updateTool({
        name: "update_state",
        words: words.update_state,
        sheet: state,
        read: () => now().state,
        write: (changes) => keep({ ...now(), state: changes }),
      }),
    relationship &&
      updateTool({
        name: "update_relationship",
        words: words.update_relationship,
        sheet: relationship,
        read: () => relationshipWith(now(), id),
        write: (changes) => keep(withRelationship(now(), id, changes)),
      }),
  ]
  return tools.filter((tool) => tool !== undefined)
}

interface UpdateToolParts {
  readonly name: "update_state" | "update_relationship"
  readonly words: ToolWords
  readonly sheet: CharacterSheet
  /** The changes so far; called at each call of the tool. */
  read(): readonly CharacterTrait[]
  write(changes: readonly CharacterTrait[]): void
}

/** A tool that changes the character's state or its relationship with the speaker. A call makes all its changes or none. */
function updateTool({ name, words, sheet, read, write }: UpdateToolParts): Tool {
  const { description, usageHint, parameters, say, refuse } = words
  return defineTool({
    name,
    description,
    usageHint,
    writes: true,
    inputSchema: traitsSchema(parameters.changes),
    execute(patch) {
      const result = changeTraits(sheet, read(), patch)
      if ("fault" in result) {
        const { fault, about, limit } = result
        throw refuse({ [fault]: about === "" ? '""' : (about ?? true), limit }, { fault })
      }
      write(result.changes)
      const changed = result.changed.map((trait) => trait.join(" = ")).join(", ")
      return say({ changed, undone: result.undone.join(", ") })
    },
  })
}

/** The arguments of such a tool: `{ changes: { mood: "happy" } }`. Numbers and flags become text, null becomes `""`. */
function traitsSchema(description: string | undefined): TextSchema<readonly CharacterTrait[]> {
  const words = description === undefined ? {} : { description }
  const changes = { type: "object", ...words, additionalProperties: { type: "string" } }
  const schema = { type: "object", properties: { changes }, required: ["changes"] }
  return handWrittenSchema(schema, validate)
}

function validate(args: unknown): StandardSchemaV1.Result<readonly CharacterTrait[]> {
  const changes = isRecord(args) && Object.hasOwn(args, "changes") ? args.changes : undefined
  if (!isRecord(changes)) return { issues: [{ message: `expected object, received ${jsonTypeOf(changes)}`, path: ["changes"] }] }
  const issues: StandardSchemaV1.Issue[] = []
  const value = Object.entries(changes).map(([name, given]): CharacterTrait => {
    const text = given === null ? "" : typeof given === "number" || typeof given === "boolean" ? String(given) : given
    if (typeof text === "string") return [name, text]
    issues.push({ message: `expected string, received ${jsonTypeOf(text)}`, path: ["changes", name] })
    return [name, ""]
  })
  return issues.length > 0 ? { issues } : { value }
}
