import { isSchema, keyword, propertiesOf } from "../../tools/json-schema.ts"
import type { Tool } from "../../tools/tool.ts"
import type { LintProfile } from "../context.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** Keywords that show what a value looks like. */
const showing = ["examples", "example", "enum", "const", "default", "format", "pattern"]

const typed = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"]

/** Tools that a planner cannot know how to use (T37). */
export const toolText = lintRule(
  "tool-text",
  "A tool without description, and a parameter without a type or without any word on what it is.",
  ({ profiles }) => profiles.filter(({ linted }) => linted).flatMap(inProfile),
)

function inProfile(profile: LintProfile): LintFinding[] {
  const tools = [
    ...(profile.profile?.tools.builtin ?? []),
    ...(profile.profile?.plugins ?? []).flatMap(({ tools = [] }) => tools),
  ]
  return tools.flatMap((tool) => complaints(tool).map((message) => ({ severity: "warning", message, ...placeOf(profile, tool) })))
}

function complaints({ name, description, inputSchema }: Tool): string[] {
  return [
    ...(description.trim() === "" ? [`tool ${name}: expected a description, found none.`] : []),
    ...propertiesOf(inputSchema).flatMap(({ name: parameter, schema }) => {
      const lacking = missing(schema)
      return lacking === "" ? [] : [`tool ${name}: expected parameter ${parameter} to have ${lacking}, found none.`]
    }),
  ]
}

function missing(schema: unknown): string {
  if (!isSchema(schema)) return "a type and a description"
  const has = (name: string) => keyword(schema, name) !== undefined
  const type = typed.some(has) ? [] : ["a type"]
  const description = keyword(schema, "description")
  const isDescribed = (typeof description === "string" && description.trim() !== "") || showing.some(has)
  return [...type, ...(isDescribed ? [] : ["a description or an example"])].join(" and ")
}

/** Where the profile enables the tool; the profile itself for a tool that came with a plugin. */
function placeOf({ file, documents }: LintProfile, { name }: Tool): Pick<LintFinding, "file" | "line" | "column"> {
  for (const document of documents) {
    const tools = document.data.tools as { readonly enabled?: readonly string[] } | undefined
    const at = tools?.enabled?.indexOf(name) ?? -1
    if (at >= 0) return { file: document.file, ...document.locate(["tools", "enabled", at]) }
  }
  return { file, line: 1, column: 1 }
}
