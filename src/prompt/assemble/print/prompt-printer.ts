import { PromptStrataError } from "../../../core/errors.ts"
import type { Memo } from "../../../core/memo.ts"
import type { Source } from "../../../core/source.ts"
import type { MessageRole } from "../../../core/span.ts"
import type { Injection, SlotEntry, Stability } from "../../../core/value.ts"
import type { Dialect, PromptFile } from "../../dialect/dialect.ts"
import { type NoticeText, noticeOf } from "../../encode/marked-text.ts"
import { type Placement, placeInjections, slotOf } from "../../layers/combine-injections.ts"
import { promptVariables } from "../../layers/prompt-names.ts"
import type { SlotNode, TemplateNode, TemplateRole } from "../../template/ast.ts"
import { FrameWriter } from "../../template/frame-writer.ts"
import { type WalkHost, walk, walkScope } from "../../template/render.ts"
import type { Draft, DraftMessage, MessageCalls } from "../draft/draft.ts"
import { DraftRecorder, originOf } from "../draft/draft-recorder.ts"
import {
  type EntryPlace,
  entryContext,
  entryFile,
  entryMessage,
  entryMessages,
  missingEntryFile,
  openingOf,
  printEntry,
  printNotice,
  printRestItems,
  printValue,
  type ValuePrinter,
} from "./value-printer.ts"

/** Options of {@link compose}. */
export interface ComposeOptions {
  readonly dialect: Dialect
  /** The prompt's file. */
  readonly file: PromptFile
  /** True when the model has a developer role; else developer items fold into the system message (S8). */
  readonly developerRole?: boolean | undefined
  /** Remembers what was printed. */
  readonly memo: Memo
}

/** Puts injections into a prompt's slots. Nothing is cleaned, counted or cut here. */
export function compose(injections: readonly Injection[], { dialect, file, developerRole = false, memo }: ComposeOptions): Draft {
  const placement = placeInjections(injections, file, { developerRole })
  const printer = new PromptPrinter({ dialect, injections, placement, developerRole, memo })
  walk(file.template.nodes, printer.writer, printer)
  return printer.draft()
}

/** The data that a prompt is printed from. */
interface PromptPrinterInput {
  readonly dialect: Dialect
  /** All given injections, placed or not. */
  readonly injections: readonly Injection[]
  readonly placement: Placement
  readonly developerRole: boolean
  readonly memo: Memo
}

/** Prints a prompt file: its messages, and in them the values of its slots. One printer makes one draft. */
class PromptPrinter implements WalkHost {
  readonly #recorder = new DraftRecorder()
  readonly writer = new FrameWriter(this.#recorder.frame)
  readonly #printer: ValuePrinter
  readonly #input: PromptPrinterInput
  /** The notice about messages that were dropped. It is printed where the next message begins. */
  #heldNotice: { readonly injection: Injection; readonly notice: NoticeText; readonly source: Source } | undefined

  constructor(input: PromptPrinterInput) {
    const { dialect, memo } = input
    this.#input = input
    this.#printer = { dialect, memo, writer: this.writer, recorder: this.#recorder, markers: dialect.markers }
  }

  draft(): Draft {
    if (this.#heldNotice) this.#startMessage("user")
    return this.#recorder.draft()
  }

  holds(name: string): boolean {
    return this.#input.placement.held.has(name)
  }

  slot(node: SlotNode): boolean {
    const placed = this.#input.placement.slots.get(node.name) ?? []
    const isRest = node.name === "rest" || node.name === "developer" || node.name === "standing"
    const file = isRest ? (entryFile(this.#input.dialect, node.name) ?? entryFile(this.#input.dialect, "rest")) : undefined
    if (file) return printRestItems(this.#printer, placed, { node, file })
    const scope = this.writer.open()
    for (const injection of placed) {
      const around = this.#recorder.enter(originOf(injection))
      const place = { injection, node, fileName: slotOf(injection.key), rest: isRest }
      if (printValue(this.#printer, injection.content, place))
        this.writer.separate(node.name === depthSlot ? "\n" : "\n\n", node.source)
      this.#recorder.origin = around
    }
    return this.writer.close(scope)
  }

  scope(name: string, nodes: readonly TemplateNode[], isPlaceholder: boolean): boolean {
    const stability = this.#stabilityOf(name)
    // The text of a branch changes as often as its condition.
    const origin = isPlaceholder ? { key: name, stability, placeholder: true } : { ...this.#recorder.origin, stability }
    const around = this.#recorder.enter(origin)
    const isPrinted = walkScope(nodes, this.writer, this)
    this.#recorder.origin = around
    return isPrinted
  }

  role(role: TemplateRole, source: Source): void {
    const isFolded = role === "developer" && !this.#input.developerRole
    if (isFolded && this.#recorder.role === "system") {
      this.#recorder.continueMessage()
      this.writer.separate("\n\n", source)
    } else this.#startMessage(isFolded ? "system" : role)
  }

  messages(name: string, source: Source): void {
    const { slots, held } = this.#input.placement
    for (const injection of slots.get(name) ?? []) {
      if (!Array.isArray(injection.content)) throw notEntries(name, source)
      const node: SlotNode = { type: "slot", name, alone: true, source }
      const file = entryFile(this.#input.dialect, name)
      if (!file) throw missingEntryFile(name, this.#input.dialect, node)
      const around = this.#recorder.enter(originOf(injection))
      const place = { injection, node, context: entryContext(this.#printer, injection, file, true) }
      const entries = injection.content as readonly SlotEntry[]
      const deep =
        name === "history" && this.#input.dialect.files.has(depthFile) ? deepItems(slots.get(depthSlot), entries) : undefined
      let at = 0
      // A notice is printed in the message that follows it.
      while (at < entries.length && (deep || this.#heldNotice || noticeOf(entries[at]))) {
        if (deep) this.#deepMessages(deep.get(at))
        this.#message(entries[at++], place)
      }
      this.#others(at === 0 ? entries : entries.slice(at), place)
      // What is behind the newest message stays in the slot.
      if (deep) slots.set(depthSlot, deep.get(-1) ?? [])
      if (deep?.has(-1) === false) held.delete(depthSlot)
      this.#recorder.origin = around
    }
    this.#recorder.endMessage()
  }

  /**
   * Prints the items at a depth of history before one of its entries. Those of one role are a message of that role, in the frame of the
   * dialect's `depth.md`.
   */
  #deepMessages(items: readonly Injection[] | undefined): void {
    for (const [role, deep] of Map.groupBy(items ?? [], ({ key }) => key.split("/")[1]?.split(".")[1])) {
      const [first] = deep
      const file = this.#input.dialect.files.get(depthFile)
      if (!first || !file) return
      const around = this.#recorder.enter(originOf(first))
      this.#startMessage(role === "assistant" || role === "user" ? role : "system")
      this.#input.placement.slots.set(depthSlot, deep)
      walkScope(file.template.nodes, this.writer, this)
      this.#recorder.origin = around
    }
  }

  /** Prints entries as messages. They are put together, unless one of them prints nothing. */
  #others(entries: readonly SlotEntry[], place: EntryPlace): void {
    const messages = entryMessages(this.#printer, entries, place)
    if (messages.includes(undefined)) {
      for (const entry of entries) this.#message(entry, place)
    } else if (entries.length > 0) {
      this.writer.startMessage()
      this.writer.passed()
      this.#recorder.addMessages(messages as readonly DraftMessage[])
    }
  }

  #message(entry: SlotEntry | undefined, place: EntryPlace): void {
    if (!entry) return
    const { injection, node } = place
    const notice = noticeOf(entry)
    if (notice) {
      this.#heldNotice = { injection, notice, source: node.source }
      return
    }
    const message = this.#heldNotice ? undefined : entryMessage(this.#printer, entry, place)
    if (message) {
      this.writer.startMessage()
      this.writer.beforeContent(node.source)
      this.#recorder.addMessages([message])
      return
    }
    const { role, calls } = openingOf(entry)
    this.#startMessage(role, calls)
    printEntry(this.#printer, entry, place)
  }

  /**
   * Starts a message. A held notice is printed in a message of the user: the assistant did not say it, and history does not stand
   * in the system message.
   */
  #startMessage(role: MessageRole, calls?: MessageCalls): void {
    const held = this.#heldNotice
    this.#heldNotice = undefined
    if (held) {
      this.#startMessage("user")
      const around = this.#recorder.enter(originOf(held.injection))
      printNotice(this.#printer, held.notice, held.source)
      this.#recorder.origin = around
      if (role === "user") {
        this.writer.separate("\n\n", held.source)
        return
      }
    }
    this.#recorder.startMessage(role, calls)
    this.writer.startMessage()
  }

  /** The stability of an injection, or the usual one of its slot, if none was given. */
  #stabilityOf(name: string): Stability {
    for (const injection of this.#input.injections) if (injection.key === name) return originOf(injection).stability
    return usualStabilities.get(name) ?? "turn"
  }
}

/** The error for `${messages(name)}`, if the injection is no list. */
function notEntries(name: string, source: Source): PromptStrataError {
  return new PromptStrataError("injection", `expected a list of entries for \${messages(${name})}, found text.`, {
    source,
    hint: `Give the injection "${name}" a list, or write \${${name}} instead.`,
  })
}

/** Items under `lorebook.depth/4.user/NAME` stand before the fourth newest message, which is the turn's own if it counts, as the user's (C14). */
const depthSlot = "lorebook.depth"
const depthFile = "depth"

/** The items at a depth, by the index of the entry of history before which they stand; -1 for none. */
function deepItems(items: readonly Injection[] | undefined, entries: readonly SlotEntry[]): Map<number, Injection[]> | undefined {
  if (!items) return undefined
  const spoken = entries.flatMap(({ speaker }, at) => (speaker === undefined ? [] : [at]))
  return Map.groupBy(items, ({ key }) => {
    const depth = Number.parseInt(key.split("/")[1] ?? "", 10)
    let at = depth < 0 ? spoken[-1 - depth] : depth > 1 ? (spoken.at(1 - depth) ?? 0) : -1
    // A message that answers the one before it stays with it.
    while (at && entries[at]?.answers === true) at--
    return at ?? -1
  })
}

/** The stability of the shipped dialects' slots. */
const usualStabilities: ReadonlyMap<string, Stability> = new Map([
  ...promptVariables.map((name) => [name, "global"] as const),
  ...slotsOf("global", "persona format skills standing final_system base decision_schema"),
  ...slotsOf("session", "character.system tools tool_groups memory_on"),
  ...slotsOf("conversation", "history"),
])

function slotsOf(stability: Stability, names: string): (readonly [string, Stability])[] {
  return names.split(" ").map((name) => [name, stability])
}
