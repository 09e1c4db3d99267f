import { dirname, resolve } from "node:path"
import { closePlugins } from "../../agent/close-plugins.ts"
import { defaultPorts } from "../../agent/default-ports.ts"
import { positionAt } from "../../core/source.ts"
import { shippedDialect } from "../../dialect/shipped.ts"
import type { LintProfile } from "../../lint/context.ts"
import type { Profile } from "../../profile/profile.ts"
import { loadProfile } from "../load-profile.ts"
import { readProfileChain } from "../profile-chain.ts"
import type { ProfileDocument } from "../read-profile-file.ts"
import { displayPath } from "../shipped-files.ts"
import { offsetOf } from "../toml-positions.ts"
import { errorFaults } from "./load-faults.ts"

/** Which profile is read, and how. */
export interface ReadProfileOptions {
  readonly path: string
  readonly locale: string
  /** Folders in which the names of profiles are looked up. */
  readonly roots: readonly string[]
  /** False for a profile that is read only to know which files it uses. */
  readonly linted: boolean
}

/** A profile's own file and the files that it extends, nearest first; none if one of them is broken. */
export function readChain(path: string, roots: readonly string[]): readonly ProfileDocument[] {
  try {
    return readProfileChain(path, roots)
  } catch {
    // Loading the profile reports the mistake.
    return []
  }
}

/** Loads a profile as `loadProfile` does. The mistakes of one that does not load are among its faults. */
export async function readLintProfile(
  chain: readonly ProfileDocument[],
  { path, locale, roots, linted }: ReadProfileOptions,
): Promise<LintProfile> {
  const file = displayPath(path)
  const folder = promptFolderOf(chain)
  const documents = chain.map(({ file: shown, text, data, positions }) => ({
    file: shown,
    data,
    locate: (key: readonly PropertyKey[]) => positionAt(text, offsetOf(positions, key)),
  }))
  const common = { file, locale, linted, documents, promptFolder: folder === undefined ? undefined : displayPath(folder) }
  try {
    const profile = await loadProfile(path, { locale, roots, env: {} })
    // Plugins are looked at and never run, so what they hold open is freed. One that fails or hangs then is no fault of the profile.
    await closePlugins(profile.plugins, { timers: defaultPorts.timers, timeoutMs: 2_000 }).catch(() => undefined)
    const dialect = typeof profile.dialect === "string" ? shippedDialect(profile.dialect, profile.locale) : profile.dialect
    return { ...common, profile, dialect, uses: textsOf(profile), faults: [] }
  } catch (error) {
    return { ...common, uses: [], faults: linted ? errorFaults(error, file) : [] }
  }
}

/** The path of the prompts folder whose files replace those of a profile's dialect. */
export function promptFolderOf(chain: readonly ProfileDocument[]): string | undefined {
  for (const { path, data } of chain) {
    const folder = data.prompt?.folder
    if (folder !== undefined) return resolve(dirname(path), folder)
  }
  return undefined
}

function textsOf({ persona, format, final, skills }: Profile): string[] {
  const sources = [persona.source, format?.source, final.system?.source, ...skills.map(({ source }) => source)]
  return sources.flatMap((source) => (source === undefined ? [] : [source.file]))
}
