import type { Dialect } from "../dialect/dialect.ts"
import { namesInDialect } from "../dialect/named.ts"
import type { Profile } from "../profile/profile.ts"
import type { Plugin } from "../services/plugin.ts"

/** The variables of R3 that follow from the profile's other settings and from plugins, where the dialect names them and `[variables]` leaves them open. */
export function defaultVariables(profile: Profile, dialect: Dialect, plugins: readonly Plugin[]): Record<string, string> {
  const { agent, history, files, output, variables } = profile
  const facts = {
    ...Object.fromEntries(plugins.flatMap(({ variables: own = {} }) => Object.entries(own))),
    agent_name: agent.name,
    context_count: String(history.contextCount),
    supported_formats: (output.files?.formats ?? files.formats).join(", "),
  }
  const named = namesInDialect(dialect)
  return Object.fromEntries(Object.entries(facts).filter(([name]) => named.has(name) && !Object.hasOwn(variables, name)))
}
