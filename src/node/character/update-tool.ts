import type { StandardSchemaV1 } from "@standard-schema/spec"
import { PromptStrataError } from "../../core/errors.ts"
import { changeTraits } from "../../layers/character/change-traits.ts"
import type { CharacterSheet, CharacterTrait } from "../../layers/character/character-sheet.ts"
import { renderTemplate } from "../../template/render.ts"
import type { TextSchema } from "../../tools/builtin/text-arguments.ts"
import { defineTool } from "../../tools/define-tool.ts"
import type { Tool } from "../../tools/tool.ts"
import type { ToolWords } from "../../tools/tool-words.ts"

/** Everything that a tool which changes traits is made from. */
interface UpdateToolParts {
  readonly name: "update_state" | "update_relationship"
  readonly words: ToolWords
  readonly sheet: CharacterSheet
  /** The changes so far; called at each call of the tool. */
  read(): readonly CharacterTrait[]
  write(changes: readonly CharacterTrait[]): void
}

/** A tool by which the model changes the character's state or its relationship with the speaker. A call makes all its changes or none. */
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

/** The arguments of a tool that changes traits: `{ changes: { mood: "happy" } }`. Numbers and flags become text, null becomes `""`. */
function traitsSchema(description: string | undefined): TextSchema<readonly CharacterTrait[]> {
  const schema = {
    type: "object",
    properties: {
      changes: {
        type: "object",
        ...(description === undefined ? {} : { description }),
        additionalProperties: { type: "string" },
      },
    },
    required: ["changes"],
  }
  return {
    "~standard": {
      version: 1,
      vendor: "promptstrata",
      validate,
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

function validate(args: unknown): StandardSchemaV1.Result<readonly CharacterTrait[]> {
  const changes = isRecord(args) && Object.hasOwn(args, "changes") ? args.changes : undefined
  if (!isRecord(changes)) return { issues: [{ message: `expected object, received ${kindOf(changes)}`, path: ["changes"] }] }
  const issues: StandardSchemaV1.Issue[] = []
  const value = Object.entries(changes).map(([name, given]): CharacterTrait => {
    const text = given === null ? "" : typeof given === "number" || typeof given === "boolean" ? String(given) : given
    if (typeof text === "string") return [name, text]
    issues.push({ message: `expected string, received ${kindOf(text)}`, path: ["changes", name] })
    return [name, ""]
  })
  return issues.length > 0 ? { issues } : { value }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value
}
