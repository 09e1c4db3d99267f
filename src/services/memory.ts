import type { ServiceKey } from "../core/keys.ts"

/** A memory as a service hands it back, the most relevant first. */
export interface Memory {
  readonly id: string
  readonly text: string
}

/** Finds what is known about a question. Called once a turn, beside prestart, within `limits.prestartMs`; a failure leaves the turn without memories and is reported. */
export interface MemoryRecall {
  recall(
    query: string,
    key: ServiceKey,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly Memory[]>
}
