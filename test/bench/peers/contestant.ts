import type { TokenCounter } from "../../../src/core/ports.ts"
import type { Block, Chat, TemplateWork } from "../workloads.ts"

/** Counts the tokens of a text. */
export type Count = (text: string) => number

/** A tokenizer whose every reading is measured, in the two forms in which libraries take one. */
export interface Asked {
  /** Where its user keeps counts: through that memo. */
  readonly count: Count
  readonly counter: TokenCounter
}

/** Somebody who does the works; absent is what they have nothing for. Each `make` begins with nothing remembered. */
export interface Contestant {
  readonly name: string
  readonly version: string
  /** W1: the prompt of the highest ranks that fit, in the order given. */
  readonly makeBlocks?: (asked: Asked) => (given: readonly Block[], budgetTokens: number) => Promise<string> | string
  /** W2: the prompt of a turn, from 0: the system prompt, and the latest lines that fit. */
  readonly makeChat?: (chat: Chat, asked: Asked) => (turn: number) => Promise<string> | string
  /** W3: a template filled in. */
  readonly makeTemplate?: (work: TemplateWork) => () => Promise<string> | string
}
