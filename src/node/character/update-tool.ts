import { PromptStrataError } from "../../core/errors.ts"
import { type CharacterSheet, type CharacterTrait, changeTraits } from "../../layers/character/character-sheet.ts"
import { renderTemplate } from "../../template/render.ts"
import { defineTool } from "../../tools/define-tool.ts"
import type { Tool } from "../../tools/tool.ts"
import type { ToolWords } from "../../tools/tool-words.ts"
import { traitsSchema } from "./traits-schema.ts"

/** What a tool that changes traits works on. */
export interface UpdateToolParts {
  readonly name: "update_state" | "update_relationship"
  readonly words: ToolWords
  readonly sheet: CharacterSheet
  /** What was changed so far, asked anew at each call. */
  read(): readonly CharacterTrait[]
  write(changes: readonly CharacterTrait[]): void
}

/** A tool by which the model changes the character's state, or its relationship with whoever speaks. Each call counts whole or not at all. */
export function updateTool({ name, words, sheet, read, write }: UpdateToolParts): Tool {
  const { description, usageHint, parameters, answer } = words
  return defineTool({
    name,
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    writes: true,
    inputSchema: traitsSchema(parameters.changes),
    execute(patch) {
      const result = changeTraits(sheet, read(), patch)
      if ("fault" in result) {
        const { fault, about, limit } = result
        const message = renderTemplate(answer, { [fault]: about === "" ? '""' : (about ?? true), limit })
        throw new PromptStrataError("tool-arguments", message, { evidence: { fault } })
      }
      write(result.changes)
      const changed = result.changed.map((trait) => trait.join(" = ")).join(", ")
      return renderTemplate(answer, { changed, undone: result.undone.join(", ") })
    },
  })
}
