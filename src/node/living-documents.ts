import { join } from "node:path"
import { checkOptions, checkType } from "../core/check-options.ts"
import { PromptStrataError } from "../core/errors.ts"
import type { TokenCounter } from "../core/ports.ts"
import type { Plugin } from "../memory/services/plugin.ts"
import type { BeforeTurnContext, TurnHook } from "../memory/services/turn-hook.ts"
import type { Profile } from "../profile/profile.ts"
import { chooseLocale } from "../prompt/dialect/locales.ts"
import type { PromptSource } from "../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../prompt/dialect/shipped-files.ts"
import {
  type DocumentName,
  type DocumentSettings,
  type DocumentState,
  type Documents,
  defaultDocumentSettings,
  documentFiles,
  documentNames,
} from "../prompt/layers/documents/document.ts"
import {
  type DocumentInjectionOptions,
  documentInjections,
  documentKeys,
  isBlank,
} from "../prompt/layers/documents/document-injections.ts"
import type { Template } from "../prompt/template/ast.ts"
import { parseTemplate } from "../prompt/template/parse.ts"
import { renderTemplate } from "../prompt/template/render-template.ts"
import type { Tool } from "../prompt/tools/tool.ts"
import { createFileToolsWith } from "./files/create-file-tools.ts"
import { isMissingFile } from "./files/file-tool.ts"
import {
  type ConfirmRule,
  type FileChange,
  type FileMount,
  type FileOperation,
  type FileToolName,
  type FileToolsOptions,
  isInMount,
  type WritableWorkspace,
} from "./files/file-tool-options.ts"
import { createReadLedger, createTurnMap, type ReadLedger, type TurnMap } from "./files/read-ledger.ts"
import { workspaceOnDemand } from "./files/workspace-on-demand.ts"
import { displayPath } from "./shipped-files.ts"
import { withFileErrors } from "./workspace/file-errors.ts"
import { nodeFileSystem } from "./workspace/file-system.ts"
import { makeFolders } from "./workspace/folders.ts"
import { checkWorkspaceOptions, openFolder } from "./workspace/open-workspace.ts"
import { samePath } from "./workspace/paths.ts"
import type { FileWorkspace, FileWorkspaceOptions, WorkspaceFile } from "./workspace/workspace.ts"

/** Settings of the living documents. All have defaults. */
export interface DocumentsOptions extends Partial<DocumentSettings> {
  /** The language of the words of the tools and of the marker. Default `en`. */
  readonly locale?: string
  /** The prompt files with those words. Default: the shipped ones. */
  readonly prompts?: readonly PromptSource[]
  /** The file tools with memory on. Default: `read`, `write`, `edit`. */
  readonly tools?: readonly FileToolName[]
  /** The file tools with memory off, for other files than the documents. Default: none. There is always `read`, for SOUL.md (D9). */
  readonly toolsOff?: readonly FileToolName[]
  /** Folders that can be read beside the documents, such as skills. With memory off too. */
  readonly mounts?: readonly FileMount[]
  /** Counts the tokens of `maxTokens`, and those that a short budget leaves of each document. Default: the agent's. */
  readonly counter?: TokenCounter
}

/** The living documents of an agent: SOUL.md, USER.md and MEMORY.md in a folder. */
export interface LivingDocuments {
  /** Pass it to `createAgent`: it reads the documents before each turn and adds the turn's tools. */
  readonly hook: TurnHook
  /** The tools that the hook adds to a turn with memory on. Do not pass them to `createAgent` together with the hook. */
  readonly tools: readonly Tool[]
  /** The folder of the documents, with its history and `undo`. */
  readonly workspace: FileWorkspace
}

export type FolderOptions = DocumentsOptions & {
  /** Settings to open the folder with. */
  readonly files?: FileWorkspaceOptions
}

const documentsOptions =
  "placement maxCharacters minShare nearlyEmptyCharacters nearLimitShare maxTokens locale prompts tools toolsOff mounts counter"

/** The spelling of the documents' names. */
export const names: readonly string[] = Object.values(documentFiles)

/**
 * Opens the folder of an agent's living documents. A missing folder is created. Nothing is read before the first turn. Throws
 * errors whose code begins with `file` when the folder cannot be used.
 */
export async function openDocuments(folder: string, given: FolderOptions = {}): Promise<LivingDocuments> {
  checkType("the folder of openDocuments", folder, "string")
  checkType("options of openDocuments", given, "object")
  const { files = {}, ...options } = given
  checkOptions("openDocuments", options, documentsOptions)
  checkWorkspaceOptions("files of openDocuments", files)
  await withFileErrors("open", folder, () => makeFolders(files.fs ?? nodeFileSystem, folder))
  const workspace = await openFolder(folder, { names, ...files })
  return { ...documentsHook(workspace, options), workspace }
}

/**
 * Makes the folder and SOUL.md of a profile with living documents that has none yet (D14): a comment that says where it lies, which
 * counts as empty. Resolves to its path; to undefined if there is nothing to make, or nothing can be written there.
 */
export async function seedSoul({ documents, files, locale }: Profile): Promise<string | undefined> {
  const folder = documents && (documents.folder ?? files.folder)
  if (folder === undefined) return undefined
  const path = displayPath(join(folder, documentFiles.soul))
  const seed = renderTemplate(sharedTemplate([], locale, "soul-seed.md"), { path })
  const made = workspaceOnDemand(folder, { names }).write(documentFiles.soul, `${seed}\n`, { by: "chat", expect: "absent" })
  return made.then(() => path).catch(() => undefined)
}

/** The living documents of a profile as a plugin. The folder is opened by the first turn and created by the first write. */
export function documentsPlugin(folder: string, { files = {}, ...options }: FolderOptions = {}): Plugin {
  return { name: "documents", hooks: [documentsHook(workspaceOnDemand(folder, { names, ...files }), options).hook] }
}

/**
 * A hook that reads the documents before each turn, puts them into its prompt and adds the file tools to it: all of them with
 * memory on, `read` for SOUL.md and `toolsOff` for other files with memory off (D1, D2, D9). Documents that cannot be read become
 * warnings of the turn.
 */
export function documentsHook(workspace: WritableWorkspace, options: DocumentsOptions = {}, { isForAll = true } = {}) {
  const reads = createReadLedger()
  const baselines: Baselines = createTurnMap()
  const { tools, toolsOff } = documentTools(workspace, options, { reads, baselines })
  const injectionOptionsWith = injectionOptionsOf(options, toolsOff.length > 0)
  const newProblems = problemsOnce()
  const isSecondPerson = secondPerson()
  let isNearTold = false
  const hook: TurnHook = {
    name: "documents",
    async beforeTurn(context) {
      const { documents, files, problems } = await readDocuments(workspace, context)
      const isShared = isForAll && isSecondPerson(context)
      baselines.set(context, files)
      const given = injectionOptionsWith(context.counter)
      const { injections, whole, problems: cuts } = documentInjections(documents, given)
      for (const injection of injections) context.stack.add(injection)
      for (const name of whole) {
        const file = files.get(name)
        // An empty document has no injection that could be cut.
        const isInjected = injections.some(({ key }) => key === documentKeys[name])
        if (file) reads.show(context, file, isInjected ? { injection: documentKeys[name] } : "whole")
      }
      context.addTools(context.memoryOn ? tools : toolsOff)
      for (const problem of [...newProblems(documents, problems), ...cuts]) context.warn(problem, "document")
      if (isShared) context.warn(sharedWarning, "document")
      if (!context.memoryOn) return
      // Past the limit, the sentence about the cut says it.
      const isNear = whole.includes("memory") && injections.some(({ key }) => key === "memory_near_limit")
      if (isNear && !isNearTold) context.warn(nearLimitWarning(given.settings), "document")
      isNearTold = isNear
    },
  }
  return { hook, tools }
}

/** Passes on why a document is left out, once until that changes. */
function problemsOnce() {
  const told = new Map<DocumentName, string | undefined>()
  return (documents: Partial<Documents>, problems: Problems): readonly string[] =>
    documentNames.flatMap((name) => {
      if (documents[name] === undefined) return []
      const problem = problems.get(name)
      const isNew = problem !== undefined && problem !== told.get(name)
      told.set(name, problem)
      return isNew ? [problem] : []
    })
}

function nearLimitWarning({ nearLimitShare, maxCharacters, maxTokens }: DocumentSettings): string {
  const limit = maxTokens === undefined ? `${maxCharacters} characters (max_characters` : `${maxTokens} tokens (max_tokens`
  return `MEMORY.md has over ${Math.round(nearLimitShare * 100)} % of its limit of ${limit} in [documents]). Once it is longer, prompts lack its middle: tidy it, or raise the limit.`
}

const sharedWarning =
  "A second person speaks with this agent. USER.md and MEMORY.md are the same for all of them: what one says can stand in the prompt of another. Give each person an agent with a folder of their own."

/** True once: in the first turn in which somebody else speaks than in the turns before, with the documents in the prompt. */
function secondPerson() {
  let first: string | undefined
  let isTold = false
  return ({ key, memoryOn, wake }: BeforeTurnContext): boolean => {
    if (isTold || !memoryOn || wake !== undefined) return false
    first ??= key.user
    isTold = first !== key.user
    return isTold
  }
}

type Problems = ReadonlyMap<DocumentName, string>

/**
 * Reads the documents from the disk (D1). With memory off only SOUL.md is touched (D2). `files` holds the documents that were
 * read, `problems` says why others were left out.
 */
async function readDocuments(workspace: WritableWorkspace, { memoryOn, signal }: BeforeTurnContext) {
  const files = new Map<DocumentName, WorkspaceFile>()
  const problems = new Map<DocumentName, string>()
  const read = async (name: DocumentName): Promise<DocumentState> => {
    const path = documentFiles[name]
    try {
      const file = await workspace.read(path, { signal })
      files.set(name, file)
      return { state: "read", text: file.text }
    } catch (thrown) {
      if (isMissingFile(thrown)) return { state: "missing" }
      if (!PromptStrataError.isInstance(thrown) || thrown.code === "aborted") throw thrown
      problems.set(name, `${path} was left out of the prompt. ${thrown.message}`)
      return { state: "unreadable" }
    }
  }
  if (!memoryOn) return { documents: { soul: await read("soul") } satisfies Documents, files, problems }
  const [soul, user, memory] = await Promise.all([read("soul"), read("user"), read("memory")])
  return { documents: { soul, user, memory } satisfies Documents, files, problems }
}

/** The documents at the beginning of each turn. A document that shrinks in small steps is compared with these. */
type Baselines = TurnMap<ReadonlyMap<DocumentName, WorkspaceFile>>

function documentTools(
  workspace: WritableWorkspace,
  { locale, prompts, mounts, tools = ["read", "write", "edit"], toolsOff = [] }: DocumentsOptions,
  { reads, baselines }: { readonly reads: ReadLedger; readonly baselines: Baselines },
): { readonly tools: readonly Tool[]; readonly toolsOff: readonly Tool[] } {
  const confirmRule: FileToolsOptions["confirmRule"] = (change, context) => {
    const document = documentAt(change.path)
    return document ? documentConfirmRule(document, change, baselines.get(context)?.get(document)?.text) : "free"
  }
  const shared = { confirmRule, locale, prompts, mounts }
  const allow = (path: string, operation: FileOperation) => {
    const document = documentAt(path)
    if (document !== undefined) return document === "soul" && operation !== "write"
    return toolsOff.length > 0 || isInMount(path, mounts)
  }
  const off = tools.filter((name) => name === "read" || toolsOff.includes(name))
  return {
    tools: createFileToolsWith(workspace, { ...shared, tools }, reads),
    toolsOff: createFileToolsWith(workspace, { ...shared, tools: off, allow }, reads),
  }
}

/** The document at a path, in any spelling (D12). */
function documentAt(path: string): DocumentName | undefined {
  return documentNames.find((name) => samePath(path, documentFiles[name]))
}

/**
 * Says when the user is asked before a document changes (D9). For SOUL.md always; when nobody can be asked, it may only be
 * created, also in place of an empty file. For every document that would lose all or more than three quarters of its text, also
 * compared with `baseline`, its text at the beginning of the turn: a model that rewrites its memories carelessly loses them.
 * MEMORY.md may become that short when nobody can be asked, because the prompt asks for tidying (D7); `undo` takes it back.
 */
function documentConfirmRule(document: DocumentName, { before, after }: FileChange, baseline = ""): ConfirmRule {
  const shrinks = before !== undefined && after.trim().length < before.trim().length
  if (shrinks && [before, baseline].some((text) => !isBlank(text) && shrinksTooFar(text.trim(), after.trim())))
    return document === "memory" && after.trim() !== "" ? "ask-if-possible" : "ask"
  if (document !== "soul") return "free"
  return before === undefined || isBlank(before) ? "ask-if-possible" : "ask"
}

function shrinksTooFar(before: string, after: string): boolean {
  return before !== "" && (after === "" || after.length * 4 < before.length)
}

function injectionOptionsOf(options: DocumentsOptions, canRead: boolean): (counter: TokenCounter) => DocumentInjectionOptions {
  const { locale = "en", prompts = shippedPrompts("shared", locale), counter: own } = options
  const settings = { ...defaultDocumentSettings, ...options }
  const marker = sharedTemplate(prompts, locale, "document-truncated.md")
  return (counter) => ({ settings, marker, canRead, countTokens: (text) => (own ?? counter).count(text) })
}

/** Words of `shared/LOCALE/`, such as those that stand in the place of text that was cut. */
export function sharedTemplate(prompts: readonly PromptSource[], locale: string, name: string): Template {
  const byLocale = new Map<string, PromptSource>()
  for (const prompt of [...shippedPrompts("shared", locale), ...prompts]) {
    const [folder, promptLocale = "", file] = prompt.path.split("/")
    if (folder === "shared" && file === name) byLocale.set(promptLocale, prompt)
  }
  const { body = "", path = "", firstLine = 1 } = byLocale.get(chooseLocale(locale, [...byLocale.keys()]) ?? "") ?? {}
  return parseTemplate(body.trimEnd(), { file: path, firstLine })
}
