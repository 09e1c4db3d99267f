import { priority } from "../../../core/value.ts"
import { partsBetween } from "../../encode/line-breaks.ts"
import type { InjectionInput } from "../../stack/injection.ts"
import type { Card } from "./card.ts"
import type { FilledText } from "./macros.ts"

/** Ranks for cuts: example dialogues give way before history does (C7), the rest of the character late. */
const ranks = { examples: 8, postHistory: 66, scenario: 90, personality: 91, system: 95 } as const

/** A card's view in one turn. `fill` fills in the macros of a text. */
export interface CardTurn {
  readonly card: Card
  /** The names of the slots of the dialect's files. */
  readonly slots: ReadonlySet<string>
  /** Fills in the macros of a text. The user is the same one in all of them, also in a group (L1). */
  fill(text: string): FilledText
}

/** The stability of texts in which macros were filled in: a provider can cache what stays the same in the next turn (C20). */
export function filledStability(texts: readonly Pick<FilledText, "lasts">[], hasOneUser = true): "session" | undefined {
  return texts.every(({ lasts }) => lasts === "conversation" || (lasts === "speaker" && hasOneUser)) ? "session" : undefined
}

/** The slot of a card's system prompt. A dialect without it has the words in the persona. */
export const systemSlot = "character.system"

/**
 * System prompt, personality, scenario, example dialogues and the words behind history, each as an injection of its own (C7). All are
 * texts of a stranger, so each is encoded and forges no structure (C11).
 */
export function cardInjections({ card, slots, fill }: CardTurn): readonly InjectionInput[] {
  const text = (key: string, content: string, place: number, rank: number): InjectionInput => {
    const filled = fill(content)
    return {
      key,
      content: { text: filled.text.trim(), trust: "tool", block: true },
      priority: place,
      stability: filledStability([filled]),
      fit: { rank, shrink: "headTail" },
    }
  }
  // Words of the dialect stand between what comes before {{original}} and what comes behind it (C6).
  const aroundOriginal = (key: string, content: string, place: number, rank: number): readonly InjectionInput[] => {
    const [before = "", ...after] = content.split(/\{\{\s*original\s*\}\}/i)
    if (after.length === 0 || !slots.has(`${key}_before`)) return [text(key, content, place, rank)]
    return [text(`${key}_before`, before, place, rank), text(`${key}_after`, after.join(""), place, rank)]
  }
  const dialogues = exampleDialogues(card).map(fill)
  const system = slots.has(systemSlot) ? card.systemPrompt : ""
  return [
    ...aroundOriginal(systemSlot, system, priority.characterProfile, ranks.system),
    text("character.personality", card.personality, priority.characterProfile + 1, ranks.personality),
    text("character.scenario", card.scenario, priority.characterProfile + 2, ranks.scenario),
    {
      key: "character.examples",
      content: dialogues.map(({ text }) => ({ text: { text: text.trim(), trust: "tool" as const, block: true as const } })),
      priority: priority.characterProfile + 3,
      stability: filledStability(dialogues),
      fit: { rank: ranks.examples, shrink: "entries" },
    },
    ...aroundOriginal("character.post_history", card.postHistory, priority.reactionPlan + 5, ranks.postHistory),
  ]
}

/** The dialogues of `mes_example`, which lines `<START>` part. */
function exampleDialogues({ exampleDialogues: text }: Card): readonly string[] {
  return partsBetween(text, /<START>/i)
}
