import type { Dialect } from "../../dialect/dialect.ts"
import type { LintProfile } from "../context.ts"
import { variableNames } from "../known-slots.ts"
import { oneLetterFrom } from "../near-name.ts"
import { namedNodes } from "../nodes.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** `[variables]` that no prompt of the profile's dialect names. */
export const unusedVariable = lintRule(
  "unused-variable",
  "A variable of a profile that no slot or condition of its dialect names.",
  ({ profiles }) => profiles.filter(({ linted }) => linted).flatMap(unusedIn),
)

function unusedIn({ dialect, documents }: LintProfile): LintFinding[] {
  if (dialect === undefined) return []
  const named = namesIn(dialect)
  const printsKeys = namedNodes(dialect.files.get("rest")?.template.nodes ?? []).some(({ name }) => name === "key")
  return documents.flatMap((document) =>
    variableNames(document.data)
      .filter((name) => !named.has(name))
      .filter((name) => isFlag(document.data, name) || !printsKeys)
      .map((name) => ({
        severity: "warning",
        message: isFlag(document.data, name)
          ? `no condition of dialect ${dialect.name} asks for the flag ${name}, so it does nothing.${meant(name, named)}`
          : `no slot of dialect ${dialect.name} names ${name}, so it is printed at \${rest}.${meant(name, named)}`,
        file: document.file,
        ...document.locate(["variables", name]),
      })),
  )
}

function meant(name: string, named: ReadonlySet<string>): string {
  const near = oneLetterFrom(name, [...named])
  return near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`
}

function isFlag({ variables }: Readonly<Record<string, unknown>>, name: string): boolean {
  return typeof (variables as Readonly<Record<string, unknown>>)[name] === "boolean"
}

function namesIn({ files }: Dialect): ReadonlySet<string> {
  return new Set([...files.values()].flatMap(({ template }) => namedNodes(template.nodes).map(({ name }) => name)))
}
