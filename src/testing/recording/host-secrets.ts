import { type FindSecrets, secretFinder } from "./secret-ranges.ts"

/** Finds what the caller lists and what the process's environment keeps secret. */
export function hostSecrets(listed: readonly string[] = []): FindSecrets {
  return secretFinder(listed, globalThis.process?.env ?? {})
}
