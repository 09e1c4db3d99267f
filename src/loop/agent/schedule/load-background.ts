import { late } from "../../../core/late.ts"

/** Loads the work of an agent outside its turns, with the first of it: programs that answer one question have none and never close. */
export const loadBackground = late(() => import("./background.ts"))
