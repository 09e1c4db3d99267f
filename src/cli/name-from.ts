import { basename, resolve } from "node:path"

/** A character's name from its folder's: `my-luna` as `My Luna`. */
export function nameFrom(folder: string): string {
  return basename(resolve(folder))
    .split(/[-_ ]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ")
}
