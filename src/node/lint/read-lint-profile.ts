import { dirname, resolve } from "node:path"
import { defaultPorts } from "../../agent/agent-store.ts"
import { closePlugins } from "../../agent/agent-work.ts"
import { positionAt } from "../../core/source.ts"
import type { Dialect } from "../../dialect/dialect.ts"
import { shippedDialect } from "../../dialect/shipped.ts"
import type { LintDocument, LintProfile } from "../../lint/context.ts"
import type { Profile } from "../../profile/profile.ts"
import { loadProfile } from "../load-profile.ts"
import { readProfileChain } from "../profile-chain.ts"
import type { ProfileDocument } from "../read-profile-file.ts"
import { displayPath } from "../shipped-files.ts"
import { offsetOf } from "../toml-positions.ts"
import { errorFaults } from "./error-faults.ts"

/** Which profile, and how it is read. */
export interface ReadProfileOptions {
  readonly path: string
  readonly locale: string
  readonly roots: readonly string[]
  readonly linted: boolean
}

/** A profile's own files, nearest first; none where one of them is broken. */
export function readChain(path: string, roots: readonly string[]): readonly ProfileDocument[] {
  try {
    return readProfileChain(path, roots)
  } catch {
    // Loading the profile says why.
    return []
  }
}

/** Loads a profile as `loadProfile` does; why it does not load stands among its faults. */
export async function readLintProfile(
  chain: readonly ProfileDocument[],
  { path, locale, roots, linted }: ReadProfileOptions,
): Promise<LintProfile> {
  const file = displayPath(path)
  const common = { file, locale, linted, documents: chain.map(documentOf), ...folderOf(chain) }
  try {
    const profile = await loadProfile(path, { locale, roots, env: {} })
    await free(profile)
    return { ...common, profile, dialect: dialectOf(profile), uses: textsOf(profile), faults: [] }
  } catch (error) {
    return { ...common, uses: [], faults: linted ? errorFaults(error, file) : [] }
  }
}

/** What plugins bring is looked at, never run; what they hold open is freed. A plugin that fails or hangs at that is no fault of the profile. */
async function free({ plugins }: Profile): Promise<void> {
  await closePlugins(plugins, { timers: defaultPorts.timers, timeoutMs: 2_000 }).catch(() => undefined)
}

/** The prompts folder that a chain lays over its dialect, as a path. */
export function promptFolderOf(chain: readonly ProfileDocument[]): string | undefined {
  const document = chain.find(({ data }) => data.prompt?.folder !== undefined)
  const folder = document?.data.prompt?.folder
  return document === undefined || folder === undefined ? undefined : resolve(dirname(document.path), folder)
}

function folderOf(chain: readonly ProfileDocument[]): Pick<LintProfile, "promptFolder"> {
  const folder = promptFolderOf(chain)
  return folder === undefined ? {} : { promptFolder: displayPath(folder) }
}

function documentOf({ file, text, data, positions }: ProfileDocument): LintDocument {
  return { file, data, locate: (path) => positionAt(text, offsetOf(positions, path)) }
}

function dialectOf({ dialect, locale }: Profile): Dialect {
  return typeof dialect === "string" ? shippedDialect(dialect, locale) : dialect
}

function textsOf({ persona, format, final, skills }: Profile): string[] {
  const sources = [persona.source, format?.source, final.system?.source, ...skills.map(({ source }) => source)]
  return sources.flatMap((source) => (source === undefined ? [] : [source.file]))
}
