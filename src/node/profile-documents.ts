import type { Clock } from "../core/ports.ts"
import type { Profile } from "../profile/profile.ts"
import { promptsWithOwn } from "./builtin-tools.ts"
import { type FileMount, fileToolNames } from "./files/file-tool-options.ts"
import { documentsPlugin } from "./living-documents.ts"

interface DocumentSurroundings {
  readonly promptFolder: string | undefined
  readonly clock: Clock | undefined
  readonly mounts: readonly FileMount[]
}

/**
 * A profile with its living documents as a plugin, where it has some (D1). Their tools are `read`, `write`, `edit` and whichever
 * other file tools the profile enables: one workspace, so that what guards the documents guards all ways to them.
 */
export function withDocuments(profile: Profile, { promptFolder, clock, mounts }: DocumentSurroundings): Profile {
  const { documents, files, locale, tools, loop } = profile
  const folder = documents?.folder ?? files.folder
  if (documents === undefined || folder === undefined) return profile
  const wanted = loop.mode === "chat" ? [] : ["read", "write", "edit", ...tools.enabled]
  const plugin = documentsPlugin(folder, {
    ...documents,
    locale,
    prompts: promptsWithOwn(promptFolder),
    mounts,
    tools: fileToolNames.filter((name) => wanted.includes(name)),
    files: { hardLinks: files.hardLinks, ...(clock ? { clock } : {}) },
  })
  const builtin = tools.builtin.filter(({ name }) => !(fileToolNames as readonly string[]).includes(name))
  return { ...profile, plugins: [...profile.plugins, plugin], tools: { ...tools, builtin } }
}
