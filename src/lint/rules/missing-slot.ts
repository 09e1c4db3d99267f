import type { LintContext, LintFile } from "../context.ts"
import { turnPrompts } from "../known-slots.ts"
import { namedNodes } from "../nodes.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** What a prompt of a turn shows; of each list one has to be there. */
const wanted: readonly (readonly string[])[] = [["question"], ["persona"], ["history"]]

const wantedBesides: Readonly<Record<string, readonly (readonly string[])[]>> = {
  planner: [["tools"], ["runs", "steps"]],
  native: [["steps"]],
  final: [["runs", "steps"]],
}

/** Prompts without a slot for what a turn brings (T5, T12): it would stand among the further observations. */
export const missingSlot = lintRule(
  "missing-slot",
  "A prompt without a slot for what every turn brings: the question, the persona, the history, tools and their results.",
  (context) =>
    context.files
      .filter(({ kind, name }) => kind === "prompt" && turnPrompts.includes(name))
      .filter((file) => !hasKeyedRest(file, context))
      .flatMap(missing),
)

function missing(file: LintFile): LintFinding[] {
  if (file.template === undefined) return []
  const named = new Set(namedNodes(file.template.nodes).map(({ name }) => name))
  const omit = file.source?.attributes.omit
  const omitted = Array.isArray(omit) ? omit : []
  return [...wanted, ...(wantedBesides[file.name] ?? [])]
    .filter((names) => !names.some((name) => named.has(name)) && !names.every((name) => omitted.includes(name)))
    .map((names) => ({
      severity: "warning",
      message: `expected a slot ${names.map((name) => `\${${name}}`).join(" or ")} in a ${file.name} prompt, found none.`,
      file: file.file,
      line: file.source?.firstLine ?? 1,
      column: 1,
      hint: "Without it, what belongs there is printed at ${rest}; to leave it out on purpose, name it in the front matter: omit: [name].",
    }))
}

/** In a dialect whose `rest.md` prints keys, the rest slot is where things are meant to stand, each under its heading. */
function hasKeyedRest(file: LintFile, { files }: LintContext): boolean {
  return files.some(
    ({ name, root, folder, locale, template }) =>
      name === "rest" &&
      root === file.root &&
      folder === file.folder &&
      locale === file.locale &&
      namedNodes(template?.nodes ?? []).some((node) => node.name === "key"),
  )
}
