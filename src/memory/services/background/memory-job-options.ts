import type { HistoryMessage, ServiceKey } from "../../../core/conversation.ts"
import type { Ports } from "../../../core/ports.ts"
import type { RecordedMemoryService } from "../memory/recorded-memories.ts"
import type { ReceiptRecords } from "../store/records.ts"
import type { UserProfileService } from "../user-profile.ts"
import type { DocumentMemory } from "./document-memory.ts"
import type { ReflectionService } from "./reflection.ts"

/** Settings of the memory job. */
interface MemoryJobSettings {
  /** A conversation of at least this importance, from 0 to 10, is stored (T31). */
  readonly importanceThreshold: number
  /** The number of turns of a private conversation that one call of the model judges and profiles. */
  readonly batchTurns: number
  /** The number of memories that reflection reads. */
  readonly reflectOn: number
  /** The time limit of a step. */
  readonly stepMs: number
  /** True if the call that judges the importance also writes keys. */
  readonly keys: boolean
  /** True if that call, with keys, also writes what happened, for the events of a virtual context (H1). */
  readonly events?: boolean | undefined
  /** The time zone of the days that the model is shown. Default UTC. */
  readonly timeZone?: string | undefined
  /** The most characters of the profile that the model is shown. */
  readonly profileCharacters: number
}

/** A function of the program that reads the words of turns in place of the model. If it throws, the step is tried again. */
type WordReader<Found> = (
  messages: readonly HistoryMessage[],
  key: ServiceKey,
  options: { readonly signal: AbortSignal },
) => Found | Promise<Found>

/** Judges how important words are, from 0 to 10 (T32). Keys for memories and events come from the model alone, so there are none. */
export type JudgeImportance = WordReader<number>

/** Finds what users told of themselves, by field. `null` takes a field back. What is known already changes nothing. */
export type ExtractFacts = WordReader<Readonly<Record<string, string | null>>>

/** Services and settings of the memory job. The step of an absent service is left out. */
export interface MemoryJobOptions {
  readonly settings: MemoryJobSettings
  readonly agentName: string
  readonly memory?: RecordedMemoryService | undefined
  readonly userProfile?: UserProfileService | undefined
  readonly reflection?: ReflectionService | undefined
  readonly importance?: JudgeImportance | undefined
  readonly facts?: ExtractFacts | undefined
  /** Documents that are written too, and are all that prompts show of what was learnt. */
  readonly documents?: DocumentMemory | undefined
  readonly receipts: ReceiptRecords
  /** True if `memory` and `userProfile` keep what they keep where the receipts are, so that one transaction can write it all. */
  readonly isOneStore?: boolean | undefined
  readonly ports: Pick<Ports, "clock" | "timers">
}

/** The number of turns that one call judges in a conversation. */
export function turnsOfBatch(
  { settings }: Pick<MemoryJobOptions, "settings">,
  { audience }: Pick<ServiceKey, "audience">,
): number {
  return audience === "private" ? Math.max(1, settings.batchTurns) : 1
}
