import { late } from "../../../core/late.ts"

/** Loads what an agent does aside from plain turns, with the first that is asked for. */
export const loadAside = late(() => import("./aside.ts"))
