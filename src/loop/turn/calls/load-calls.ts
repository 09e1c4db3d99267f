import { late } from "../../../core/late.ts"

/** Loads what a turn needs beside the words of its model, with the first that does: most turns of many programs call no tool. */
export const loadCalls = late(() => import("./calls.ts"))

/** Loads what a turn needs to read calls from JSON, to be controlled and to go on after an approval. */
export const loadFurtherCalls = late(() => import("./further-calls.ts"))
