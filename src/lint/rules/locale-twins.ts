import { finding, type LintFile, type LintFinding, lintRule, placeOf } from "../rule.ts"
import { namedNodes } from "../template-names.ts"

/** The kinds of files that a folder has once for each locale. */
const kinds: ReadonlySet<LintFile["kind"]> = new Set(["prompt", "tool", "persona", "format", "final"])

/** Locales of one folder whose files, slots or front matter differ. */
export const localeTwins = lintRule(
  "locale-twins",
  "Files and slots that one locale of a folder has and another lacks.",
  ({ files }) => {
    const localised = files.filter(({ kind, locale }) => kinds.has(kind) && locale !== undefined)
    return [...Map.groupBy(localised, ({ root, folder }) => `${root}\n${folder}`).values()].flatMap(inFolder)
  },
)

function inFolder(files: readonly LintFile[]): LintFinding[] {
  const locales = [...new Set(files.map(({ locale }) => locale))].sort()
  const byName = [...Map.groupBy(files, ({ name }) => name).values()]
  // A name can stand twice in one locale, as `.md` and as `.txt`: one of the two is compared.
  return byName
    .map((named) => [...new Map(named.map((file) => [file.locale, file])).values()])
    .flatMap((twins) => [
      ...locales.filter((locale) => !twins.some((twin) => twin.locale === locale)).map((locale) => missingTwin(twins, locale)),
      ...twins.flatMap((file) =>
        twins.filter((twin) => twin !== file).flatMap((twin) => [...extraSlots(file, twin), ...otherAttributes(file, twin)]),
      ),
    ])
}

function missingTwin([first]: readonly LintFile[], missing: string | undefined): LintFinding {
  const { file = "", folder, name, locale } = first ?? {}
  return finding(file, `expected ${folder}/${missing} to have a file ${name} as ${folder}/${locale} has, found none.`)
}

/** The slots that a file has and its twin lacks. */
function extraSlots(file: LintFile, twin: LintFile): LintFinding[] {
  if (!file.template || !twin.template || twin.faults.length > 0) return []
  const known = new Set(namedNodes(twin.template.nodes).map(({ name }) => name))
  const extra = namedNodes(file.template.nodes).filter(({ name }) => !known.has(name))
  return [...new Map(extra.map((node) => [node.name, node])).values()].map(({ name, source }) =>
    finding(source.file, `\${${name}} stands here but not in ${twin.file}.`, placeOf(source)),
  )
}

/** The front matter of prompt files decides how they work, so it has to be the same in every language. */
function otherAttributes(file: LintFile, twin: LintFile): LintFinding[] {
  if (file.kind !== "prompt" || !file.source || !twin.source || (file.locale ?? "") > (twin.locale ?? "")) return []
  const [own, theirs] = [file.source.attributes, twin.source.attributes]
  return ["omit", "optional", "separator"]
    .filter((key) => comparable(own[key]) !== comparable(theirs[key]))
    .map((key) => finding(file.file, `expected the same ${key} in the front matter as in ${twin.file}.`))
}

function comparable(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.map(String).sort() : (value ?? null))
}
