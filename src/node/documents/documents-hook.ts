import { roughCounter } from "../../assemble/rough-counter.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { TokenCounter } from "../../core/ports.ts"
import { chooseLocale } from "../../dialect/locales.ts"
import type { PromptSource } from "../../dialect/prompt-source.ts"
import { shippedPrompts } from "../../dialect/shipped-prompts.ts"
import { type DocumentName, type DocumentState, type Documents, documentFiles } from "../../layers/documents/document.ts"
import { type DocumentInjectionOptions, documentInjections, documentKeys } from "../../layers/documents/document-injections.ts"
import { type DocumentSettings, defaultDocumentSettings } from "../../layers/documents/document-settings.ts"
import type { BeforeTurnContext, TurnHook } from "../../services/turn-hook.ts"
import type { Template } from "../../template/ast.ts"
import { parseTemplate } from "../../template/parse.ts"
import type { Tool } from "../../tools/tool.ts"
import { createFileTools } from "../files/create-file-tools.ts"
import { isMissing } from "../files/file-tool.ts"
import type { FileMount, FileToolName, FileToolsOptions, FileWorkspace } from "../files/file-tool-options.ts"
import { createReadLedger, type ReadLedger } from "../files/read-ledger.ts"
import type { WorkspaceFile } from "../workspace/workspace.ts"
import { createDocumentBaselines, type DocumentBaselines, documentAt, documentConfirmRule } from "./document-rules.ts"

/** The documents' hook, and the tools it adds to a turn with memory on. */
interface DocumentsHook {
  readonly hook: TurnHook
  readonly tools: readonly Tool[]
}

/**
 * A hook that reads the documents anew before each turn, puts them into its prompt and adds the file tools to it: all of them
 * with memory on, with memory off `read` for SOUL.md alone (D1, D2, D9). Unreadable documents are warnings of the turn.
 */
export function documentsHook(workspace: FileWorkspace, options: DocumentsOptions = {}): DocumentsHook {
  const reads = createReadLedger()
  const baselines = createDocumentBaselines()
  const { tools, toolsOff } = documentTools(workspace, options, { reads, baselines })
  const injectionOptions = injectionOptionsOf(options, toolsOff.length > 0)
  const hook: TurnHook = {
    name: "documents",
    async beforeTurn(context) {
      const { documents, files, problems } = await readDocuments(workspace, context)
      baselines.note(context, new Map([...files].map(([name, { text }]) => [name, text])))
      const { injections, whole, removed } = documentInjections(documents, injectionOptions)
      for (const injection of injections) context.stack.add(injection)
      for (const name of whole) {
        const file = files.get(name)
        // An empty one has no injection that could be cut.
        const isInjected = injections.some(({ key }) => key === documentKeys[name])
        if (file) reads.show(context, file, isInjected ? { injection: documentKeys[name] } : "whole")
      }
      context.addTools(context.memoryOn ? tools : toolsOff)
      warn(context, problems, removed)
    },
  }
  return { hook, tools }
}

function warn(
  context: BeforeTurnContext,
  problems: readonly string[],
  removed: ReturnType<typeof documentInjections>["removed"],
): void {
  for (const problem of problems) context.warn(problem)
  for (const [name, count] of Object.entries(removed)) {
    const file = documentFiles[name as keyof typeof documentFiles]
    context.warn(`${count} invisible or control characters were left out of ${file}.`)
  }
}

function documentTools(
  workspace: FileWorkspace,
  { locale, prompts, mounts, tools: names = ["read", "write", "edit"] }: DocumentsOptions,
  { reads, baselines }: { readonly reads: ReadLedger; readonly baselines: DocumentBaselines },
): { readonly tools: readonly Tool[]; readonly toolsOff: readonly Tool[] } {
  const shared: FileToolsOptions = {
    reads,
    confirmRule: (change, context) => {
      const document = documentAt(change.path)
      return documentConfirmRule(change, document && baselines.textOf(context, document))
    },
    ...(locale === undefined ? {} : { locale }),
    ...(prompts === undefined ? {} : { prompts }),
    ...(mounts === undefined ? {} : { mounts }),
  }
  const inMount = (path: string) => mounts?.some(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`)) ?? false
  return {
    tools: createFileTools(workspace, { ...shared, tools: names }),
    toolsOff: createFileTools(workspace, {
      ...shared,
      tools: names.filter((name) => name === "read"),
      allow: (path) => documentAt(path) === "soul" || inMount(path),
    }),
  }
}

function injectionOptionsOf(options: DocumentsOptions, canRead: boolean): DocumentInjectionOptions {
  const { locale = "en", prompts = shippedPrompts(), counter = roughCounter } = options
  const { placement, maxCharacters, minShare, nearlyEmptyCharacters, nearLimitShare } = { ...defaultDocumentSettings, ...options }
  return {
    settings: { placement, maxCharacters, minShare, nearlyEmptyCharacters, nearLimitShare },
    marker: markerWords(prompts, locale),
    canRead,
    countTokens: (text) => counter.count(text),
  }
}

/** The words that stand where a document was cut, from `shared/LOCALE/document-truncated.md`. */
function markerWords(prompts: readonly PromptSource[], locale: string): Template {
  const byLocale = new Map<string, PromptSource>()
  for (const prompt of [...shippedPrompts(), ...prompts]) {
    const [folder, promptLocale = "", file] = prompt.path.split("/")
    if (folder === "shared" && file === "document-truncated.md") byLocale.set(promptLocale, prompt)
  }
  const { body = "", path = "", firstLine = 1 } = byLocale.get(chooseLocale(locale, [...byLocale.keys()]) ?? "") ?? {}
  return parseTemplate(body.trimEnd(), { file: path, firstLine })
}

/** Settings of the living documents; all have defaults. */
export interface DocumentsOptions extends Partial<DocumentSettings> {
  /** The language of the tools' and the marker's words. Default `en`. */
  readonly locale?: string
  /** The prompt files with those words; default: the shipped ones. */
  readonly prompts?: readonly PromptSource[]
  /** The file tools of a turn with memory on. Default: `read`, `write` and `edit`. Off, there is `read` for SOUL.md alone (D9). */
  readonly tools?: readonly FileToolName[]
  /** Folders that are read beside the documents, such as skills; with memory off too. */
  readonly mounts?: readonly FileMount[]
  /** Says how many tokens a short budget leaves of each document. Default: an estimate. */
  readonly counter?: TokenCounter
}

/** The documents of a turn as they lie on the disk. */
interface ReadDocuments {
  readonly documents: Documents
  /** Those that were read. */
  readonly files: ReadonlyMap<DocumentName, WorkspaceFile>
  /** Why others were left out. */
  readonly problems: readonly string[]
}

/** Reads the documents anew (D1); with memory off SOUL.md alone, and nothing is asked of the others (D2). */
async function readDocuments(
  workspace: Pick<FileWorkspace, "read">,
  { memoryOn, signal }: { readonly memoryOn: boolean; readonly signal: AbortSignal },
): Promise<ReadDocuments> {
  const files = new Map<DocumentName, WorkspaceFile>()
  const problems: string[] = []
  const read = async (name: DocumentName): Promise<DocumentState> => {
    const path = documentFiles[name]
    try {
      const file = await workspace.read(path, { signal })
      files.set(name, file)
      return { state: "read", text: file.text }
    } catch (thrown) {
      if (isMissing(thrown)) return { state: "missing" }
      if (!PromptStrataError.isInstance(thrown) || thrown.code === "aborted") throw thrown
      problems.push(`${path} was left out of the prompt. ${thrown.message}`)
      return { state: "unreadable" }
    }
  }
  if (!memoryOn) return { documents: { soul: await read("soul") }, files, problems }
  const [soul, user, memory] = await Promise.all([read("soul"), read("user"), read("memory")])
  return { documents: { soul, user, memory }, files, problems }
}
