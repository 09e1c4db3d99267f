import { didYouMean } from "../../core/suggest.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { FilesSettings, Profile, ProfileInput } from "../../profile/profile.ts"
import type { ProfileFile } from "../../profile/profile-file-keys.ts"
import { type BuiltinToolOptions, builtinToolNames, builtinTools, mountTools, promptsWithOwn } from "../builtin-tools.ts"
import { createFileReferences } from "../files/create-file-references.ts"
import { type FileMount, fileToolNames } from "../files/file-tool-options.ts"
import { workspaceOnDemand } from "../files/workspace-on-demand.ts"
import { documentsPlugin } from "../living-documents.ts"
import { skillPluginTools } from "../plugins/load-plugin.ts"
import { nearestSetting, type ProfileSearch, report } from "./profile-chain.ts"

/** Everything beside the profile that its tools are made from. */
export interface ToolSurroundings extends BuiltinToolOptions {
  readonly files: FilesSettings & { readonly folder: string }
  /** Folders that `read` can see beside the workspace. Without that tool it is added for these alone (L5). */
  readonly mounts: readonly FileMount[]
}

/** Reports names in `[tools] enabled` that no built-in tool has. */
export function checkEnabledTools(search: ProfileSearch): void {
  const setting = nearestSetting(search.chain, "tools", "enabled")
  for (const [at, name] of setting?.value.entries() ?? []) {
    if (setting === undefined || builtinToolNames.includes(name)) continue
    report(
      search,
      { ...setting, path: [...setting.path, at] },
      `expected a built-in tool (${builtinToolNames.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, builtinToolNames)}`,
      "Tools of your own are passed to createAgent and need no name here.",
    )
  }
}

/** The built-in tools that a profile enables, those that its skill plugins use (L11), and how its tools behave. */
export function makeProfileTools(file: ProfileFile, plugins: readonly Plugin[], surroundings: ToolSurroundings) {
  const { files, mounts } = surroundings
  const { enabled: chosen = [], rules = {}, ...settings } = file.tools ?? {}
  const used = file.loop?.mode === "chat" ? [] : skillPluginTools(plugins).filter((name) => builtinToolNames.includes(name))
  const enabled = [...new Set([...chosen, ...used])]
  const options = { ...surroundings, workspaceFolder: files.folder, workspace: { hardLinks: files.hardLinks } }
  const needsRead = mounts.length > 0 && !enabled.includes("read") && file.loop?.mode !== "chat"
  const builtin = [...builtinTools(enabled, options), ...(needsRead ? mountTools(options) : [])]
  return { ...settings, rules: ruleTexts(rules), enabled, builtin } satisfies ProfileInput["tools"]
}

/** Rules of use are the author's words. */
function ruleTexts(rules: Readonly<Record<string, string>>): Profile["tools"]["rules"] {
  return Object.fromEntries(Object.entries(rules).map(([group, text]) => [group, { text, trust: "author" as const }]))
}

/**
 * A profile with its living documents as a plugin, where it has some (D1). Their tools are `read`, `write`, `edit` and whichever
 * other file tools the profile enables. All of them share one workspace, so that what guards the documents guards every way to them.
 */
export async function withDocuments(
  profile: Profile,
  { promptFolder, clock, mounts, dataFolder, path }: ToolSurroundings & { readonly path: string },
  onWarning: (message: string) => void,
): Promise<Profile> {
  const { documents, files, locale, tools, loop, memory } = profile
  const folder = documents?.folder ?? files.folder
  if (documents === undefined || folder === undefined) return profile
  const wanted = loop.mode === "chat" ? [] : ["read", "write", "edit", ...tools.enabled]
  const learning = memory.store === "documents" && memory.enabled ? await import("../documents/learned-documents.ts") : undefined
  const warning = await learning?.earlierFacts(folder, path, dataFolder)
  if (warning !== undefined) onWarning(warning)
  const plugin = (learning?.learningPlugin ?? documentsPlugin)(folder, {
    ...documents,
    locale,
    prompts: promptsWithOwn(locale, promptFolder),
    mounts,
    tools: fileToolNames.filter((name) => wanted.includes(name)),
    // What the profile enables is for other files too, which memory off does not concern.
    toolsOff: fileToolNames.filter((name) => loop.mode !== "chat" && tools.enabled.includes(name)),
    files: { hardLinks: files.hardLinks, clock },
  })
  const builtin = tools.builtin.filter(({ name }) => !(fileToolNames as readonly string[]).includes(name))
  return { ...profile, plugins: [...profile.plugins, plugin], tools: { ...tools, builtin } }
}

/** How a profile file's answers are read. With `file_references` they can show files of its workspace (R8). */
export function profileOutput({ output = {} }: ProfileFile, { files, clock }: ToolSurroundings): ProfileInput["output"] {
  const { fileReferences, ...settings } = output
  if (fileReferences !== true) return settings
  const workspace = workspaceOnDemand(files.folder, { hardLinks: files.hardLinks, clock })
  return { ...settings, files: createFileReferences(workspace, { formats: files.formats }) }
}
