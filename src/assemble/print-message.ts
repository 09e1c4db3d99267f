import type { Injection } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { parseTemplate } from "../template/parse.ts"
import { cleanInjection } from "./clean-injections.ts"
import { compose } from "./print/compose.ts"

/** The last message that injections print in a prompt of a dialect, cleaned and encoded, not counted; `""` where there is none. */
export function printMessage(injections: readonly Injection[], dialect: Dialect, prompt: string): string {
  const clean = injections.map((injection) => cleanInjection(injection)?.injection ?? injection)
  const { messages } = compose(clean, { dialect, prompt })
  return (messages.at(-1)?.pieces ?? []).map(({ text }) => text).join("")
}

/** No file has this name: a file's name ends before its first dot. */
const aloneName = "alone.injection"

/** What one injection prints in a dialect where it stands alone on its lines. */
export function printAlone(injection: Injection, dialect: Dialect): string {
  const template = parseTemplate(`\${role(system)}\n\${${injection.key}}`)
  const files = new Map(dialect.files).set(aloneName, { template, separator: "\n", omit: [] })
  return printMessage([injection], { ...dialect, files }, aloneName)
}
