import { dirname, join } from "node:path"
import { nameWithId, type ServiceKey } from "../../core/conversation.ts"
import { messageOf } from "../../core/errors.ts"
import { countCodePoints } from "../../core/graphemes.ts"
import { NewestMap } from "../../core/memo.ts"
import { roughCounter, type TokenCounter } from "../../core/ports.ts"
import type {
  DocumentMemory,
  DocumentSurroundings,
  LearnedDocument,
  LearnedEdits,
  LearnedLine,
} from "../../memory/services/background/document-memory.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import { onForget, onSetAside } from "../../memory/services/store/forgetting.ts"
import type { TurnHook } from "../../memory/services/turn-hook.ts"
import { type DocumentSettings, defaultDocumentSettings, documentFiles } from "../../prompt/layers/documents/document.ts"
import { renderTemplate } from "../../prompt/template/render-template.ts"
import type { WritableWorkspace } from "../files/file-tool-options.ts"
import { workspaceOnDemand } from "../files/workspace-on-demand.ts"
import { type DocumentsOptions, documentsHook, type FolderOptions, names, sharedTemplate } from "../living-documents.ts"
import { displayPath } from "../shipped-files.ts"
import { nodeFileSystem } from "../workspace/file-system.ts"
import { ownName } from "../workspace/paths.ts"
import type { FileWorkspaceOptions } from "../workspace/workspace.ts"
import { learnedFolder, type OpenDocuments } from "./learned-folder.ts"
import { changeLines, documentLines, fieldKey, printLine, saidBy, withLines, withoutDays } from "./learned-lines.ts"
import { type LearnedRecord, lineHash, recordName, type WrittenLine, withLine, withoutOldest } from "./learned-record.ts"
import { pathOf, personalFolder, personalWorkspace } from "./people.ts"
import { takeBackAside, takeBackLines } from "./take-back.ts"
import { documentTidier } from "./tidy-document.ts"

/** How documents are written. */
export interface LearnedDocumentsOptions extends Pick<DocumentSettings, "maxCharacters" | "maxTokens" | "nearLimitShare"> {
  /** The heading of the lines in each document, in the profile's language. */
  readonly headings: Readonly<Record<LearnedDocument, string>>
  /** Stands behind a line whose turn had words of an untrusted tool before it. */
  readonly untrusted: string
  readonly counter?: TokenCounter | undefined
  readonly files: FileWorkspaceOptions
}

/** A {@link DocumentMemory} over a folder. `close` ends its questions and what listens to a store. */
export function learnedDocuments(folder: string, options: LearnedDocumentsOptions): DocumentMemory & { close(): void } {
  const agents = new Map<DocumentSurroundings["runner"], DocumentSurroundings>()
  const stops: (() => void)[] = []
  const closing = new AbortController()
  const warn = (message: string): void => {
    const key = { agent: "", conversation: "", audience: "private", user: "" } as const
    for (const { onWarning } of agents.values()) onWarning({ key, turnId: "", message })
  }
  const place = learnedFolder(folder, options.files, warn)
  const { maxCharacters, maxTokens, untrusted } = options
  const share = (text: string): number => {
    if (maxTokens === undefined) return countCodePoints(text) / maxCharacters
    const counter = options.counter ?? [...agents.values()].at(-1)?.ports.counter ?? roughCounter
    return counter.count(text) / maxTokens
  }
  const settings: WriteSettings = { ...options, share }
  const tidier = documentTidier(place, {
    ...settings,
    warn,
    signal: closing.signal,
    confirm: () => [...agents.values()].at(-1)?.confirm,
  })
  return {
    attach(agent) {
      const { runner } = agent
      const newest = () => agents.get(runner) ?? agent
      if (!agents.has(runner)) {
        stops.push(onForget(runner, (scope) => takeBackLines(place, scope, { ...newest(), untrusted })))
        // A commit that is done cannot fail any more.
        const tell = (error: unknown) => warn(`Lines of turns that were set aside stay in documents. ${messageOf(error)}`)
        stops.push(onSetAside(runner, (key) => takeBackAside(place, key, { ...newest(), untrusted }).catch(tell)))
      }
      agents.set(runner, agent)
    },
    async text(document, key, { signal }) {
      const path = pathOf(document, key)
      return (await place.locked(signal, (open) => open.read(path))) ?? ""
    },
    write: async (lines, key, { by, expectWanted, signal }) => {
      const outcome = await place.create(signal, async (open) => {
        await expectWanted()
        return writeLines(open, lines, { key, by, settings })
      })
      // A process that ended between its edit and its receipt had made the edit: the receipt of the next attempt names it.
      return outcome.edits.length > 0 || outcome.known === 0 ? outcome : { ...outcome, edits: await place.editsBy(by) }
    },
    ...tidier,
    close() {
      closing.abort()
      for (const stop of stops.splice(0)) stop()
    },
  }
}

/** The settings of a write, with the share of its limit that a text has. */
interface WriteSettings extends LearnedDocumentsOptions {
  share(text: string): number
}

async function writeLines(
  open: OpenDocuments,
  lines: readonly LearnedLine[],
  { key, by, settings }: { readonly key: ServiceKey; readonly by: string; readonly settings: WriteSettings },
): Promise<LearnedEdits> {
  const documents = (["user", "memory"] as const).filter((document) => lines.some((line) => line.document === document))
  const plans: (Plan & { readonly path: string; readonly change: (text: string) => string })[] = []
  let { record } = open
  for (const document of documents) {
    const path = pathOf(document, key)
    const own = lines.filter((line) => line.document === document)
    const planned = (text: string): Plan =>
      plan(text, own, { path, heading: settings.headings[document], record: open.record, settings })
    const before = await open.read(path)
    const made = planned(before)
    if (made.written.length > 0) record = withoutOldest(record, path, before)
    for (const line of made.written) record = withLine(record, line)
    plans.push({ ...made, path, change: (text) => planned(text).text })
  }
  // First the record, so that no line ever stands in a document without its origin.
  if (record !== open.record) await open.save(record)
  const edits: string[] = []
  for (const { path, change } of plans) {
    const edit = await open.edit(path, by, change)
    if (edit !== undefined) edits.push(edit)
  }
  const sum = (of: (each: Plan) => number): number => plans.reduce((total, each) => total + of(each), 0)
  const full = plans.flatMap(({ left, path }) => (left > 0 ? [path] : []))
  return {
    edits,
    written: sum(({ written }) => written.length),
    known: sum(({ known }) => known),
    full,
    left: sum(({ left }) => left),
  }
}

/** A document with new lines. */
interface Plan {
  readonly text: string
  readonly written: readonly WrittenLine[]
  readonly known: number
  /** The lines that found no room. */
  readonly left: number
}

function plan(
  before: string,
  lines: readonly LearnedLine[],
  { path, heading, record, settings }: { path: string; heading: string; record: LearnedRecord; settings: WriteSettings },
): Plan {
  const own = new Map(record.lines.flatMap((line) => (line.path === path ? [[line.hash, line]] : [])))
  const isOwn = (line: string): boolean => own.has(lineHash(line))
  const said = new Set(documentLines(before).map(saidBy))
  const written: WrittenLine[] = []
  let [text, known, left] = [before, 0, 0]
  for (const line of lines) {
    const printed = printLine({ ...line, name: shownName(line, documentLines(text), own) }, settings.untrusted)
    if (said.has(saidBy(printed))) {
      known++
      continue
    }
    const field = line.field === undefined ? undefined : fieldKey(line.field, line.origins[0]?.user)
    const older = field === undefined ? undefined : documentLines(text).find((each) => own.get(lineHash(each))?.field === field)
    const next =
      older === undefined
        ? withLines(text, [printed], {
            heading,
            isOwn: (each) => isOwn(each) || written.some(({ hash }) => hash === lineHash(each)),
          })
        : changeLines(text, (each) => (each === older ? printed : each))
    if (settings.share(next) > 1 && older === undefined) {
      left++
      continue
    }
    text = next
    said.add(saidBy(printed))
    written.push({ path, hash: lineHash(printed), field, origins: line.origins })
  }
  return { text, written, known, left }
}

/** The name before a line, with the user's id if another user has lines under that name (M29). */
function shownName({ name, origins: [origin] }: LearnedLine, lines: readonly string[], own: ReadonlyMap<string, WrittenLine>) {
  if (name === undefined || origin === undefined) return name
  const folded = (line: string): string => withoutDays(line).normalize("NFKC").toLowerCase()
  const begin = folded(printLine({ name, text: "", untrusted: false }, "")).trimEnd()
  const isOfOther = (line: string): boolean => {
    const [other] = own.get(lineHash(line))?.origins ?? []
    return other !== undefined && other.user !== origin.user && folded(line).startsWith(begin)
  }
  return lines.some(isOfOther) ? nameWithId({ name, id: origin.user }) : name
}

/**
 * The living documents of a profile as a plugin, where they are its one memory: background work writes them too, and each user, and each
 * group, has a USER.md and a MEMORY.md of their own.
 */
export function learningPlugin(folder: string, { files = {}, ...options }: FolderOptions): Plugin {
  const { locale = "en", prompts = [], counter } = options
  const words = (file: string): string => renderTemplate(sharedTemplate(prompts, locale, file)).trim()
  const documents = learnedDocuments(folder, {
    ...defaultDocumentSettings,
    ...options,
    headings: { user: `## ${words("user-heading.md")}`, memory: `## ${words("memory-heading.md")}` },
    untrusted: words("untrusted-line.md"),
    counter,
    files: { names, ...files },
  })
  const workspace = workspaceOnDemand(folder, { names, ...files })
  return { name: "documents", hooks: [personalDocuments(workspace, options)], documents, close: () => documents.close() }
}

/** A path as one word of a shell. */
const shellWord = (path: string) => displayPath(path).replace(/^.*[^\w./:-].*$/s, (text) => `'${text.replaceAll("'", "'\\''")}'`)

/** A warning about a USER.md that is there before background work wrote anything, with the commands that take it over; undefined where there is none. */
export async function earlierFacts(folder: string, profile: string, dataFolder: string): Promise<string | undefined> {
  const found = [join(folder, documentFiles.user), join(folder, ownName, recordName)]
  const [user, record] = await Promise.all(found.map((path) => nodeFileSystem.stat(path).catch(() => undefined)))
  if (record !== undefined || user?.kind !== "file" || user.sizeBytes === 0) return undefined
  const [facts, old, bot, data] = [found[0] ?? "", join(dirname(folder), "USER.old.md"), profile, dataFolder].map(shellWord)
  const chat = `promptstrata chat ${bot}${data === "data" ? "" : ` --data-dir ${data}`} --once "$(cat ${old})"`
  const advice = "Move the lines of other people to people/ID/USER.md. To take the rest over, type:"
  const warning = `${displayPath(folder)}/USER.md was not written by background work: with memory.store = "documents" it is of the user "user" alone, its lines are never brought up to date, and forgetting leaves them. ${advice}`
  // Where an earlier one is there, it asks before that is lost.
  return [warning, `  mv -i ${facts} ${old}`, `  ${chat}`].join("\n")
}

/** The most users and groups whose tools are kept ready. */
const keptPeople = 200

/** The hook of documents of which each user and group has their own. */
function personalDocuments(workspace: WritableWorkspace, options: DocumentsOptions): TurnHook {
  const hooks = new NewestMap<string, TurnHook>(keptPeople)
  const hookOf = (folder: string): TurnHook => {
    const own = personalWorkspace(workspace, folder)
    const hook = hooks.get(folder) ?? documentsHook(own, options, { isForAll: false }).hook
    hooks.set(folder, hook)
    return hook
  }
  return { name: "documents", beforeTurn: (context) => hookOf(personalFolder(context.key)).beforeTurn?.(context) }
}
