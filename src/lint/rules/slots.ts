import leven from "leven"
import { didYouMean } from "../../core/suggest.ts"
import type { Template } from "../../prompt/template/ast.ts"
import { knownSlots, turnPrompts, variableNames } from "../known-slots.ts"
import { finding, type LintContext, type LintFile, type LintFinding, lintRule, placeOf, profileRule } from "../rule.ts"
import { namedNodes } from "../template-names.ts"

/** Slots and conditions that nothing fills (T37). A name one letter away from a known one is an error; a hook may fill any other. */
export const unknownSlot = lintRule(
  "unknown-slot",
  "A slot or condition that neither the library nor a profile's variable fills.",
  (context) => context.files.filter(({ kind }) => kind === "prompt").flatMap((file) => unknownIn(file, context)),
)

const unknownHint =
  "A variable of the profile can fill it. If a hook or an injection does, say so in the front matter: optional: [name]."

function unknownIn(file: LintFile, context: LintContext): LintFinding[] {
  const slots = knownSlots(file, context)
  if (slots === undefined || file.template === undefined) return []
  const known = [...slots].sort()
  return namedNodes(file.template.nodes)
    .filter(({ name, source }) => !slots.has(name) && source.file === file.file)
    .map(({ name, source }) => {
      const isTypo = oneLetterFrom(name, known) !== undefined
      const details = isTypo ? { severity: "error" as const } : { hint: unknownHint }
      return finding(source.file, `nothing fills \${${name}}.${didYouMean(name, known)}`, { ...placeOf(source), ...details })
    })
}

/** Prompts without a slot for something that every turn brings (T5, T12): it would be printed among the further observations. */
export const missingSlot = lintRule(
  "missing-slot",
  "A prompt without a slot for what every turn brings: the question, the persona, the history, tools and their results.",
  (context) =>
    context.files
      .filter(({ kind, name }) => kind === "prompt" && turnPrompts.includes(name))
      .filter((file) => !hasKeyedRest(file, context))
      .flatMap(missingIn),
)

/** Every prompt of a turn needs one slot of each of these lists. */
const wanted: readonly (readonly string[])[] = [["question"], ["persona"], ["history"]]

/** Prompts of these names need one slot of each of their lists too. */
const wantedBesides: Readonly<Record<string, readonly (readonly string[])[]>> = {
  planner: [["tools"], ["runs", "steps"]],
  native: [["steps"]],
  final: [["runs", "steps"]],
}

function missingIn({ file, name: prompt, template, source }: LintFile): LintFinding[] {
  if (template === undefined) return []
  const present = new Set(namedNodes(template.nodes).map(({ name }) => name))
  const omit = source?.attributes.omit
  const omitted = Array.isArray(omit) ? omit : []
  return [...wanted, ...(wantedBesides[prompt] ?? [])]
    .filter((names) => !names.some((name) => present.has(name)) && !names.every((name) => omitted.includes(name)))
    .map((names) => {
      const slots = names.map((name) => `\${${name}}`).join(" or ")
      return finding(file, `expected a slot ${slots} in a ${prompt} prompt, found none.`, {
        line: source?.firstLine ?? 1,
        hint: "Without it, what belongs there is printed at ${rest}. To leave it out on purpose, name it in the front matter: omit: [name].",
      })
    })
}

/** In a dialect that prints the keys of what stands in the system message, injections are meant to be printed there, each under its heading. */
function hasKeyedRest(file: LintFile, { files }: LintContext): boolean {
  const beside = files.filter(
    ({ root, folder, locale }) => root === file.root && folder === file.folder && locale === file.locale,
  )
  return printsKeys(beside.find(({ name }) => name === "standing") ?? beside.find(({ name }) => name === "rest"))
}

function printsKeys(rest: { readonly template?: Template | undefined } | undefined): boolean {
  return namedNodes(rest?.template?.nodes ?? []).some(({ name }) => name === "key")
}

/** `[variables]` that no prompt of the profile's dialect names. */
export const unusedVariable = profileRule(
  "unused-variable",
  "A variable of a profile that no slot or condition of its dialect names.",
  ({ dialect, documents }) => {
    if (dialect === undefined) return []
    const nodes = [...dialect.files.values()].flatMap(({ template }) => namedNodes(template.nodes))
    const names = new Set(nodes.map(({ name }) => name))
    const isPrinted = printsKeys(dialect.files.get("standing") ?? dialect.files.get("rest"))
    return documents.flatMap(({ file, data, locate }) => {
      const isFlag = (name: string) => typeof (data.variables as Readonly<Record<string, unknown>>)[name] === "boolean"
      return variableNames(data)
        .filter((name) => !names.has(name) && (isFlag(name) || !isPrinted))
        .map((name) => {
          const unused = isFlag(name)
            ? `no condition of dialect ${dialect.name} asks for the flag ${name}, so it does nothing.`
            : `no slot of dialect ${dialect.name} names ${name}, so it is printed at \${rest}.`
          const near = oneLetterFrom(name, [...names])
          const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`
          return finding(file, unused + hint, locate(["variables", name]))
        })
    })
  },
)

/** Among shorter names one letter of difference means nothing; a longer one is not worth comparing. */
const [minLength, maxLength] = [4, 100]

/** The candidate that differs from a name by one letter: added, left out or changed. */
function oneLetterFrom(name: string, candidates: readonly string[]): string | undefined {
  if (name.length < minLength || name.length > maxLength) return undefined
  return candidates.find((candidate) => leven(name, candidate, { maxDistance: 2 }) === 1)
}
