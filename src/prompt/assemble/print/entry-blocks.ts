import { type GrownList, Memo, memoKind } from "../../../core/memo.ts"
import type { Source } from "../../../core/source.ts"
import type { Injection, SlotEntry, Trust } from "../../../core/value.ts"
import type { Dialect, PromptFile } from "../../dialect/dialect.ts"
import type { DraftMessage, Piece } from "../draft/draft.ts"
import type { Origin } from "../draft/draft-recorder.ts"

/** The pieces that an entry prints by itself. */
export interface EntryBlock {
  readonly pieces: readonly Piece[]
  /** True if the first piece is the file's own text, and not a value, a fence or a notice. */
  readonly opensWithFrame: boolean
  /** The white space that stood before the block the last time. */
  lead?: Piece | undefined
  /** The message that the block makes, once it was asked for. */
  message?: DraftMessage
  /** The messages of the lists that its entry begins, such as a history. They grow from turn to turn. */
  messages?: GrownList<SlotEntry, DraftMessage | undefined>
}

/** The file through which an entry, or a rest item, is printed, and its injection. */
export interface BlockPlace {
  readonly file: PromptFile
  readonly injection: Injection
  /** True for the entry of a rest item itself, not for entries inside it. */
  readonly rest?: boolean
  /** True if the entry is a message of its own. */
  readonly message?: boolean
}

/** The dialect and the origin under which it is printed, and the memo that knows the last blocks. */
export interface BlockContext {
  readonly dialect: Dialect
  readonly origin: Origin
  readonly memo: Memo
}

/** A block with everything that it depends on. */
interface KnownBlock extends EntryBlock {
  readonly dialect: Dialect
  readonly key: string
  readonly stability: Origin["stability"]
  readonly injectionKey: string
  readonly trust: Trust
  readonly source: Source | undefined
  readonly rest: boolean | undefined
  readonly isMessage: boolean | undefined
}

/** By file, the last block of each entry or rest item. They are readonly data, so the same object prints the same. */
const blocksOfFile = memoKind<PromptFile, Memo>()
const blocks = memoKind<SlotEntry | Injection, KnownBlock>()

/** The block that an entry, or a rest item, printed the last time in the same context. */
export function knownBlock(
  owner: SlotEntry | Injection,
  { file, injection, rest, message }: BlockPlace,
  { dialect, origin, memo }: BlockContext,
): EntryBlock | undefined {
  const known = memo.get(blocksOfFile, file)?.get(blocks, owner)
  const isSame =
    known !== undefined &&
    known.dialect === dialect &&
    known.key === origin.key &&
    known.stability === origin.stability &&
    known.injectionKey === injection.key &&
    known.trust === injection.trust &&
    known.source === injection.source &&
    known.rest === rest &&
    known.isMessage === message
  return isSame ? known : undefined
}

/** Remembers the block of an entry, or a rest item, in place of its last one in that file. */
export function rememberBlock(
  owner: SlotEntry | Injection,
  { file, injection, rest, message }: BlockPlace,
  { dialect, origin, memo }: BlockContext,
  { pieces, opensWithFrame }: Pick<EntryBlock, "pieces" | "opensWithFrame">,
): EntryBlock {
  const { key, stability } = origin
  const { key: injectionKey, trust, source } = injection
  const place = { injectionKey, trust, source, rest, isMessage: message }
  const known: KnownBlock = { pieces, opensWithFrame, dialect, key, stability, ...place }
  memo.made(blocksOfFile, file, () => new Memo()).set(blocks, owner, known)
  return known
}
