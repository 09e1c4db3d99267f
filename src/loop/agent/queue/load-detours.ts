import { late } from "../../../core/lazy-pattern.ts"

/** Loads the work of turns that have attachments, wait, join others, go on after an approval, or fail, with the first of them. */
export const loadDetours = late(() => import("./detours.ts"))
