import { late } from "../../core/late.ts"

/** Loads what memory needs, with the first program that remembers. */
export const loadMemories = late(() => import("./memories.ts"))
