import { lazyPattern } from "../../core/lazy-pattern.ts"
import type { TemplateNode } from "../../prompt/template/ast.ts"
import { turnPrompts, variableNames } from "../known-slots.ts"
import { finding, type LintContext, type LintFile, type LintFinding, lintRule, placeOf } from "../rule.ts"
import { eachNode } from "../template-names.ts"
import { bodyLines, columnAt } from "../text-positions.ts"

/** Slots whose value is new each turn. `rest`, `developer` and `base` can hold anything, so the rule ignores them. */
const perTurn: ReadonlySet<string> = new Set(["question", "history", "memories", "prestart", "runs", "steps", "note", "fault"])

/** Slots of the layers, which stay the same over all turns. */
const stable: ReadonlySet<string> = new Set(["persona", "format", "skills", "tools", "final_system"])

/** A turn's own values in front of the layers of a system message (L1, S15). */
export const cacheOrder = lintRule(
  "cache-order",
  "A slot that changes every turn, in a system message before what stays the same: no provider can cache what follows it.",
  ({ files }) => files.filter(({ kind, name }) => kind === "prompt" && turnPrompts.includes(name)).flatMap(misplacedIn),
)

function misplacedIn({ file, template }: LintFile): LintFinding[] {
  return systemParts(template?.nodes ?? []).flatMap((part) => {
    const first = part.findIndex((node) => isNamed(node, perTurn))
    const node = part[first]
    if (node === undefined || !part.slice(first + 1).some(holdsStable) || node.source.file !== file) return []
    const name = "name" in node ? node.name : ""
    const message = `expected \${${name}} after what stays the same in a system message, found it before.`
    const hint =
      "Everything after it is new to the provider every turn, so it cannot be cached: move the slot to the user message."
    return [finding(file, message, { ...placeOf(node.source), hint })]
  })
}

/** The nodes of each system message. A prompt begins with a system message only if its first node says so. */
function systemParts(nodes: readonly TemplateNode[]): TemplateNode[][] {
  const parts: TemplateNode[][] = []
  let part: TemplateNode[] | undefined
  for (const node of nodes) {
    if (node.type === "role") {
      part = node.role === "system" ? [] : undefined
      if (part) parts.push(part)
    } else if (node.type === "messages") part = undefined
    else part?.push(node)
  }
  return parts
}

function holdsStable(node: TemplateNode): boolean {
  if (isNamed(node, stable)) return true
  return node.type === "conditional" && !perTurn.has(node.name) && [...node.then, ...node.otherwise].some(holdsStable)
}

function isNamed(node: TemplateNode, names: ReadonlySet<string>): boolean {
  return (node.type === "slot" || node.type === "conditional") && names.has(node.name)
}

/** Dates, times and random ids in text that has to stay the same (L1, S15). */
export const volatileValue = lintRule(
  "volatile-value",
  "A date, a time or a random id in a persona, format, skill, variable or in a prompt's own words.",
  (context) => {
    const inline = inlineSkills(context)
    return [...context.files.flatMap((file) => volatileIn(file, inline)), ...volatileVariables(context)]
  },
)

/** The skills whose instructions stand in a prompt. Those of an outline with a path are read by a tool, which no cache depends on. */
function inlineSkills({ profiles }: LintContext): ReadonlySet<string> {
  const loaded = profiles.flatMap(({ profile }) => [
    ...(profile?.skills ?? []),
    ...(profile?.plugins ?? []).flatMap(({ skills = [] }) => skills),
  ])
  return new Set(loaded.filter(({ mode, path }) => mode === "inline" || path === undefined).map(({ source }) => source.file))
}

function volatileIn(file: LintFile, inline: ReadonlySet<string>): LintFinding[] {
  if (file.kind === "prompt") return volatileFrames(file)
  if (file.kind === "skill" && !inline.has(file.file)) return []
  if (file.kind !== "persona" && file.kind !== "format" && file.kind !== "skill") return []
  return [...bodyLines(file)].flatMap(({ text, line }) => volatileText(text, { file: file.file, line }))
}

/** Checks the literal text of a prompt, line by line. Expressions are left out: they are data or names. */
function volatileFrames({ file, text, template }: LintFile): LintFinding[] {
  const whole = text.split(/\r\n|\n|\r/)
  return eachNode(template?.nodes ?? []).flatMap((node) => {
    if (node.type !== "literal" || node.source.file !== file) return []
    const first = node.source.line
    // The line of a literal is that of its first words.
    const lines = node.text.replace(/^\n+/, "").split("\n")
    return lines.flatMap((literal, at) => volatileText(literal, { file, line: first + at }, whole[first + at - 1]))
  })
}

function volatileVariables({ profiles }: LintContext): LintFinding[] {
  const documents = profiles.filter(({ linted }) => linted).flatMap((profile) => profile.documents)
  return documents.flatMap(({ file, data, locate }) =>
    variableNames(data).flatMap((name) => {
      const value = (data.variables as Readonly<Record<string, unknown>>)[name]
      const { line, column } = locate(["variables", name])
      return volatileText(String(value), { file, line }).map((found) => ({ ...found, column, endColumn: undefined }))
    }),
  )
}

/** The first volatile value of a line. `whole` is the whole line of the file, if `text` is only a part of it. */
function volatileText(
  text: string,
  { file, line }: { readonly file: string; readonly line: number },
  whole: string = text,
): LintFinding[] {
  for (const { what, pattern, excusable } of volatilePatterns) {
    const found = pattern().exec(text)?.[0]
    if (found === undefined || (excusable && excuse().test(text))) continue
    const column = columnAt(whole, Math.max(0, whole.indexOf(found)))
    const hint =
      "The layers of a system prompt stay the same over all turns, so that a provider caches them. What changes belongs to a prestart tool or a hook."
    const message = `expected text that stays the same, found ${what}.`
    return [finding(file, message, { line, column, endColumn: column + [...found].length, hint })]
  }
  return []
}

/** Something that changes from day to day or from run to run. */
interface VolatilePattern {
  /** Its name in a message. */
  readonly what: string
  readonly pattern: () => RegExp
  /** True if words such as "born" or "such as" on the same line show that it stays as it is. */
  readonly excusable?: true
}

/** Every pattern takes time linear in the text: no part of one can match in two ways. */
const volatilePatterns: readonly VolatilePattern[] = [
  {
    what: "a random id",
    pattern: lazyPattern(String.raw`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`, "i"),
  },
  { what: "a random id", pattern: lazyPattern(String.raw`\b(?=[a-f]{0,23}\d)(?=\d{0,23}[a-f])[0-9a-f]{24,128}\b`, "i") },
  {
    what: "today's date or the time",
    pattern: lazyPattern(
      String.raw`\b(?:today|tomorrow|the (?:current|present) (?:date|day|time)|the time) is (?:now )?(?:a )?(?:mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d)`,
      "i",
    ),
  },
  {
    what: "today's date or the time",
    pattern: lazyPattern(
      String.raw`(?:今天|明天|现在|此刻|当前(?:的)?(?:时间|日期|时刻))(?:是|为|：|:)[ ]?(?:\d|[零〇一二三四五六七八九十]+[月点号日]|周|星期|礼拜|上午|下午|凌晨|晚上)`,
      "",
    ),
  },
  {
    what: "a placeholder for the date, the time or an id, in a language that is not read here",
    pattern: lazyPattern(
      String.raw`\{\{ ?(?:current_?|today_?)?(?:date|time|datetime|timestamp|now|today|uuid|random_?id)(?:_?(?:date|time|now|id))? ?\}\}`,
      "i",
    ),
  },
  {
    what: "a date",
    pattern: lazyPattern(String.raw`(?<!\d)(?:19|20)\d\d(?:[-/.]\d{1,2}[-/.]\d{1,2}(?![\d-])|年\d{1,2}月\d{1,2}[日号])`, ""),
    excusable: true,
  },
]

/** Words that show why a date is in a text for good. */
const excuse = lazyPattern(
  String.raw`\b(?:born|birthday|birth|since|founded|established|version|such as|for example|for instance|example|e\.g|format|released|cutoff)\b|生日|出生|生于|诞生|成立|创立|版本|发布|例如|比如|譬如|示例|格式|如`,
  "i",
)
