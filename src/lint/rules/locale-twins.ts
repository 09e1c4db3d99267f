import type { LintContext, LintFile } from "../context.ts"
import { namedNodes } from "../nodes.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** Kinds of files that stand once for each locale. */
const kinds: ReadonlySet<LintFile["kind"]> = new Set(["prompt", "tool", "persona", "format", "final"])

/** Locales of one folder that have not the same files, slots or front matter. */
export const localeTwins = lintRule(
  "locale-twins",
  "Files and slots that one locale of a folder has and another lacks.",
  (context) => groups(context).flatMap(inGroup),
)

interface Group {
  readonly locales: readonly string[]
  /** By file name, then by locale. */
  readonly files: ReadonlyMap<string, ReadonlyMap<string, LintFile>>
}

function groups({ files }: LintContext): Group[] {
  const byFolder = Map.groupBy(
    files.filter(({ kind, locale }) => kinds.has(kind) && locale !== undefined),
    ({ root, folder }) => `${root}\n${folder}`,
  )
  return [...byFolder.values()].map((all) => ({
    locales: [...new Set(all.map(({ locale }) => locale ?? ""))].sort(),
    files: new Map(
      [...Map.groupBy(all, ({ name }) => name)].map(([name, twins]) => [
        name,
        new Map(twins.map((twin) => [twin.locale ?? "", twin])),
      ]),
    ),
  }))
}

function inGroup({ locales, files }: Group): LintFinding[] {
  return [...files.values()].flatMap((twins) => {
    const present = [...twins.values()]
    const [first] = present
    if (first === undefined) return []
    const missing = locales.filter((locale) => !twins.has(locale)).map((locale) => withoutTwin(first, locale))
    return [
      ...missing,
      ...present.flatMap((file) => present.filter((other) => other !== file).flatMap((other) => beyond(file, other))),
    ]
  })
}

function withoutTwin({ file, folder, name, locale }: LintFile, missing: string): LintFinding {
  return {
    severity: "warning",
    message: `expected ${folder}/${missing} to have a file ${name} as ${folder}/${locale} has, found none.`,
    file,
    line: 1,
    column: 1,
  }
}

/** What a file has and its twin lacks. */
function beyond(file: LintFile, other: LintFile): LintFinding[] {
  return [...slotsBeyond(file, other), ...attributesBeyond(file, other)]
}

function slotsBeyond(file: LintFile, other: LintFile): LintFinding[] {
  if (!file.template || !other.template || other.faults.length > 0) return []
  const known = new Set(namedNodes(other.template.nodes).map(({ name }) => name))
  const extra = namedNodes(file.template.nodes).filter(({ name }) => !known.has(name))
  return [...new Map(extra.map((node) => [node.name, node])).values()].map(({ name, source }) => ({
    severity: "warning",
    message: `\${${name}} stands here but not in ${other.file}.`,
    file: source.file,
    line: source.line,
    column: source.column ?? 1,
  }))
}

/** What prompt files declare decides how they work, so it is the same in every language. */
function attributesBeyond(file: LintFile, other: LintFile): LintFinding[] {
  if (file.kind !== "prompt" || !file.source || !other.source || (file.locale ?? "") > (other.locale ?? "")) return []
  const [own, theirs] = [file.source.attributes, other.source.attributes]
  return ["omit", "optional", "separator"]
    .filter((key) => comparable(own[key]) !== comparable(theirs[key]))
    .map((key) => ({
      severity: "warning",
      message: `expected the same ${key} in the front matter as in ${other.file}.`,
      file: file.file,
      line: 1,
      column: 1,
    }))
}

function comparable(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.map(String).sort() : (value ?? null))
}
