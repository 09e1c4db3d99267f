export type { TiktokenEncoding } from "./encodings.ts"
export { type TiktokenCounter, type TiktokenCounterOptions, tiktokenCounter } from "./tiktoken-counter.ts"
