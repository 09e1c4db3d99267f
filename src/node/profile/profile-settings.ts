import { dirname, isAbsolute, join, resolve } from "node:path"
import type { TrustedText } from "../../core/value.ts"
import { cronTimes } from "../../loop/agent/schedule/schedule-times.ts"
import type { FilesSettings, McpServerSettings, Profile, ProfileInput } from "../../profile/profile.ts"
import { type ProfileFile, profileFileKeys } from "../../profile/profile-file-keys.ts"
import { profileKeys } from "../../profile/profile-keys.ts"
import { withDefaults } from "../../profile/resolve.ts"
import { promptSlots } from "../../prompt/layers/prompt-names.ts"
import { lastLineWithin, lineStarts } from "../line-starts.ts"
import { offsetOf } from "../toml-positions.ts"
import { absolutePath, nearestSetting, type ProfileSearch, report } from "./profile-chain.ts"
import type { ProfileDocument } from "./profile-document.ts"

type Chain = readonly ProfileDocument[]

/**
 * The settings of a profile that a file's keys give, with absolute folders, each relative to the file that sets it. A key that files and profiles
 * in code share is passed on as it is.
 */
export function profileSettings(file: ProfileFile, chain: Chain, dataFolder: string) {
  const files = filesSettings(file, chain, dataFolder)
  const { memory, plugins } = file
  const keepsDocuments = memory?.store === "documents"
  const documents = file.documents ?? (keepsDocuments ? {} : undefined)
  return {
    ...sharedSettings(file),
    files,
    // A profile that lists plugins recalls only if `memory` is one of them (L8). Without a list the default holds.
    memory: {
      ...memory,
      enabled: memory?.enabled ?? (keepsDocuments || (plugins && (plugins.enabled ?? []).includes("memory"))),
    },
    mcp: profileMcp(file, chain),
    documents: documents && { ...documents, folder: folderAt(chain, "documents") ?? files.folder },
  } satisfies ProfileInput
}

/** Keys of the same name that mean something else in a file. */
type OwnKey = "output" | "processes" | "skills" | "tools" | "plugins" | "variables"

function sharedSettings(file: ProfileFile): Omit<Pick<ProfileFile, keyof ProfileFile & keyof ProfileInput>, OwnKey> {
  const inCode: Readonly<Record<string, unknown>> = profileKeys.keys
  const inFile: Readonly<Record<string, unknown>> = profileFileKeys.keys
  return Object.fromEntries(Object.entries(file).filter(([key]) => inFile[key] === inCode[key]))
}

function filesSettings({ files }: ProfileFile, chain: Chain, dataFolder: string): FilesSettings & { readonly folder: string } {
  const folder = folderAt(chain, "files") ?? join(dataFolder, "workspace")
  return { ...withDefaults(profileKeys.keys.files.keys, files ?? {}), folder }
}

function folderAt(chain: Chain, table: "documents" | "files"): string | undefined {
  const setting = nearestSetting(chain, table, "folder")
  return setting && absolutePath(setting)
}

/** A file's MCP servers. Paths become absolute, each relative to the file that sets it. */
function profileMcp({ mcp }: ProfileFile, chain: Chain): Profile["mcp"] {
  const servers = Object.entries(mcp?.servers ?? {}).map(([name, server]): [string, McpServerSettings] => {
    const { command, cwd, ...settings } = server
    const pathOf = (key: "command" | "cwd", path: string) => {
      const document = chain.find((each) => each.settings.mcp?.servers?.[name]?.[key] !== undefined)
      return document === undefined ? resolve(path) : resolve(dirname(document.path), path)
    }
    return [
      name,
      {
        ...settings,
        ...(command === undefined ? {} : { command: isRelativePath(command) ? pathOf("command", command) : command }),
        ...(cwd === undefined ? {} : { cwd: pathOf("cwd", cwd) }),
      },
    ]
  })
  return { servers: Object.fromEntries(servers) }
}

/** Any other command is absolute, or a name that is looked up on PATH. */
function isRelativePath(command: string): boolean {
  return !isAbsolute(command) && (command.includes("/") || command.includes("\\"))
}

/** Reports a `[memory] reflect_schedule` that is no cron pattern, before the first reflection would find out. */
export async function checkReflectSchedule(search: ProfileSearch): Promise<void> {
  const setting = nearestSetting(search.chain, "memory", "reflectSchedule")
  if (setting === undefined) return
  try {
    // In a zone that exists: a bad one is reported by its own name.
    await cronTimes(setting.value, "UTC")
  } catch {
    report(search, setting, `expected a cron pattern such as "0 4 * * *", found ${JSON.stringify(setting.value)}.`)
  }
}

/** The `[variables]` of a chain of profiles, nearest first. Numbers become text, and each text has its file and line as source. */
export function profileVariables(chain: readonly ProfileDocument[]): Record<string, boolean | TrustedText> {
  return Object.fromEntries(chain.toReversed().flatMap(variablesOf))
}

/** Reports variables that have the name of one of the agent's own slots: they would replace it, or never be shown. */
export function checkVariables(search: ProfileSearch): void {
  for (const document of search.chain) {
    for (const name of Object.keys(document.settings.variables ?? {})) {
      if (!promptSlots.some((slot) => slot === name)) continue
      const message = `expected a name of your own, found ${JSON.stringify(name)}, which stands for what the agent itself puts into prompts.`
      report(search, { document, path: ["variables", name] }, message, `Rename it, such as my_${name}.`)
    }
  }
}

function variablesOf(document: ProfileDocument): [string, boolean | TrustedText][] {
  const starts = lineStarts(document.text)
  return Object.entries(document.settings.variables ?? {}).map(([key, value]) => {
    if (typeof value === "boolean") return [key, value]
    const line = lastLineWithin(starts, offsetOf(document.positions, ["variables", key])) + 1
    return [key, { text: String(value), trust: "author", source: { file: document.file, line } }]
  })
}
