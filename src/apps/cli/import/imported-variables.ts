import { unsafeKeys } from "../../../node/profile/profile-document.ts"
import { hashOf } from "../../../node/workspace/text-encoding.ts"
import type { McpServerSettings } from "../../../profile/profile.ts"

/** A value of a server's `env` or `headers` in another program's settings. */
export interface ImportedField {
  /** The name that the server has in the profile. */
  readonly server: string
  readonly settings: McpServerSettings
  readonly kind: "env" | "headers"
  readonly field: string
  readonly value: unknown
}

/** Names that a program's environment and a request can have. */
const forms = { env: /^[A-Za-z_][A-Za-z0-9_.()-]*$/, headers: /^[\w!#$%&'*+.^`|~-]+$/ }

/**
 * The variable of the environment that stands for an imported value, and says what to set. Its end is a hash of the server's name,
 * of its program or address, and of the field, so that what a person sets for one of them never reaches another one. One that is
 * set already is not taken. Undefined for a field whose name cannot be used.
 */
export function variableOf(
  { server, settings, kind, field, value }: ImportedField,
  { env, say }: { readonly env: Readonly<Record<string, string | undefined>>; say(what: string): void },
): string | undefined {
  const shown = `${kind}.${field.slice(0, 60)}`
  if (!forms[kind].test(field) || unsafeKeys.has(field)) {
    say(`${shown}: not taken, because ${kind === "env" ? "no variable" : "no header"} can have this name.`)
    return undefined
  }
  const { command, args, cwd, url } = settings
  const words = `PROMPTSTRATA_MCP_${server}_${kind === "env" ? "ENV" : "HEADER"}_${field.slice(0, 60)}`
  const hash = hashOf(new TextEncoder().encode(JSON.stringify([server, command, args, cwd, url, kind, field]))).slice(0, 16)
  const first = `${words.replace(/[^A-Za-z0-9]+/g, "_")}_${hash}`.toUpperCase()
  // Windows tells no cases apart.
  const set = new Set(Object.keys(env).map((name) => name.toUpperCase()))
  let variable = first
  for (let at = 2; set.has(variable); at++) variable = `${first}_${at}`
  const [, named] = /\$\{?(?:\w+:)?([A-Za-z_]\w*)/.exec(typeof value === "string" ? value : "") ?? []
  say(
    [
      `${shown}: its value was not copied; set ${variable} in the environment.`,
      ...(variable === first ? [] : [`${first} is there already and is not taken.`]),
      ...(named === undefined ? [] : [`The file names ${named.slice(0, 60)} there, which is not used.`]),
    ].join(" "),
  )
  return variable
}
