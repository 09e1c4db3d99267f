import { invariant, PromptStrataError } from "../../../core/errors.ts"
import { authored, emptyList, type GrownList, grow, Memo, memoKind } from "../../../core/memo.ts"
import type { Source } from "../../../core/source.ts"
import type { ToolCall } from "../../../core/span.ts"
import { type Injection, isEmptyValue, isText, type SlotEntry, type SlotValue } from "../../../core/value.ts"
import { type Dialect, type PromptFile, templateNames } from "../../dialect/dialect.ts"
import type { Markers } from "../../encode/lines.ts"
import { type NoticeText, noticeOf } from "../../encode/marked-text.ts"
import { slotOf } from "../../layers/combine-injections.ts"
import type { SlotNode } from "../../template/ast.ts"
import { FrameWriter } from "../../template/frame-writer.ts"
import { walkScope } from "../../template/render.ts"
import type { DraftMessage, MessageCalls, Piece } from "../draft/draft.ts"
import { DraftRecorder, originOf } from "../draft/draft-recorder.ts"
import { isSameContext, type ListContext, longList, printList } from "./print-list.ts"
import { printText } from "./print-text.ts"

/** Everything that values are printed with. */
export interface ValuePrinter {
  readonly dialect: Dialect
  readonly memo: Memo
  readonly writer: FrameWriter
  readonly recorder: DraftRecorder
  readonly markers: Markers
  /** The rest item that is printed. Its texts come from no place in the file that prints all such items. */
  readonly restItem?: Injection | undefined
}

/** The slot in which a value is printed, and its injection. */
interface ValuePlace {
  readonly injection: Injection
  readonly node: SlotNode
  /** The name of the file that prints its entries. */
  readonly fileName: string
  /** True for items of the rest slot: a list without a file of its own prints its texts. */
  readonly rest?: boolean
}

/** The slot in which an entry is printed, its injection, and everything else that its text depends on. */
export interface EntryPlace {
  readonly node: SlotNode
  readonly injection: Injection
  readonly context: ListContext
  /** True for the entry of a rest item itself, not for entries inside it. */
  readonly rest?: boolean
}

/** The pieces that an entry prints by itself. */
interface EntryBlock {
  readonly context: ListContext
  readonly pieces: readonly Piece[]
  /** True if the first piece is the file's own text, and not a value, a fence or a notice. */
  readonly opensWithFrame: boolean
  /** The message that the block makes, once it was asked for. */
  message?: DraftMessage
  /** The messages of the lists that its entry begins, such as a history. They grow from turn to turn. */
  messages?: GrownList<SlotEntry, DraftMessage | undefined>
}

/** By file, the last block of each entry or rest item. They are readonly data, so the same object prints the same. */
const blocksOfFile = memoKind<PromptFile, Memo>()
const blocks = memoKind<SlotEntry | Injection, EntryBlock>()

/** The living documents. They are Markdown files with headings of their own. */
const ownHeadings: ReadonlySet<string> = new Set(["soul", "user_document", "memory_document"])

const unshaped = memoKind<Markers, Markers>()

/** The markers for a text that may have headings and rules of their shapes. It still cannot imitate one of the dialect's own lines. */
function withoutShapes(markers: Markers): Markers {
  return authored.made(unshaped, markers, () => ({ ...markers, shapes: undefined, pages: false }))
}

/**
 * Nothing in a message that holds one text alone is the dialect's, so there is nothing to forge but the tokens of a server that
 * renders the messages to one text before it tokenises them.
 */
const tokensAlone: Markers = { lines: new Set(), heads: [], fences: false, tokens: true }

/** Prints a text through its encoder, a list through the file of its name; true if it printed anything. */
export function printValue(printer: ValuePrinter, value: SlotValue | undefined, place: ValuePlace): boolean {
  if (value === undefined || typeof value === "boolean" || isEmptyValue(value)) return false
  const { dialect, writer, recorder, memo, restItem } = printer
  const { injection, node, fileName, rest } = place
  if (typeof value === "string" || isText(value)) {
    const text = typeof value === "string" ? { text: value, trust: injection.trust } : value
    writer.beforeContent(node.source)
    const source = restItem ? sourceOf(restItem) : (injection.source ?? node.source)
    const markers = ownHeadings.has(injection.key) ? withoutShapes(printer.markers) : printer.markers
    let { parts } = text
    for (const printed of printText(text, { node, markers, source })) {
      const behind = printed.part === "content" && printed.text !== "" ? parts : undefined
      recorder.put(behind ? { ...printed, parts: behind } : printed)
      if (behind) parts = undefined
    }
    return true
  }
  const file = entryFile(dialect, fileName)
  if (file) {
    const context = entryContext(printer, injection, file)
    const print = (entry: SlotEntry): boolean => printEntry(printer, entry, { injection, node, context })
    return printList(value, { node, context, memo, writer, recorder, print })
  }
  if (rest !== true) throw missingEntryFile(fileName, dialect, node)
  const scope = writer.open()
  for (const entry of value) if (printTexts(printer, entry, place)) writer.separate("\n", node.source)
  return writer.close(scope)
}

/** The context of the entries of an injection, under whose origin they are printed. */
export function entryContext(
  { dialect, recorder }: ValuePrinter,
  { trust, source }: Injection,
  file: PromptFile,
  isMessage = false,
): ListContext {
  const { key, stability } = recorder.origin
  return { dialect, file, key, stability, trust, source, isMessage }
}

export function printEntry(printer: ValuePrinter, entry: SlotEntry, place: EntryPlace): boolean {
  const notice = noticeOf(entry)
  if (notice) return printNotice(printer, notice, place.node.source)
  return printBlock(printer, blockOf(printer, entry, entry, place), place)
}

/** An entry as a message of its own, the same object each time; `undefined` if it prints nothing. */
export function entryMessage(printer: ValuePrinter, entry: SlotEntry, place: EntryPlace): DraftMessage | undefined {
  const block = blockOf(printer, entry, entry, place)
  if (block.pieces.length === 0) return undefined
  block.message ??= { ...openingOf(entry), pieces: block.pieces, written: undefined }
  return block.message
}

/** By entry, the message that {@link entryMessage} gives. Entries that followed each other before are not looked at one by one. */
export function entryMessages(
  printer: ValuePrinter,
  entries: readonly SlotEntry[],
  place: EntryPlace,
): readonly (DraftMessage | undefined)[] {
  const [first] = entries
  if (!first) return []
  const block = blockOf(printer, first, first, place)
  block.messages ??= emptyList()
  return grow(block.messages, entries, (entry) => entryMessage(printer, entry, place))
}

/** The role and the native calls of an entry's message. */
export function openingOf(entry: SlotEntry): Omit<DraftMessage, "pieces"> {
  const { role } = entry
  return { role: role === "assistant" || role === "tool" ? role : "user", calls: callsOf(entry) }
}

/** The native calls of an entry. They are data of the message, beside its text. */
function callsOf({ toolCalls, toolCallId }: SlotEntry): MessageCalls | undefined {
  if (toolCallId !== undefined) return { toolCallId: textOf(toolCallId) }
  return toolCalls === undefined ? undefined : { toolCalls: JSON.parse(textOf(toolCalls)) as readonly ToolCall[] }
}

function textOf(value: SlotValue): string {
  if (typeof value === "string") return value
  return typeof value !== "boolean" && isText(value) ? value.text : ""
}

/** Prints the items of the rest slot, each as an entry of `rest.md`. The results are remembered, by item and as a list. */
export function printRestItems(
  printer: ValuePrinter,
  items: readonly Injection[],
  { node, file }: { readonly node: SlotNode; readonly file: PromptFile },
): boolean {
  const { dialect, writer, recorder, memo } = printer
  const [joins, begun] = [items.length >= longList, recorder.pieces.length]
  const context = { dialect, file, key: "", stability: recorder.origin.stability }
  // Recalled memories have another heading beside memories of the stack's own (S2). The copy keeps what was printed before apart.
  let hasOwn = false
  for (const { key } of items) if (key === "character.memories") hasOwn = true
  const shown = hasOwn ? items.map((item) => (item.key === "memories" ? { ...item } : item)) : items
  const print = (injection: Injection): boolean => {
    const [around, from] = [recorder.enter(originOf(injection)), recorder.pieces.length]
    const { key, content } = injection
    const entry: SlotEntry = { key: { text: key, trust: "author" }, content, beside: key === "memories" && shown !== items }
    const place = { injection, context, node, rest: true }
    const isPrinted = printBlock(printer, blockOf(printer, injection, entry, place), place)
    // The white space before the first item is the prompt file's own.
    if (joins && from > begun) recorder.join(from, injection, memo)
    recorder.origin = around
    return isPrinted
  }
  return printList(shown, { node, context, memo, writer, recorder, print })
}

/**
 * The block of an entry, which is printed by itself, once: the text around it changes only the white space before it. The block
 * is remembered for its owner, which is the entry, or the rest item that the entry was made from. Names of the prompt are
 * unknown in the entry's file.
 */
function blockOf(printer: ValuePrinter, owner: SlotEntry | Injection, entry: SlotEntry, place: EntryPlace): EntryBlock {
  const { context } = place
  const known = printer.memo.made(blocksOfFile, context.file, () => new Memo())
  const before = known.get(blocks, owner)
  if (before && isSameContext(before.context, context)) return before
  // The provider says whose words the whole message is, so the agent's and a tool's stay as they are, but for tokens of chat templates. The user's stay encoded: the
  // message was sent before with the turn's own blocks around the words, and must be the same now.
  const mayBeWhole = context.isMessage === true && (entry.role === "assistant" || entry.role === "tool")
  const bare = mayBeWhole ? printApart(printer, entry, place, tokensAlone) : undefined
  const [piece, ...others] = bare?.pieces ?? []
  const isWhole = piece?.part === "content" && piece.trust !== "author" && others.length === 0
  const { pieces, opensWithFrame } = bare && isWhole ? bare : printApart(printer, entry, place)
  return known.set<SlotEntry | Injection, EntryBlock>(blocks, owner, { context, pieces, opensWithFrame })
}

/** Prints an entry through its file, without what stands around it. */
function printApart(
  { dialect, memo, recorder: { origin } }: ValuePrinter,
  entry: SlotEntry,
  { injection, context, rest }: EntryPlace,
  markers = dialect.markers,
): DraftRecorder {
  const recorder = new DraftRecorder()
  recorder.origin = origin
  const writer = new FrameWriter(recorder.frame)
  const printer = { dialect, memo, writer, recorder, markers, restItem: rest === true ? injection : undefined }
  walkScope(context.file.template.nodes, writer, {
    // The key of a rest item is a flag, so that the file can ask for it: `${memories? … : ${key}}`.
    holds: (name) => (Object.hasOwn(entry, name) ? !isEmptyValue(entry[name]) : rest === true && name === injection.key),
    slot: (node) => {
      const { name } = node
      // The content of a rest item prints through the file of its key: a list of tools through tools.md.
      const isRest = rest === true && name === "content"
      const fileName = isRest ? slotOf(injection.key) : name
      return Object.hasOwn(entry, name) && printValue(printer, entry[name], { injection, node, fileName, rest: isRest })
    },
    role: () => invariant(false, "an entry file makes no messages"),
    messages: () => invariant(false, "an entry file makes no messages"),
  })
  return recorder
}

function printBlock({ writer, recorder }: ValuePrinter, block: EntryBlock, { node }: EntryPlace): boolean {
  const { pieces, opensWithFrame } = block
  const first = pieces[0]
  if (!first) return false
  // White space that is not printed yet joins a frame in one piece. Before a value it is a piece of its own.
  if (opensWithFrame) writer.line(first.text, first.source ?? node.source)
  else writer.beforeContent(node.source)
  recorder.putAgain(pieces, opensWithFrame ? 1 : 0, pieces.length)
  recorder.mark()
  return true
}

export function printNotice({ writer, recorder }: ValuePrinter, { text, source }: NoticeText, at: Source): boolean {
  writer.beforeContent(at)
  recorder.put({ text, part: "notice", trust: "author", source: source ?? at })
  return true
}

/** Prints an entry that has no file: its texts in order, each on a line. */
function printTexts(printer: ValuePrinter, entry: SlotEntry, place: ValuePlace): boolean {
  const { writer } = printer
  const { source } = place.node
  const notice = noticeOf(entry)
  if (notice) return printNotice(printer, notice, source)
  const scope = writer.open()
  for (const value of Object.values(entry)) if (printValue(printer, value, place)) writer.separate("\n", source)
  return writer.close(scope)
}

/** The place of an injection's text; undefined if it was added by code. */
function sourceOf({ source, content }: Injection): Source | undefined {
  return source ?? (isText(content) ? content.source : undefined)
}

/** The file that prints the entries of a list. A file that makes messages is a prompt and prints no entries. */
export function entryFile(dialect: Dialect, name: string): PromptFile | undefined {
  const file = dialect.files.get(name)
  if (!file) return undefined
  return templateNames(file.template.nodes).makesMessages ? undefined : file
}

/** The error for a list in a slot, if no file prints its entries. */
export function missingEntryFile(name: string, dialect: Dialect, node: SlotNode): PromptStrataError {
  const message = `expected a file ${name}.md in dialect "${dialect.name}" to print the list in \${${node.name}}, found none.`
  return new PromptStrataError("prompt-missing", message, {
    source: node.source,
    hint: `Add ${name}.md with a slot for each value of an entry, or give text instead of a list.`,
  })
}
