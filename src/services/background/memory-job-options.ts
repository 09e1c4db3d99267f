import type { ServiceKey } from "../../core/keys.ts"
import type { Ports } from "../../core/ports.ts"
import type { MemoryService } from "../memory.ts"
import type { ReflectionService } from "../reflection.ts"
import type { ReceiptRecords } from "../store.ts"
import type { UserProfileService } from "../user-profile.ts"

/** How the work after a turn goes. */
export interface MemoryJobSettings {
  /** A conversation of at least this importance, from 0 to 10, is stored (T31). */
  readonly importanceThreshold: number
  /** Judges and profiles so many turns of a private conversation in one call of the model. */
  readonly batchTurns: number
  /** So many questions to a model for one user in any 24 hours; then the rest is skipped. */
  readonly dailyCalls?: number
  /** Memories that reflection looks back on. */
  readonly reflectOn: number
  /** How long a step may take. */
  readonly stepMs: number
  /** Characters of the profile that the model is shown. */
  readonly profileCharacters: number
}

/** What the memory job works with. A service that is absent leaves its step out. */
export interface MemoryJobOptions {
  readonly settings: MemoryJobSettings
  readonly agentName: string
  readonly memory?: MemoryService & {
    embedMissing?(key: ServiceKey, options: { readonly limit: number; readonly signal: AbortSignal }): Promise<number>
  }
  readonly userProfile?: UserProfileService
  readonly reflection?: ReflectionService
  readonly receipts: ReceiptRecords
  readonly ports: Pick<Ports, "clock" | "timers">
}
