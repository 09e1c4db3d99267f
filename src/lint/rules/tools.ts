import { didYouMean } from "../../core/suggest.ts"
import type { Profile } from "../../profile/profile.ts"
import { isSchema, keyword, propertiesOf } from "../../prompt/tools/json-schema.ts"
import type { Tool } from "../../prompt/tools/tool.ts"
import { finding, type LintDocument, type LintFinding, type LintProfile, type LintSeverity, profileRule } from "../rule.ts"

/** Tools that a planner cannot know how to use (T37). */
export const toolText = profileRule(
  "tool-text",
  "A tool without description, and a parameter without a type or without any word on what it is.",
  (profile) =>
    toolsOf(profile.profile).flatMap((tool) =>
      lackingWords(tool).map((lack) => {
        const { file, ...place } = placeOf(profile, tool)
        return finding(file, `tool ${tool.name}: expected ${lack}, found none.`, place)
      }),
    ),
)

function toolsOf(profile: Profile | undefined): Tool[] {
  return [...(profile?.tools.builtin ?? []), ...(profile?.plugins ?? []).flatMap(({ tools = [] }) => tools)]
}

function lackingWords({ description, inputSchema }: Tool): string[] {
  return [
    ...(description.trim() === "" ? ["a description"] : []),
    ...propertiesOf(inputSchema).flatMap(({ name, schema }) => {
      const lacking = lackingIn(schema)
      return lacking === "" ? [] : [`parameter ${name} to have ${lacking}`]
    }),
  ]
}

/** Keywords of a schema that show what a value looks like. */
const showing = ["examples", "example", "enum", "const", "default", "format", "pattern"]

const typed = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"]

function lackingIn(schema: unknown): string {
  if (!isSchema(schema)) return "a type and a description"
  const has = (name: string) => keyword(schema, name) !== undefined
  const description = keyword(schema, "description")
  const isDescribed = (typeof description === "string" && description.trim() !== "") || showing.some(has)
  return [...(typed.some(has) ? [] : ["a type"]), ...(isDescribed ? [] : ["a description or an example"])].join(" and ")
}

/** The place where the profile enables the tool; the profile's beginning for a tool of a plugin. */
function placeOf({ file, documents }: LintProfile, { name }: Tool): Pick<LintFinding, "file" | "line" | "column"> {
  for (const document of documents) {
    const tools = document.data.tools as { readonly enabled?: readonly string[] } | undefined
    const at = tools?.enabled?.indexOf(name) ?? -1
    if (at >= 0) return { file: document.file, ...document.locate(["tools", "enabled", at]) }
  }
  return { file, line: 1, column: 1 }
}

/** Tools that do not exist, named anywhere but in `[tools] enabled`: with a wrong name there the profile does not load. */
export const unknownTool = profileRule(
  "unknown-tool",
  "A prestart tool, a hidden tool, or one that a process or a skill needs, which neither the profile nor a plugin brings.",
  ({ profile, documents }) => {
    if (profile === undefined) return []
    const tools = toolsOf(profile)
    const names = tools.map(({ name }) => name)
    const known = { names, has: (name: string) => names.includes(name) || profile.plugins.some((one) => one.mayAddTool?.(name)) }
    // An MCP server may bring a tool that is not known before it is asked.
    const severity: LintSeverity = Object.keys(profile.mcp.servers).length > 0 ? "warning" : "error"
    const unknown = [
      ...missing(documents, { known, key: ["prestart"], inner: ["tool"] }),
      ...missing(documents, { known, key: ["tools", "prestart_only"] }),
      ...processesOf(profile).flatMap(([process]) => missing(documents, { known, key: ["processes", process, "tools"] })),
    ]
    return [
      ...unknown.map((finding) => ({ ...finding, severity })),
      ...emptyGroups(profile, documents, tools),
      ...unknownInSkills(profile, documents, names),
    ]
  },
)

function processesOf({ processes }: Profile) {
  return Object.entries(processes).filter(([, { enabled }]) => enabled !== false)
}

/** A process that chooses groups of which the profile has no tool. Hooks add tools of `context`, and MCP servers those of `external`. */
function emptyGroups(profile: Profile, [document]: readonly LintDocument[], tools: readonly Tool[]): LintFinding[] {
  if (document === undefined) return []
  const found = new Set(tools.map(({ group }) => group))
  if (profile.plugins.some(({ hooks = [] }) => hooks.length > 0)) found.add("context")
  if (Object.keys(profile.mcp.servers).length > 0) found.add("external")
  return processesOf(profile).flatMap(([process, { groups = [] }]) => {
    const empty = groups.filter((group) => !found.has(group))
    if (empty.length === 0) return []
    const message = `the process ${JSON.stringify(process)} takes the tools of the group ${empty.join(", ")}, of which the profile brings none.`
    const hint =
      "Enable such tools in [tools], or pass them to createAgent. A process without any tool is left out of the prompt."
    return [finding(document.file, message, { ...document.locate(["processes", process, "groups"]), hint })]
  })
}

interface NamedTools {
  readonly known: { readonly names: readonly string[]; has(name: string): boolean }
  /** The path of the list in a document. */
  readonly key: readonly string[]
  /** The path of the name inside an item of the list. */
  readonly inner?: readonly string[]
}

/** The list in a document; undefined if it leaves the list to the profile that it extends. */
function listAt(document: LintDocument | undefined, key: readonly string[]): readonly unknown[] | undefined {
  const list = valueAt(document?.data, key)
  return Array.isArray(list) ? list : undefined
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce((value, name) => Object(value)[name], data)
}

/** An agent with such a list is not made: `chat` ends with an error. The nearest document's list counts, inherited or not. */
function missing(documents: readonly LintDocument[], { known, key, inner = [] }: NamedTools): Omit<LintFinding, "severity">[] {
  const [own] = documents
  const setter = documents.find((document) => listAt(document, key) !== undefined)
  if (own === undefined || setter === undefined) return []
  return (listAt(setter, key) ?? []).flatMap((item, at) => {
    const name = valueAt(item, inner)
    if (typeof name !== "string" || known.has(name)) return []
    const suggestion = didYouMean(name, known.names)
    if (setter === own) {
      const message = `the profile brings no tool ${JSON.stringify(name)}.${suggestion}`
      const hint =
        "Enable it in [tools]. If you pass it to createAgent, only your program can use the profile, not promptstrata chat."
      return [{ file: own.file, message, ...own.locate([...key, at, ...inner]), hint }]
    }
    const shown = key.join(".")
    const message = `the profile brings no tool ${JSON.stringify(name)}, which it inherits in ${shown} from ${setter.file}.${suggestion}`
    const hint = `Add ${JSON.stringify(name)} to [tools] enabled, or write an empty list, ${shown} = [], to inherit none.`
    return [{ file: own.file, message, ...own.locate(["tools", "enabled"]), hint }]
  })
}

/** A name in the form of this library's tools. Skills also name tools of other agents (`Bash(git:*)`, `Read`), which no profile can enable. */
const ownName = /^[a-z][a-z0-9_]{0,63}$/

/** Without the tools that it needs, a skill is only text: a diary that nothing can write. */
function unknownInSkills(
  { skills, plugins }: Profile,
  [document]: readonly LintDocument[],
  known: readonly string[],
): LintFinding[] {
  return [...skills, ...plugins.flatMap((plugin) => plugin.skills ?? [])].flatMap(({ name, allowedTools }) => {
    const missing = allowedTools.filter((tool) => ownName.test(tool) && !known.includes(tool))
    if (missing.length === 0 || document === undefined) return []
    const message = `the skill ${JSON.stringify(name)} needs the tools ${missing.join(", ")}, which the profile does not bring.`
    const hint = "Enable them in [tools], or pass them to createAgent."
    return [finding(document.file, message, { ...document.locate(["skills"]), hint })]
  })
}
