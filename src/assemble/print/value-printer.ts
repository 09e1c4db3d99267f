import { invariant, PromptStrataError } from "../../core/errors.ts"
import type { Source } from "../../core/source.ts"
import { type Injection, isEmptyValue, isText, type SlotEntry, type SlotValue, type TrustedText } from "../../core/value.ts"
import type { Dialect, PromptFile } from "../../dialect/dialect.ts"
import type { SlotNode, TemplateNode } from "../../template/ast.ts"
import { FrameWriter } from "../../template/frame-writer.ts"
import { type WalkHost, walkScope } from "../../template/walk.ts"
import { type NoticeText, noticeOf } from "../cut/cut-places.ts"
import type { DraftMessage } from "../draft/draft.ts"
import { DraftRecorder, originOf } from "../draft/draft-recorder.ts"
import { type EntryBlock, knownBlock, rememberBlock } from "./entry-blocks.ts"
import { restEntry } from "./placement.ts"
import { printList } from "./print-list.ts"
import { printText } from "./print-text.ts"

/** Where a value is printed: in which slot, for which injection. */
interface ValuePlace {
  readonly injection: Injection
  readonly node: SlotNode
  /** The name of the file its entries print through. */
  readonly fileName: string
  /** True for what the rest slot holds: a list without a file of its own prints its texts. */
  readonly rest?: boolean
}

/** Where an entry is printed, and through which file. */
export interface EntryPlace {
  readonly injection: Injection
  readonly node: SlotNode
  readonly file: PromptFile
  /** True for the rest slot's own entry, not for entries inside. */
  readonly rest?: boolean
}

/** Prints values: texts through their encoders, lists through the file of their name. Everything says whether it printed anything. */
export class ValuePrinter {
  readonly #dialect: Dialect
  readonly #writer: FrameWriter
  readonly #recorder: DraftRecorder

  constructor(dialect: Dialect, writer: FrameWriter, recorder: DraftRecorder) {
    this.#dialect = dialect
    this.#writer = writer
    this.#recorder = recorder
  }

  value(value: SlotValue | undefined, place: ValuePlace): boolean {
    if (value === undefined || typeof value === "boolean" || isEmptyValue(value)) return false
    const { injection, node, fileName, rest } = place
    if (typeof value === "string") return this.#text({ text: value, trust: injection.trust }, place)
    if (isText(value)) return this.#text(value, place)
    const file = entryFile(this.#dialect, fileName)
    if (file)
      return this.list(value, { node, separator: file.separator }, (entry) => this.entry(entry, { injection, node, file }))
    if (rest === true) return this.list(value, { node }, (entry) => this.#texts(entry, place))
    throw missingEntryFile(fileName, this.#dialect, node)
  }

  entry(entry: SlotEntry, place: EntryPlace): boolean {
    const notice = noticeOf(entry)
    if (notice) return this.notice(notice, place.node.source)
    return this.#block(this.#entryBlock(entry, place), place)
  }

  /** An entry as a message of its own, the same one each time; `undefined` where it prints nothing. */
  entryMessage(
    entry: SlotEntry,
    place: EntryPlace,
    opening: (entry: SlotEntry) => Omit<DraftMessage, "pieces">,
  ): DraftMessage | undefined {
    const block = this.#entryBlock(entry, place)
    if (block.pieces.length === 0) return undefined
    block.message ??= { ...opening(entry), pieces: block.pieces, written: undefined }
    return block.message
  }

  /** The items of the rest slot, each as an entry of `rest.md`. What they print is kept, one by one and as a list. */
  restItems(items: readonly Injection[], { node, file }: Omit<EntryPlace, "injection">): boolean {
    return printList(items, {
      node,
      context: { dialect: this.#dialect, file, stability: this.#recorder.origin.stability },
      writer: this.#writer,
      recorder: this.#recorder,
      print: (injection) => this.#restItem({ injection, file, node, rest: true }),
    })
  }

  #restItem(place: EntryPlace): boolean {
    const { injection } = place
    return this.#recorder.from(originOf(injection), () =>
      this.#block(this.#knownBlock(injection, place) ?? this.#makeBlock(injection, restEntry(injection), place), place),
    )
  }

  #entryBlock(entry: SlotEntry, place: EntryPlace): EntryBlock {
    return this.#knownBlock(entry, place) ?? this.#makeBlock(entry, entry, place)
  }

  #block(block: EntryBlock, place: EntryPlace): boolean {
    const { pieces, opensWithFrame } = block
    const first = pieces[0]
    if (!first) return false
    // The white space that waits becomes one piece with a frame, and stands before a value by itself.
    if (opensWithFrame) this.#writer.frame(first.text, first.source ?? place.node.source)
    else {
      this.#recorder.again = block.lead
      this.#writer.beforeContent(place.node.source)
      block.lead = this.#recorder.again
    }
    this.#recorder.putAgain(pieces, opensWithFrame ? 1 : 0)
    return true
  }

  notice({ text, source }: NoticeText, at: Source): boolean {
    this.#writer.beforeContent(at)
    this.#recorder.put({ text, part: "notice", trust: "author", source: source ?? at })
    return true
  }

  /** Prints items with a separator between those that print something. */
  list<Item>(
    items: readonly Item[],
    { node, separator = "\n" }: { readonly node: SlotNode; readonly separator?: string },
    print: (item: Item) => boolean,
  ): boolean {
    const scope = this.#writer.open()
    for (const item of items) {
      if (print(item)) this.#writer.separate(separator, node.source)
    }
    return this.#writer.close(scope)
  }

  #text(text: TrustedText, { injection: { source }, node }: ValuePlace): boolean {
    const parts = printText(text, { node, markers: this.#dialect.markers, ...(source ? { source } : {}) })
    if (parts.length === 0) return false
    this.#writer.beforeContent(node.source)
    for (const part of parts) this.#recorder.put(part)
    return true
  }

  #knownBlock(owner: SlotEntry | Injection, place: EntryPlace): EntryBlock | undefined {
    return knownBlock(owner, place, { dialect: this.#dialect, origin: this.#recorder.origin })
  }

  /** An entry is printed by itself, once: what stands around it changes nothing but the white space before it. */
  #makeBlock(owner: SlotEntry | Injection, entry: SlotEntry, place: EntryPlace): EntryBlock {
    const recorder = new DraftRecorder(this.#recorder.origin)
    let opensWithFrame = false
    const writer = new FrameWriter((text, source) => {
      opensWithFrame ||= recorder.isEmpty
      recorder.put({ text, part: "frame", trust: "author", source })
    })
    recorder.startMessage("user")
    const values = new ValuePrinter(this.#dialect, writer, recorder)
    walkScope(place.file.template.nodes, writer, values.#hostOf(entry, place))
    const pieces = recorder.draft().messages[0]?.pieces ?? []
    return rememberBlock(owner, place, { dialect: this.#dialect, origin: this.#recorder.origin }, { pieces, opensWithFrame })
  }

  /** An entry that no file prints: its texts in order, a line each. */
  #texts(entry: SlotEntry, place: ValuePlace): boolean {
    const notice = noticeOf(entry)
    if (notice) return this.notice(notice, place.node.source)
    return this.list(Object.values(entry), place, (value) =>
      Array.isArray(value)
        ? this.list(value as readonly SlotEntry[], place, (inner) => this.#texts(inner, place))
        : this.value(value, place),
    )
  }

  /** Answers an entry file with the entry's values; names of the prompt mean nothing in it. */
  #hostOf(entry: SlotEntry, { injection, rest }: EntryPlace): WalkHost {
    // A rest item's key is a flag, so that the file can ask for one: `${memories? … : ${key}}`.
    const flag = rest === true ? injection.key : undefined
    const valueAt = (name: string) => (Object.hasOwn(entry, name) ? entry[name] : name === flag ? true : undefined)
    return {
      holds: (name) => !isEmptyValue(valueAt(name)),
      slot: (node) => {
        // What the rest slot holds is known by its key: a list of tools prints through tools.md there too.
        const isRest = rest === true && node.name === "content"
        return this.value(valueAt(node.name), { injection, node, fileName: isRest ? injection.key : node.name, rest: isRest })
      },
      branch: (_name, print) => print(),
      placeholder: (_name, print) => print(),
      role: () => invariant(false, "an entry file makes no messages"),
      messages: () => invariant(false, "an entry file makes no messages"),
    }
  }
}

/** The file that prints the entries of a list of that name; a file that makes messages is a prompt and prints none. */
export function entryFile(dialect: Dialect, name: string): PromptFile | undefined {
  const file = dialect.files.get(name)
  return file && !makesMessages(file.template.nodes) ? file : undefined
}

function makesMessages(nodes: readonly TemplateNode[]): boolean {
  return nodes.some((node) => {
    if (node.type === "conditional") return makesMessages(node.then) || makesMessages(node.otherwise)
    return node.type === "role" || node.type === "messages"
  })
}

/** For a slot whose list no file prints. */
export function missingEntryFile(name: string, dialect: Dialect, node: SlotNode): PromptStrataError {
  return new PromptStrataError(
    "prompt-missing",
    `\${${node.name}} holds a list, and dialect "${dialect.name}" has no file ${name}.md to print its entries.`,
    {
      source: node.source,
      hint: `Add ${name}.md with a slot for each value of an entry, or give text instead of a list.`,
    },
  )
}

/** For `${messages(name)}` when the injection is no list. */
export function notEntries(name: string, source: Source): PromptStrataError {
  return new PromptStrataError("injection", `expected a list of entries for \${messages(${name})}, found text.`, {
    source,
    hint: `Give the injection "${name}" a list, or write \${${name}} instead.`,
  })
}
