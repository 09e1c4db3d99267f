import { checkType } from "../../core/check-options.ts"
import type { PromptStrataError } from "../../core/errors.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import { fileError } from "./file-errors.ts"

/** The folder in which a workspace keeps its lock and its history. The names of its temporary files begin with it too. */
export const ownName = ".promptstrata"

/** Says if names that begin with a dot are refused or are files like others. */
export type HiddenFiles = "refuse" | "allow"

const longestPath = 1024
const longestNameBytes = 255
const deepestPath = 32

/**
 * The names of a path, outermost first. `.` and a slash at the end are dropped, so the root is the empty list. Throws
 * `file-outside` for a path that points out of a workspace, and `file-path` for one that some system reads differently (D12).
 * The rules are the same on every platform.
 */
export function splitPath(path: string, hidden: HiddenFiles = "refuse"): readonly string[] {
  const fault = pathFault(path, hidden)
  if (!fault) return namesOf(path)
  throw refused(typeof path === "string" ? JSON.stringify(path.slice(0, 200)) : String(path), fault)
}

/** True for a path that {@link splitPath} takes. No error is made: a folder may hold 100,000 names that nobody can open. */
export function isPath(path: string, hidden: HiddenFiles): boolean {
  return pathFault(path, hidden) === undefined
}

function namesOf(path: string): readonly string[] {
  return path.split("/").filter((name, at, all) => name !== "." && !(name === "" && at === all.length - 1))
}

/** True when names that lie on the disk lead to a hidden file or into the workspace's own folder. */
export function isHidden(names: readonly string[], hidden: HiddenFiles): boolean {
  return names.some((name) => hiddenFault(nameKey(name), hidden) !== undefined)
}

/**
 * The one spelling of a path: names between single slashes, in Unicode form NFC. When it means one of `names`, that spelling is
 * returned, such as `SOUL.md` for `./soul.MD`. Throws as {@link splitPath} does. The disk is not read; {@link FileWorkspace.resolve}
 * does that.
 */
export function canonicalPath(path: string, names: readonly string[] = []): string {
  checkType("the path of canonicalPath", path, "string")
  const parts = splitPath(path, "allow").map((name) => name.normalize("NFC"))
  const key = pathKey(parts)
  return names.find((name) => pathKey(name.split("/")) === key) ?? parts.join("/")
}

/**
 * True when two paths can be one file on some file system: case, width, composition and invisible characters do not count (D12).
 * False for a path that no workspace accepts.
 */
export function samePath(one: string, other: string): boolean {
  const bothTaken = isPath(one, "allow") && isPath(other, "allow")
  return bothTaken && pathKey(namesOf(one)) === pathKey(namesOf(other))
}

/** One key for all spellings of a path; see {@link nameKey}. */
export function pathKey(names: readonly string[]): string {
  return names.map(nameKey).join("/")
}

const ignoredInKeys = lazyPattern(String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}]`, "gu")

/**
 * One key for all spellings of a name: width, composition, case and invisible characters are folded away. Names that any
 * supported file system treats as equal have the same key (D12). Folding a key again changes nothing.
 */
export function nameKey(name: string): string {
  let key = name
  // Folding case can undo the normal form, and the other way round. Two rounds are enough for every known name.
  for (let round = 0; round < 8; round++) {
    const folded = foldOnce(key)
    if (folded === key) break
    key = folded
  }
  return key
}

/** Folds to upper and to lower case, as some letters are equal only in upper case: ß and SS, ſ and s. Sigmas are one letter. */
function foldOnce(text: string): string {
  const visible = text.normalize("NFKC").replace(ignoredInKeys(), "")
  return visible.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC")
}

type Fault = readonly [found: string, code?: "file-path" | "file-outside"]

/** Invisible characters. The joiner and the variation selector are allowed, as emoji need them; {@link nameKey} ignores them. */
const invisible = lazyPattern(
  String.raw`[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]--[\u{200d}\u{fe0f}]]`,
  "v",
)

function pathFault(path: string, hidden: HiddenFiles): Fault | undefined {
  if (typeof path !== "string") return ["no text"]
  if (path.length > longestPath) return [`a path of more than ${longestPath} characters`]
  if (!path.isWellFormed()) return ["half a character"]
  if (invisible().test(path)) return ["a character that cannot be seen"]
  if (path.startsWith("/")) return ["an absolute path", "file-outside"]
  if (path.startsWith("~")) return ["a path that begins at a home folder", "file-outside"]
  if (path.includes("\\")) return ["a backslash"]
  const names = namesOf(path)
  if (names.length > deepestPath) return [`more than ${deepestPath} nested folders`]
  for (const name of names) {
    const fault = nameFault(name, hidden)
    if (fault) return fault
  }
  return undefined
}

function nameFault(name: string, hidden: HiddenFiles): Fault | undefined {
  const key = nameKey(name)
  if (key === "..") return ["a way up (..)", "file-outside"]
  if (key === "" || key === ".") return ["an empty name"]
  if (/[/\\]/.test(key)) return ["a character that reads as a slash"]
  if (/[<>:"|?*]/.test(name)) return ['one of < > : " | ? *, which not every system allows in a name']
  if (name !== name.trim() || /[. ]$/.test(key)) return ["a name that begins or ends in a blank or ends in a dot"]
  if (/~\d/.test(key)) return ["a short name (~1)"]
  if (isDevice(key)) return ["the name of a device"]
  if (Buffer.byteLength(name) > longestNameBytes) return [`a name of more than ${longestNameBytes} bytes`]
  return hiddenFault(key, hidden)
}

function hiddenFault(key: string, hidden: HiddenFiles): Fault | undefined {
  if (key.startsWith(ownName)) return ["a file of the workspace's own"]
  return hidden === "refuse" && key.startsWith(".") ? ["a hidden name, one that begins with a dot"] : undefined
}

/** True for a name that Windows reads as a device, in any folder and with any extension. A key has 1 2 3 for ¹ ² ³. */
function isDevice(key: string): boolean {
  const stem = (key.split(".")[0] ?? "").trimEnd()
  return /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com\d|lpt\d)$/.test(stem)
}

function refused(shown: string, [found, code = "file-path"]: Fault): PromptStrataError {
  return fileError(code, shown, `expected a path inside the workspace, found ${found}.`, {
    hint: "Write it like notes/today.md: names with slashes between them.",
  })
}
