import type { Profile } from "../../profile/profile.ts"
import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { finding, type LintFinding, type LintProfile, placeOf, profileRule } from "../rule.ts"
import { namedNodes } from "../template-names.ts"

/** Files that a dialect of the user's own lacks: a turn would end with an error. The library's dialects have them all. */
export const missingFile = profileRule(
  "missing-file",
  "A prompt that a turn of the profile's mode needs, or the file that prints the entries of one of its lists, which its dialect lacks.",
  (linted) => {
    const { profile, dialect } = linted
    if (profile === undefined || dialect === undefined) return []
    const needed = promptsOf[profile.loop.mode]
    const missing = needed.filter((name) => !dialect.files.has(name))
    return [
      ...missing.map((name) => missingPrompt(name, linted, dialect)),
      ...needed.flatMap((name) => missingEntryFiles(name, dialect)),
    ]
  },
)

/** The prompts of each mode. With `auto` the model decides between two. */
const promptsOf: Readonly<Record<Profile["loop"]["mode"], readonly string[]>> = {
  json: ["planner", "final"],
  native: ["native", "final"],
  auto: ["planner", "native", "final"],
  chat: ["chat", "final"],
}

function missingPrompt(name: string, { file, documents, profile }: LintProfile, { name: dialect }: Dialect): LintFinding {
  const setter = documents.find(({ data }) => Object.hasOwn(Object(data.prompt), "dialect"))
  const mode = JSON.stringify(profile?.loop.mode)
  const message = `expected a prompt ${name}.md in dialect ${dialect}, which a turn with loop.mode = ${mode} prints, found none.`
  const hint = "Write it beside the dialect's other files. The shipped dialect layered has one to begin with."
  return finding(setter?.file ?? file, message, { severity: "error", ...setter?.locate(["prompt", "dialect"]), hint })
}

/** The lists of a turn. Each entry is printed by the file of the list's name. */
const lists: ReadonlySet<string> = new Set(["question", "history", "memories", "prestart", "tools", "runs", "steps"])

function missingEntryFiles(prompt: string, { name: dialect, files }: Dialect): LintFinding[] {
  const nodes = namedNodes(files.get(prompt)?.template.nodes ?? [])
  const used = nodes.filter(({ type, name }) => type !== "conditional" && lists.has(name) && !files.has(name))
  return [...new Map(used.map((node) => [node.name, node])).values()].map(({ name, source }) => {
    const message = `expected a file ${name}.md in dialect ${dialect} to print the entries of \${${name}}, found none.`
    const hint = `Add ${name}.md with a slot for each value of an entry.`
    return finding(source.file, message, { severity: "error", ...placeOf(source), hint })
  })
}
