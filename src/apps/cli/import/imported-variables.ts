import { secretFinder } from "../../../core/secrets/find-secrets.ts"
import { unsafeKeys } from "../../../node/profile/profile-document.ts"
import { hashOf } from "../../../node/workspace/text-encoding.ts"
import type { McpServerSettings } from "../../../profile/profile.ts"

/** A value of a server's `env` or `headers`, or in its arguments, in another program's settings. */
export interface ImportedField {
  /** The name that the server has in the profile. */
  readonly server: string
  readonly settings: McpServerSettings
  readonly kind: "env" | "headers" | "args"
  readonly field: string
  readonly value: unknown
  /** The place among the arguments. */
  readonly at?: number
}

/** Names that a program's environment and a request can have. */
const forms = { env: /^[A-Za-z_][A-Za-z0-9_.()-]*$/, headers: /^[\w!#$%&'*+.^`|~-]+$/, args: /^/ }
const kindWords = { env: "ENV", headers: "HEADER", args: "ARG" }

/**
 * The variable of the environment that stands for an imported value, and says what to set. Its end is a hash of the server's name,
 * of its program or address, and of the field, so that what a person sets for one of them never reaches another one. One that is
 * set already is not taken. Undefined for a field whose name cannot be used.
 */
export function variableOf(
  { server, settings, kind, field, value, at: place }: ImportedField,
  { env, say }: { readonly env: Readonly<Record<string, string | undefined>>; say(what: string): void },
): string | undefined {
  const shown = `${kind}.${field.slice(0, 60)}`
  if (!forms[kind].test(field) || unsafeKeys.has(field)) {
    say(`${shown}: not taken, because ${kind === "env" ? "no variable" : "no header"} can have this name.`)
    return undefined
  }
  const { command, args, cwd, url } = settings
  const words = `PROMPTSTRATA_MCP_${server}_${kindWords[kind]}_${field.slice(0, 60)}`
  const hash = hashOf(
    new TextEncoder().encode(
      JSON.stringify([server, command, args, cwd, url, kind, field, ...(place === undefined ? [] : [place])]),
    ),
  ).slice(0, 16)
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

/** An argument of a program. A secret in it is apart. */
export interface ImportedArgument {
  readonly before: string
  readonly secret?: { readonly field: string; readonly value: string }
  readonly after: string
}

const secretName =
  /(?:^|[-_.])(?:\w*(?:token|secret|passw(?:or)?d|(?:api|access|auth|private)key)|(?:\w+[-_])?key|\w*auth|authorization|bearer|credentials?|cookies?|pat|pass|pw)$/i
const findSecrets = secretFinder([], {})

/** Takes apart the arguments of a program: values of headers and variables, what stands behind `--api-key`, and texts with the shape of a secret. */
export function importedArguments(args: readonly string[]): readonly ImportedArgument[] {
  return args.map((arg, at) => {
    const [before, field, value] = secretOf(arg, args[at - 1] ?? "") ?? []
    if (before === undefined || !field || !value) return { before: arg, after: "" }
    return { before, secret: { field, value }, after: arg.slice(before.length + value.length) }
  })
}

/** Returns the text before a secret, its name, and the secret. */
function secretOf(arg: string, previous: string): readonly (string | undefined)[] | undefined {
  const flag = previous.replace(/^-+/, "")
  const isHeader = previous === "-H" || /^--headers?$/.test(previous)
  const [, before, name = "", value] = /^((?:--headers?=)?([\w-]+)\s*:\s*)([^/\s].*)$/s.exec(arg) ?? []
  if (value && (isHeader || arg.startsWith("--header") || secretName.test(name))) return [before, name, value]
  const [, start, option = "", given] = /^(-{0,2}([\w.-]+)=)(.+)$/s.exec(arg) ?? []
  if (given && (secretName.test(option) || previous === "-e" || previous === "--env")) return [start, option, given]
  if (previous.startsWith("-") && secretName.test(flag) && !arg.startsWith("-")) return ["", flag, arg]
  // A file that is imported may not ask for what a person sets for another server.
  if (/\$\{PROMPTSTRATA_MCP_/i.test(arg)) return ["", "value", arg]
  const [first, last] = [findSecrets(arg)[0], findSecrets(arg).at(-1)]
  return first && last && [arg.slice(0, first[0]), flag || "value", arg.slice(first[0], last[1])]
}
