import { extname } from "node:path"
import { late } from "../../core/late.ts"

/** Loads what reads cards. */
export const loadCards = late(() => import("./card-persona.ts"))

const extensions: ReadonlySet<string> = new Set([".png", ".apng", ".charx", ".json", ".webp", ".jpg", ".jpeg"])

/** Loads what reads their pictures. */
export const loadSprites = late(() => import("./sprites.ts"))

/** True for the path of a file that can be a character card, or that one could be expected in. */
export function isCardPath(path: string): boolean {
  return extensions.has(extname(path).toLowerCase())
}

/** The profile that a card is when nobody wrote one: a conversation without tools, in the order that cards are written for. */
export function cardProfile(path: string): string {
  return `[prompt]\ndialect = "tavern"\npersona = ${JSON.stringify(path)}\n[loop]\nmode = "chat"\n[history]\nwindow = "steps"\n[plugins]\nenabled = ["memory"]\n`
}
