import { late } from "../../core/late.ts"

/** Loads what a turn needs of memory, with the first that remembers. */
export const loadMemories = late(() => import("./memories.ts"))

/** Loads the work of memory behind turns, with the first job. */
export const loadJudging = late(() => import("./background/judging.ts"))
