import { late } from "../../../core/late.ts"

/** Loads the work of turns that have attachments, wait, join others, go on after an approval, or fail, with the first of them. */
export const loadDetours = late(() => import("./detours.ts"))
