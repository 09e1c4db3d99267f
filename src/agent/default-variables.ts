import type { Dialect } from "../dialect/dialect.ts"
import { namesInDialect } from "../dialect/named.ts"
import type { Profile } from "../profile/profile.ts"

/** The variables of R3 that follow from the profile's other settings, where the dialect names them and `[variables]` leaves them open. */
export function defaultVariables(profile: Profile, dialect: Dialect): Record<string, string> {
  const { agent, history, files, output, variables } = profile
  const facts = {
    agent_name: agent.name,
    context_count: String(history.contextCount),
    supported_formats: (output.files?.formats ?? files.formats).join(", "),
  }
  const named = namesInDialect(dialect)
  return Object.fromEntries(Object.entries(facts).filter(([name]) => named.has(name) && !Object.hasOwn(variables, name)))
}
