import { invariant, PromptStrataError } from "../../../core/errors.ts"
import { authored, emptyList, grow, type Memo, memoKind } from "../../../core/memo.ts"
import type { Source } from "../../../core/source.ts"
import { type Injection, isEmptyValue, isText, type SlotEntry, type SlotValue } from "../../../core/value.ts"
import { type Dialect, type PromptFile, templateNames } from "../../dialect/dialect.ts"
import type { Markers } from "../../encode/lines.ts"
import { type NoticeText, noticeOf } from "../../encode/marked-text.ts"
import { slotOf } from "../../layers/combine-injections.ts"
import type { SlotNode } from "../../template/ast.ts"
import { FrameWriter, settleFrame } from "../../template/frame-writer.ts"
import { walkScope } from "../../template/render.ts"
import type { DraftMessage } from "../draft/draft.ts"
import { DraftRecorder, originOf } from "../draft/draft-recorder.ts"
import { type BlockPlace, type EntryBlock, knownBlock, printList, rememberBlock } from "./print-list.ts"
import { printText } from "./print-text.ts"

/** The slot in which a value is printed, and its injection. */
interface ValuePlace {
  readonly injection: Injection
  readonly node: SlotNode
  /** The name of the file that prints its entries. */
  readonly fileName: string
  /** True for items of the rest slot: a list without a file of its own prints its texts. */
  readonly rest?: boolean
}

/** The slot in which an entry is printed, and the file that prints it. */
export interface EntryPlace extends BlockPlace {
  readonly node: SlotNode
}

/** Lists of so many entries are printed from their last printing. For shorter ones that costs more than it saves. */
const longList = 16

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

/** Prints values: texts through encoders, lists through the file of their name. A method returns true if it printed anything. */
export class ValuePrinter {
  readonly #dialect: Dialect
  readonly #memo: Memo
  readonly #writer: FrameWriter
  readonly #recorder: DraftRecorder
  /** The rest item that is printed. Its texts come from no place in the file that prints all such items. */
  readonly #restItem: Injection | undefined
  readonly #markers: Markers

  constructor(
    { dialect, writer, recorder, memo }: { dialect: Dialect; writer: FrameWriter; recorder: DraftRecorder; memo: Memo },
    {
      restItem,
      markers = dialect.markers,
    }: { readonly restItem?: Injection | undefined; readonly markers?: Markers | undefined } = {},
  ) {
    this.#dialect = dialect
    this.#memo = memo
    this.#markers = markers
    this.#writer = writer
    this.#recorder = recorder
    this.#restItem = restItem
  }

  value(value: SlotValue | undefined, place: ValuePlace): boolean {
    if (value === undefined || typeof value === "boolean" || isEmptyValue(value)) return false
    const { injection, node, fileName, rest } = place
    if (typeof value === "string" || isText(value)) {
      const text = typeof value === "string" ? { text: value, trust: injection.trust } : value
      this.#writer.beforeContent(node.source)
      const source = this.#restItem ? sourceOf(this.#restItem) : (injection.source ?? node.source)
      const markers = ownHeadings.has(injection.key) ? withoutShapes(this.#markers) : this.#markers
      let { parts } = text
      for (const printed of printText(text, { node, markers, source })) {
        const behind = printed.part === "content" && printed.text !== "" ? parts : undefined
        this.#recorder.put(behind ? { ...printed, parts: behind } : printed)
        if (behind) parts = undefined
      }
      return true
    }
    const file = entryFile(this.#dialect, fileName)
    if (!file && rest !== true) throw missingEntryFile(fileName, this.#dialect, node)
    if (file && value.length >= longList) {
      const [writer, recorder, memo] = [this.#writer, this.#recorder, this.#memo]
      const { key, stability } = recorder.origin
      const context = { dialect: this.#dialect, file, key, stability, trust: injection.trust, source: injection.source }
      const print = (entry: SlotEntry): boolean => this.entry(entry, { injection, node, file })
      return printList(value, { node, context, memo, writer, recorder, print })
    }
    const scope = this.#writer.open()
    for (const entry of value) {
      const isPrinted = file ? this.entry(entry, { injection, node, file }) : this.#texts(entry, place)
      if (isPrinted) this.#writer.separate(file?.separator ?? "\n", node.source)
    }
    return this.#writer.close(scope)
  }

  entry(entry: SlotEntry, place: EntryPlace): boolean {
    const notice = noticeOf(entry)
    if (notice) return this.notice(notice, place.node.source)
    return this.#block(this.#blockOf(entry, entry, place), place)
  }

  /** An entry as a message of its own, the same object each time; `undefined` if it prints nothing. */
  entryMessage(
    entry: SlotEntry,
    place: EntryPlace,
    opening: (entry: SlotEntry) => Omit<DraftMessage, "pieces">,
  ): DraftMessage | undefined {
    const block = this.#blockOf(entry, entry, place)
    if (block.pieces.length === 0) return undefined
    block.message ??= { ...opening(entry), pieces: block.pieces, written: undefined }
    return block.message
  }

  /** By entry, the message that {@link entryMessage} gives. Entries that followed each other before are not looked at one by one. */
  entryMessages(
    entries: readonly SlotEntry[],
    place: EntryPlace,
    opening: (entry: SlotEntry) => Omit<DraftMessage, "pieces">,
  ): readonly (DraftMessage | undefined)[] {
    const [first] = entries
    if (!first) return []
    const block = this.#blockOf(first, first, place)
    block.messages ??= emptyList()
    return grow(block.messages, entries, (entry) => this.entryMessage(entry, place, opening))
  }

  /** Prints the items of the rest slot, each as an entry of `rest.md`. The results are remembered, by item and as a list. */
  restItems(items: readonly Injection[], { node, file }: Omit<EntryPlace, "injection">): boolean {
    const [writer, recorder, memo] = [this.#writer, this.#recorder, this.#memo]
    const [joins, begun] = [items.length >= longList, recorder.pieces.length]
    const context = { dialect: this.#dialect, file, key: "", stability: recorder.origin.stability, joins }
    // Recalled memories have another heading beside memories of the stack's own (S2). The copy keeps what was printed before apart.
    let hasOwn = false
    for (const { key } of items) if (key === "character.memories") hasOwn = true
    const shown = hasOwn ? items.map((item) => (item.key === "memories" ? { ...item } : item)) : items
    const print = (injection: Injection): boolean => {
      const [around, from] = [recorder.enter(originOf(injection)), recorder.pieces.length]
      const { key, content } = injection
      const entry: SlotEntry = { key: { text: key, trust: "author" }, content, beside: key === "memories" && shown !== items }
      const place = { injection, file, node, rest: true }
      const isPrinted = this.#block(this.#blockOf(injection, entry, place), place)
      // The white space before the first item is the prompt file's own.
      if (joins && from > begun) recorder.join(from, injection)
      recorder.origin = around
      return isPrinted
    }
    const printedAgain = ({ key }: Injection): void => recorder.markPrinted(key)
    return printList(shown, { node, context, memo, writer, recorder, print, printedAgain })
  }

  /**
   * The block of an entry, which is printed by itself, once: the text around it changes only the white space before it. The block
   * is remembered for its owner, which is the entry, or the rest item that the entry was made from. Names of the prompt are
   * unknown in the entry's file.
   */
  #blockOf(owner: SlotEntry | Injection, entry: SlotEntry, place: EntryPlace): EntryBlock {
    const context = { dialect: this.#dialect, origin: this.#recorder.origin, memo: this.#memo }
    const known = knownBlock(owner, place, context)
    if (known) return known
    // The provider says whose words the whole message is, so the agent's and a tool's stay as they are, but for tokens of chat templates. The user's stay encoded: the
    // message was sent before with the turn's own blocks around the words, and must be the same now.
    const mayBeWhole = place.message === true && (entry.role === "assistant" || entry.role === "tool")
    const bare = mayBeWhole ? this.#printEntry(entry, place, tokensAlone) : undefined
    const [piece, ...others] = bare?.pieces ?? []
    const isWhole = piece?.part === "content" && piece.trust !== "author" && others.length === 0
    return rememberBlock(owner, place, context, bare && isWhole ? bare : this.#printEntry(entry, place))
  }

  #printEntry(entry: SlotEntry, { injection, file, rest }: EntryPlace, markers?: Markers): DraftRecorder {
    const [dialect, memo] = [this.#dialect, this.#memo]
    const recorder = new DraftRecorder(memo)
    recorder.origin = this.#recorder.origin
    recorder.startMessage("user")
    const writer = new FrameWriter(recorder.frame)
    const restItem = rest === true ? injection : undefined
    const values = new ValuePrinter({ dialect, writer, recorder, memo }, { restItem, markers })
    walkScope(file.template.nodes, writer, {
      // The key of a rest item is a flag, so that the file can ask for it: `${memories? … : ${key}}`.
      holds: (name) => (Object.hasOwn(entry, name) ? !isEmptyValue(entry[name]) : rest === true && name === injection.key),
      slot: (node) => {
        const { name } = node
        // The content of a rest item prints through the file of its key: a list of tools through tools.md.
        const isRest = rest === true && name === "content"
        const fileName = isRest ? slotOf(injection.key) : name
        return Object.hasOwn(entry, name) && values.value(entry[name], { injection, node, fileName, rest: isRest })
      },
      role: () => invariant(false, "an entry file makes no messages"),
      messages: () => invariant(false, "an entry file makes no messages"),
    })
    return recorder
  }

  #block(block: EntryBlock, place: EntryPlace): boolean {
    const { pieces, opensWithFrame } = block
    const first = pieces[0]
    if (!first) return false
    // White space that is not printed yet joins a frame in one piece. Before a value it is a piece of its own.
    if (opensWithFrame) this.#writer.settled(settleFrame(first.text), first.source ?? place.node.source)
    else {
      this.#recorder.again = block.lead
      this.#writer.beforeContent(place.node.source)
      block.lead = this.#recorder.again
    }
    this.#recorder.putAgain(pieces, opensWithFrame ? 1 : 0, pieces.length)
    this.#recorder.mark()
    return true
  }

  notice({ text, source }: NoticeText, at: Source): boolean {
    this.#writer.beforeContent(at)
    this.#recorder.put({ text, part: "notice", trust: "author", source: source ?? at })
    return true
  }

  /** Prints an entry that has no file: its texts in order, each on a line. */
  #texts(entry: SlotEntry, place: ValuePlace): boolean {
    const notice = noticeOf(entry)
    if (notice) return this.notice(notice, place.node.source)
    const scope = this.#writer.open()
    for (const value of Object.values(entry)) if (this.value(value, place)) this.#writer.separate("\n", place.node.source)
    return this.#writer.close(scope)
  }
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

/** The error for `${messages(name)}`, if the injection is no list. */
export function notEntries(name: string, source: Source): PromptStrataError {
  return new PromptStrataError("injection", `expected a list of entries for \${messages(${name})}, found text.`, {
    source,
    hint: `Give the injection "${name}" a list, or write \${${name}} instead.`,
  })
}
