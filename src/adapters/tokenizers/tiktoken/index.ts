export type { TiktokenEncoding } from "./tiktoken-counter.ts"
export { type TiktokenCounter, type TiktokenCounterOptions, tiktokenCounter } from "./tiktoken-counter.ts"
