// Profiles and what they name

export { type LoadPersonaOptions, loadPersona, type Persona } from "./load-persona.ts"
export { type LoadPluginsOptions, loadPlugins } from "./plugins/load-plugins.ts"
export type { PluginContext, PluginDefinition, PluginFactory, SkillDefinition } from "./plugins/plugin-module.ts"
export { type LoadProfileOptions, loadProfile } from "./profile/load-profile.ts"
export { type ProfileWatch, type WatchProfileOptions, watchProfile } from "./profile/watch-profile.ts"
export { type LoadSkillsOptions, loadSkills } from "./skills/load-skills.ts"
export type { SkillProblem, SkillRule } from "./skills/skill-problem.ts"

// A folder that a character may touch

export type { FileKind, FileStats, FileSystem, OpenFile } from "./workspace/file-system.ts"
export { openWorkspace } from "./workspace/open-workspace.ts"
export { canonicalPath, type HiddenFiles, samePath } from "./workspace/paths.ts"
export type {
  ChangeOptions,
  Expectation,
  FileWorkspace,
  FileWorkspaceOptions,
  HistoryLimits,
  SearchOutcome,
  WorkspaceBytes,
  WorkspaceEntry,
  WorkspaceFile,
  WriteOutcome,
  WriteRecord,
} from "./workspace/workspace.ts"

// File tools, files in answers and living documents

export { createFileReferences, type FileReferencesOptions } from "./files/create-file-references.ts"
export { createFileTools } from "./files/create-file-tools.ts"
export type {
  ConfirmRule,
  FileChange,
  FileMount,
  FileOperation,
  FileToolName,
  FileToolsOptions,
  ReadableWorkspace,
  WritableWorkspace,
} from "./files/file-tool-options.ts"
export { type DocumentsOptions, type LivingDocuments, openDocuments } from "./living-documents.ts"
