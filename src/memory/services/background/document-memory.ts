import type { ServiceKey } from "../../../core/conversation.ts"
import type { Ports } from "../../../core/ports.ts"
import type { Confirm } from "../../../prompt/tools/tool.ts"
import type { MemoryService } from "../memory/memory-service.ts"
import type { JobRunner } from "../store/job-runner.ts"
import type { ReceiptRecords } from "../store/records.ts"
import type { SessionStore } from "../store/session-store.ts"
import type { UserProfileService } from "../user-profile.ts"

/** The documents that background work writes: about the user, and everything else. */
export type LearnedDocument = "user" | "memory"

/** The turn that a line was drawn from, so that the line goes when the turn is forgotten. */
export interface LineOrigin extends ServiceKey {
  readonly turnId: string
  /** The times of the turn's first and last message. */
  readonly fromMs: number
  readonly untilMs: number
  /** The id of the memory in the store, if the line is an insight. */
  readonly insight?: string | undefined
}

/** A thing that background work learnt, for one line of a document. */
export interface LearnedLine {
  readonly document: LearnedDocument
  readonly text: string
  /** The day on which it was said, as `2026-03-04`. */
  readonly day?: string | undefined
  /** The person it is about, in a group. */
  readonly name?: string | undefined
  /** The name of a field. A later line of the same field and user (of the first origin) takes the place of an earlier one. */
  readonly field?: string | undefined
  /** True if output of untrusted tools stood in the context. */
  readonly untrusted: boolean
  readonly origins: readonly LineOrigin[]
}

/** The outcome of {@link DocumentMemory.write}. */
export interface LearnedEdits {
  /** The changed files, each with the id of its edit in the history, such as `MEMORY.md edit 12`. */
  readonly edits: readonly string[]
  readonly written: number
  /** Lines that stood there already. */
  readonly known: number
  /** Names of documents that were too full for a line, and the number of lines that were left out. */
  readonly full: readonly string[]
  readonly left: number
}

/** Some lines of a document that background work wrote, to be put in fewer words. */
export interface CrowdedDocument {
  /** The document's path in its folder, such as `MEMORY.md`. */
  readonly path: string
  /** The lines, oldest first: as they stand there, and without bullets and days. */
  readonly lines: readonly { readonly written: string; readonly text: string }[]
}

/** Lines, by their numbers from 1, that are to become one. */
export interface LineMerge {
  readonly lines: readonly number[]
  readonly text: string
}

/** The outcome of {@link DocumentMemory.tidy}: the document was changed, or its change waits for somebody's yes. */
export interface TidyOutcome {
  readonly status: "changed" | "waits" | "stale"
  /** As in {@link LearnedEdits.edits}, if it was changed. */
  readonly edit?: string | undefined
}

/** The parts of an agent that its documents use. */
export interface DocumentSurroundings {
  readonly store: SessionStore
  readonly receipts: ReceiptRecords
  readonly runner: JobRunner
  readonly memory: Partial<Pick<MemoryService, "get">> | undefined
  readonly userProfile: Pick<UserProfileService, "get"> | undefined
  readonly confirm: Confirm | undefined
  readonly ports: Pick<Ports, "counter">
  readonly onWarning: (warning: { readonly key: ServiceKey; readonly turnId: string; readonly message: string }) => void
}

/** How a call writes. */
interface WriteOptions {
  /** The author in the history, such as `turn_1`. */
  readonly by: string
  /** Must throw if what was learnt was forgotten meanwhile. It is called while nobody else can write or forget lines. */
  readonly expectWanted: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Documents that are the one memory of an agent (`[memory] store = "documents"`). Each user, and each group, has documents of its own.
 * All methods may be called concurrently, also by several processes on one folder. A line is written once, however often it is
 * given. Lines that a person wrote or changed are never changed.
 */
export interface DocumentMemory {
  /** Takes back, from now on, the lines of what is forgotten in the agent's store by this process. */
  attach(agent: DocumentSurroundings): void
  /** The text of a document, as background prompts show it; empty if there is none. */
  text(document: LearnedDocument, key: ServiceKey, options: { readonly signal: AbortSignal }): Promise<string>
  /** Writes lines, each document in one edit that can be undone. */
  write(lines: readonly LearnedLine[], key: ServiceKey, options: WriteOptions): Promise<LearnedEdits>
  /** A nearly full document with lines that were not tidied yet; undefined if there is none. A document is returned once, and again when it has grown. */
  crowded(key: ServiceKey, options: { readonly signal: AbortSignal }): Promise<CrowdedDocument | undefined>
  /** Puts merges into effect, or keeps them until somebody has allowed them, if the agent can ask. */
  tidy(crowded: CrowdedDocument, merges: readonly LineMerge[], options: WriteOptions): Promise<TidyOutcome>
}
