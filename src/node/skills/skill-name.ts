import { lazyPattern } from "../../core/lazy-pattern.ts"

/** The longest name of the open standard. */
export const maxNameLength = 64

/** Words of lowercase letters and digits, parted by single hyphens. */
const standardName = lazyPattern(String.raw`^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$`, "u")

/** True for a name as the open standard has it, its length aside. */
export function isStandardName(name: string): boolean {
  return standardName().test(name)
}

/** True for a name that leads somewhere: `../x`, `/etc/x`, `a/b`, `~x`, `C:\x`. A title such as `CI / CD` does not. */
export function isPathName(name: string): boolean {
  if (name.includes("\\") || /^[./~]/.test(name) || /^[A-Za-z]:\//.test(name)) return true
  const parts = name.split("/")
  return parts.length > 1 && (!name.includes(" ") || parts.some((part) => part === "" || part.trim() === ".."))
}
