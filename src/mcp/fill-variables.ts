import { PromptStrataError } from "../core/errors.ts"

/** The environment of this process, or what stands for it. */
export type Environment = Readonly<Record<string, string | undefined>>

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The values with `${NAME}` filled from the environment. Throws `mcp` naming the first variable that is not set. */
export function fillVariables(values: Readonly<Record<string, string>>, env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, text]) => [
      key,
      text.replace(variable, (_, name: string) => env[name] ?? missing(key, name)),
    ]),
  )
}

function missing(key: string, name: string): never {
  throw new PromptStrataError("mcp", `${key} needs the environment variable ${name}, which is not set.`, {
    hint: `Set ${name}, or write the value into the profile if it is no secret.`,
    evidence: { key, variable: name },
  })
}

/** Those of the named variables that are set. */
export function pickVariables(names: readonly string[], env: Environment): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
