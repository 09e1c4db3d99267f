import { nearestWith } from "./profile-chain.ts"
import { formatKeyPath, type ProfileProblem, problemsError } from "./profile-problem.ts"
import type { ProfileFile } from "./profile-schema.ts"
import type { ProfileDocument } from "./read-profile-file.ts"
import { offsetOf } from "./toml-positions.ts"

/** Follows what a chain of profiles names, and gathers what is not there. */
export interface ProfileSearch {
  readonly chain: readonly ProfileDocument[]
  readonly locale: string
  readonly problems: Map<ProfileDocument, ProfileProblem[]>
}

/** A setting and the profile that decides it: its paths are relative to that profile's file. */
export interface Setting<T> {
  readonly document: ProfileDocument
  readonly value: T
}

/** A setting of `[prompt]` that some profile of the chain has. */
export function promptSetting(
  { chain }: ProfileSearch,
  key: keyof NonNullable<ProfileFile["prompt"]>,
): Setting<string> | undefined {
  const document = nearestWith(chain, "prompt", key)
  const value = document?.data.prompt?.[key]
  return document === undefined || value === undefined ? undefined : { document, value }
}

/** Notes a problem at a key; `message` says what was expected and what was found, `note` stands below the place. */
export function report(
  { problems }: ProfileSearch,
  at: { readonly document: ProfileDocument; readonly path: readonly PropertyKey[] },
  said: { readonly message: string; readonly note?: string },
): void {
  const { document, path } = at
  const problem = { ...said, message: `${formatKeyPath(path)}: ${said.message}`, offset: offsetOf(document.positions, path) }
  problems.set(document, [...(problems.get(document) ?? []), problem])
}

/** Throws everything that was reported as one error `profile`. */
export function refuseReported({ problems }: ProfileSearch): void {
  if (problems.size > 0) throw problemsError([...problems].map(([{ file, text }, found]) => ({ file, text, problems: found })))
}
