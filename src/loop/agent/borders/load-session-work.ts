import { late } from "../../../core/late.ts"

/** Loads the work beside turns, of which most programs ask for little. */
export const loadWork = late(() => import("./session-work.ts"))
