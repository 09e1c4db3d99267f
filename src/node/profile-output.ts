import type { Clock } from "../core/ports.ts"
import { profileDefaults } from "../profile/defaults.ts"
import type { FilesSettings, OutputSettings } from "../profile/profile.ts"
import { createFileReferences } from "./files/create-file-references.ts"
import { workspaceOnDemand } from "./files/workspace-on-demand.ts"
import type { ProfileFile } from "./profile-schema.ts"

/** How a profile file's answers are read; with `file_references` they can show files of its workspace (R8). */
export function profileOutput(
  { output = {} }: ProfileFile,
  files: Partial<FilesSettings> = {},
  clock?: Clock,
): Partial<OutputSettings> {
  const { file_references: isOpening, ...rest } = output
  const { folder, hardLinks = profileDefaults.files.hardLinks, formats = profileDefaults.files.formats } = files
  if (isOpening !== true || folder === undefined) return rest
  const workspace = workspaceOnDemand(folder, { hardLinks, ...(clock ? { clock } : {}) })
  return { ...rest, files: createFileReferences(workspace, { formats }) }
}
