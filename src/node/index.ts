export { createFileReferences, type FileReferencesOptions } from "./files/create-file-references.ts"
export { createFileTools } from "./files/create-file-tools.ts"
export type {
  ConfirmRule,
  FileChange,
  FileMount,
  FileOperation,
  FileToolName,
  FileToolsOptions,
  FileWorkspace,
  ReadableWorkspace,
} from "./files/file-tool-options.ts"
export { createReadLedger, type ReadLedger } from "./files/read-ledger.ts"
export type { DocumentsOptions } from "./living-documents.ts"
export { type LivingDocuments, openDocuments } from "./living-documents.ts"
export { loadPersona, type Persona, type PersonaOptions } from "./load-persona.ts"
export { type LoadPluginsOptions, loadPlugins } from "./plugins/load-plugins.ts"
export type { PluginContext, PluginDefinition, PluginFactory, SkillDefinition } from "./plugins/plugin-module.ts"
export { type LoadProfileOptions, loadProfile } from "./profile/load-profile.ts"
export { profileJsonSchema } from "./profile/profile-json-schema.ts"
export { type ProfileWatch, type WatchProfileOptions, watchProfile } from "./profile/watch-profile.ts"
export { type LoadSkillsOptions, loadSkills, readSkills, type SkillsFound } from "./skills/load-skills.ts"
export type { SkillProblem, SkillRule } from "./skills/skill-problem.ts"
export type { FileKind, FileStats, FileSystem, OpenFile } from "./workspace/file-system.ts"
export { openWorkspace } from "./workspace/open-workspace.ts"
export type { HiddenRule } from "./workspace/paths.ts"
export { canonicalPath, samePath } from "./workspace/paths.ts"
export type {
  ChangeOptions,
  Expectation,
  HistoryLimits,
  SearchOutcome,
  Workspace,
  WorkspaceBytes,
  WorkspaceEntry,
  WorkspaceFile,
  WorkspaceOptions,
  WriteOutcome,
  WriteRecord,
} from "./workspace/workspace.ts"
