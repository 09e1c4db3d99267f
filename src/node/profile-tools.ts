import { defaultPorts } from "../agent/agent-store.ts"
import type { Clock } from "../core/ports.ts"
import { didYouMean } from "../core/suggest.ts"
import type { FilesSettings, Profile } from "../profile/profile.ts"
import { builtinToolNames, builtinTools, mountTools } from "./builtin-tools.ts"
import { camelKeys } from "./camel-keys.ts"
import type { FileMount } from "./files/file-tool-options.ts"
import { nearestWith } from "./profile-chain.ts"
import type { ProfileFile } from "./profile-schema.ts"
import { type ProfileSearch, report } from "./profile-search.ts"

/** Reports names in `[tools] enabled` that no built-in tool has. */
export function checkEnabledTools(search: ProfileSearch): void {
  const document = nearestWith(search.chain, "tools", "enabled")
  for (const [at, name] of (document?.data.tools?.enabled ?? []).entries()) {
    if (document === undefined || builtinToolNames.includes(name)) continue
    const message = `expected a built-in tool (${builtinToolNames.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, builtinToolNames)}`
    report(
      search,
      { document, path: ["tools", "enabled", at] },
      { message, note: "Tools of your own are passed to createAgent and need no name here." },
    )
  }
}

/** The built-in tools that a profile enables, and how its tools behave. */
export function makeProfileTools(file: ProfileFile, surroundings: ToolSurroundings): Partial<Profile["tools"]> {
  const { locale, dataFolder, clock = defaultPorts.clock, promptFolder, files = {}, mounts } = surroundings
  const { enabled = [], rules, ...rest } = camelKeys(file.tools ?? {})
  const tools = { ...rest, ...(rules ? { rules: ruleTexts(rules) } : {}) }
  const options = {
    locale,
    clock,
    dataFolder,
    ...(promptFolder === undefined ? {} : { promptFolder }),
    ...(files.folder === undefined ? {} : { workspaceFolder: files.folder }),
    ...(files.hardLinks === undefined ? {} : { workspace: { hardLinks: files.hardLinks } }),
    mounts,
  }
  const builtin = builtinTools(enabled, options)
  if (mounts.length === 0 || enabled.includes("read") || file.loop?.mode === "chat") return { ...tools, enabled, builtin }
  return { ...tools, enabled, builtin: [...builtin, ...mountTools(options)] }
}

/** Rules of use are the author's words. */
function ruleTexts(rules: Readonly<Record<string, string>>): Profile["tools"]["rules"] {
  return Object.fromEntries(Object.entries(rules).map(([group, text]) => [group, { text, trust: "author" as const }]))
}

interface ToolSurroundings {
  readonly locale: string
  readonly dataFolder: string
  readonly clock: Clock | undefined
  readonly promptFolder: string | undefined
  readonly files: Partial<FilesSettings> | undefined
  /** What `read` finds beside the workspace; without that tool it is added for these alone (L5). */
  readonly mounts: readonly FileMount[]
}
