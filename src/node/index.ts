// Profiles and what they name

export { loadPersona, type Persona } from "./load-persona.ts"
export { loadPlugins } from "./plugins/load-plugins.ts"
export type { PluginContext, PluginDefinition, PluginFactory, SkillDefinition } from "./plugins/plugin-module.ts"
export { type LoadProfileOptions, loadProfile } from "./profile/load-profile.ts"
export { type ProfileWatch, watchProfile } from "./profile/watch-profile.ts"
export { loadSkills } from "./skills/load-skills.ts"
export type { SkillProblem } from "./skills/skill-problem.ts"

// A folder that a character may touch

export type { FileStats, FileSystem, OpenFile } from "./workspace/file-system.ts"
export { openFolder } from "./workspace/open-workspace.ts"
export type {
  FileWorkspace,
  FileWorkspaceOptions,
  SearchOutcome,
  WorkspaceBytes,
  WorkspaceEntry,
  WorkspaceFile,
  WriteOutcome,
  WriteRecord,
} from "./workspace/workspace.ts"

// File tools, files in answers and living documents

export { createFileReferences } from "./files/create-file-references.ts"
export { createFileTools } from "./files/create-file-tools.ts"
export type {
  ConfirmRule,
  FileChange,
  FileMount,
  FileToolName,
  FileToolsOptions,
  ReadableWorkspace,
  WritableWorkspace,
} from "./files/file-tool-options.ts"
export { type DocumentsOptions, type LivingDocuments, openDocuments } from "./living-documents.ts"
