import type { ErrorCode, PromptStrataError } from "../../core/errors.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import { fileError } from "./file-errors.ts"

/** The folder beside the files in which a workspace keeps its lock and its history, and the beginning of its temporary files. */
export const ownName = ".promptstrata"

/** Whether names that begin with a dot are files like others. */
export type HiddenRule = "refuse" | "allow"

const longestPath = 1024
const longestNameBytes = 255
const deepestPath = 32

/** What shows nothing; the joiner and the selector that emoji are made with are let through, and folded in keys. */
const invisible = lazyPattern(
  String.raw`[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]--[\u{200d}\u{fe0f}]]`,
  "v",
)

type Fault = readonly [found: string, code?: ErrorCode]

/**
 * The names of a path, outermost first; `.` and a slash at the end fall away, so the root itself is the empty list. Throws
 * `file-outside` for what points out of a workspace and `file-path` for what some system reads differently (D12): the same
 * rules on every platform.
 */
export function splitPath(path: string, hidden: HiddenRule = "refuse"): readonly string[] {
  const shown = typeof path === "string" ? JSON.stringify(path.slice(0, 200)) : String(path)
  const whole = pathFault(path)
  if (whole) throw refused(shown, whole)
  const names = path.split("/").filter((name, at, all) => name !== "." && !(name === "" && at === all.length - 1))
  if (names.length > deepestPath) throw refused(shown, [`more than ${deepestPath} folders in one another`])
  for (const name of names) {
    const fault = nameFault(name, hidden)
    if (fault) throw refused(shown, fault)
  }
  return names
}

/** True when a path of names that lie on the disk leads to a hidden file or to our own folder. */
export function isHidden(names: readonly string[], hidden: HiddenRule): boolean {
  return names.some((name) => hiddenFault(nameKey(name), hidden) !== undefined)
}

function pathFault(path: string): Fault | undefined {
  if (typeof path !== "string") return ["no text"]
  if (path.length > longestPath) return [`a path of more than ${longestPath} characters`]
  if (!path.isWellFormed()) return ["half a character"]
  if (invisible().test(path)) return ["a character that cannot be seen"]
  if (path.startsWith("/")) return ["an absolute path", "file-outside"]
  if (path.startsWith("~")) return ["a path that begins at a home folder", "file-outside"]
  if (path.includes("\\")) return ["a backslash"]
  return undefined
}

function nameFault(name: string, hidden: HiddenRule): Fault | undefined {
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

function hiddenFault(key: string, hidden: HiddenRule): Fault | undefined {
  if (key.startsWith(ownName)) return ["a file of the workspace's own"]
  return hidden === "refuse" && key.startsWith(".") ? ["a hidden name, one that begins with a dot"] : undefined
}

/** Windows takes these for devices in every folder, whatever comes after a dot. Keys write the digits ¹²³ as 1 2 3. */
function isDevice(key: string): boolean {
  const stem = (key.split(".")[0] ?? "").trimEnd()
  return /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com\d|lpt\d)$/.test(stem)
}

function refused(shown: string, [found, code = "file-path"]: Fault): PromptStrataError {
  return fileError(code, shown, `expected a path inside the workspace, found ${found}.`, {
    hint: "Write it like notes/today.md: names with slashes between them.",
  })
}

/**
 * The one spelling of a path: names between single slashes, composed, and as in `names` where one of those is meant, such as
 * `SOUL.md` for `./soul.MD`. Throws as {@link splitPath} does. Nothing is looked up: see {@link Workspace.resolve}.
 */
export function canonicalPath(path: string, names: readonly string[] = []): string {
  const parts = splitPath(path, "allow").map((name) => name.normalize("NFC"))
  const key = pathKey(parts)
  return names.find((name) => pathKey(name.split("/")) === key) ?? parts.join("/")
}

/**
 * True when two paths can be one file to some file system: case, width, composition and invisible characters do not count (D12).
 * A path that no workspace accepts is the same as none.
 */
export function samePath(one: string, other: string): boolean {
  const [a, b] = [keyOf(one), keyOf(other)]
  return a !== undefined && a === b
}

function keyOf(path: string): string | undefined {
  try {
    return pathKey(splitPath(path, "allow"))
  } catch {
    return undefined
  }
}

function pathKey(names: readonly string[]): string {
  return names.map(nameKey).join("/")
}

const ignored = lazyPattern(String.raw`[\p{Default_Ignorable_Code_Point}\p{Cf}]`, "gu")

/**
 * What two spellings of one name have in common: width, composition, case and ignored characters folded away. Names that any
 * file system of ours takes for one another have one key (D12); folding twice changes nothing.
 */
export function nameKey(name: string): string {
  let key = name
  // Folding case can undo normal form and the other way round; two rounds settle every name there is.
  for (let round = 0; round < 8; round++) {
    const folded = foldOnce(key)
    if (folded === key) break
    key = folded
  }
  return key
}

/** Both ways, because some letters meet only in upper case: ß and SS, ſ and s. The final sigma depends on its neighbours. */
function foldOnce(text: string): string {
  const shown = text.normalize("NFKC").replace(ignored(), "")
  return shown.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC")
}
