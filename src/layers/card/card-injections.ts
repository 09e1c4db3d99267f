import { priority } from "../../core/value.ts"
import type { InjectionInput } from "../../stack/injection.ts"
import type { LoreEntry, LorePosition } from "../lorebook/lorebook.ts"
import type { Card } from "./card.ts"

/** Ranks for cuts: example dialogues give way before history does (C7), lore soon after it, the rest of the character late. */
const ranks = { examples: 8, lorebook: 30, postHistory: 66, scenario: 90, personality: 91 } as const

/** A card's view in one turn. `fill` fills in the macros of a text. */
export interface CardTurn {
  readonly card: Card
  readonly lore: readonly LoreEntry[]
  fill(text: string): string
}

/**
 * Personality, scenario, example dialogues, lore and the words behind history, each as an injection of its own (C7). All are texts of a
 * stranger, so each is encoded and forges no structure (C11).
 */
export function cardInjections({ card, lore, fill }: CardTurn): readonly InjectionInput[] {
  const text = (key: string, content: string, place: number, rank: number): InjectionInput => ({
    key,
    content: { text: fill(content).trim(), trust: "tool" },
    priority: place,
    scope: "turn",
    fit: { rank, shrink: "headTail" },
  })
  return [
    text("character.personality", card.personality, priority.characterProfile + 1, ranks.personality),
    text("character.scenario", card.scenario, priority.characterProfile + 2, ranks.scenario),
    {
      key: "character.examples",
      content: exampleDialogues(card).map((dialogue) => ({ text: { text: fill(dialogue).trim(), trust: "tool" as const } })),
      priority: priority.characterProfile + 3,
      scope: "turn",
      fit: { rank: ranks.examples, shrink: "entries" },
    },
    ...loreInjections(lore, fill),
    text("character.post_history", card.postHistory, priority.reactionPlan + 5, ranks.postHistory),
  ]
}

/** The slots of lore by position (C14). All others share the slot `lorebook`. An outlet has a slot of its own, which a prompt file may name. */
const slots: Partial<Record<LorePosition["at"], string>> = {
  beforeCharacter: "lorebook.before",
  beforeExamples: "lorebook.examples_top",
  afterExamples: "lorebook.examples_bottom",
  noteTop: "lorebook.note",
  noteBottom: "lorebook.note",
  depth: "lorebook.depth",
}

function slotOf({ position }: LoreEntry): string {
  if (position?.at === "outlet" && /^\w{1,40}$/.test(position.name)) return `outlet.${position.name}`
  return slots[position?.at ?? "afterCharacter"] ?? "lorebook"
}

/** An injection for each position. What stands deeper in the history stands earlier. */
function loreInjections(lore: readonly LoreEntry[], fill: (text: string) => string): readonly InjectionInput[] {
  const placed = [...lore].sort((a, b) => depthOf(b) - depthOf(a))
  return [...Map.groupBy(placed, slotOf)].map(([key, entries]): InjectionInput => {
    const texts = entries.map(({ text }) => fill(text.text).trim())
    const isList = key.startsWith("lorebook")
    const content = texts.map((text) => ({ text: { text, trust: "tool" as const } }))
    const scores = entries.map((entry) => entry.priority ?? entry.order)
    return {
      key,
      content: isList ? content : { text: texts.join("\n\n"), trust: "tool" },
      priority: priority.worldBook,
      scope: "turn",
      fit: { rank: ranks.lorebook, ...(isList ? { shrink: "entries", scores } : { shrink: "headTail" }) },
    }
  })
}

function depthOf({ position }: LoreEntry): number {
  return position?.at === "depth" ? position.depth : 0
}

/** The dialogues of `mes_example`, which lines `<START>` part. */
function exampleDialogues({ exampleDialogues: text }: Card): readonly string[] {
  return text
    .split(/<START>/i)
    .map((dialogue) => dialogue.trim())
    .filter((dialogue) => dialogue !== "")
}
