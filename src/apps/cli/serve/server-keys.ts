import { createHash, timingSafeEqual } from "node:crypto"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { parseToml } from "../../../node/parse-toml.ts"
import { terminalUser } from "../open-agent.ts"
import { readNamedFile } from "../options.ts"

/** The person for whom a key speaks; undefined for a key that may name any user. */
export interface KeyHolder {
  readonly user: string | undefined
}

/** Finds the holder of the key in a header `authorization`. */
export type FindHolder = (authorization: string) => KeyHolder | undefined

/** The keys of a server. */
interface ServerKeys {
  /** A key that may name any user. */
  readonly key?: string | undefined
  /** A TOML file of lines `"KEY" = "USER"`. It is read at every request, so that keys can change while the server runs. */
  readonly file?: string | undefined
  /** Gets a sentence when the file cannot be used any more. The last keys that were read stay valid then. */
  readonly onProblem: (message: string) => void
}

/** Opens the keys of a server. Undefined if it has none. Throws `usage` for a file that cannot be used. */
export function openKeys({ key, file, onProblem }: ServerKeys): FindHolder | undefined {
  if (key === undefined && file === undefined) return undefined
  const own = key === undefined ? [] : [entryOf(key, undefined)]
  const ofFile = file === undefined ? () => [] : keysOfFile(file, onProblem)
  return (authorization) => {
    const given = digest(authorization.replace(/^bearer +/i, "Bearer "))
    let holder: KeyHolder | undefined
    // Looks at every key, so that the time tells nothing of which one it was.
    for (const entry of [...own, ...ofFile()]) if (timingSafeEqual(entry.digest, given)) holder = entry
    return holder
  }
}

interface KeyEntry extends KeyHolder {
  readonly digest: Buffer
}

function entryOf(key: string, user: string | undefined): KeyEntry {
  return { digest: digest(`Bearer ${key}`), user }
}

/** Of equal length for every text, so that a comparison takes the same time for all. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}

/** The keys that the file has now, or those of its last good text. A fault is told once. */
function keysOfFile(path: string, onProblem: (message: string) => void): () => readonly KeyEntry[] {
  const read = () => readNamedFile(path, "a file of keys")
  let text = read()
  let keys = parseKeys(text, path)
  let told = ""
  return () => {
    try {
      const now = read()
      if (now !== text || told !== "") keys = parseKeys(now, path)
      text = now
      told = ""
    } catch (thrown) {
      const fault = messageOf(thrown)
      if (fault !== told) onProblem(`The keys before the last change stay valid: ${fault}`)
      told = fault
    }
    return keys
  }
}

/** Errors name lines and users, never a key. */
function parseKeys(text: string, path: string): readonly KeyEntry[] {
  const entries = Object.entries(parsed(text, path))
  if (entries.length === 0) throw badKeys(path, "found none")
  return entries.map(([key, user], at) => {
    const which = `found another one as key ${at + 1}`
    if (!isKey(key)) throw badKeys(path, which)
    if (typeof user !== "string" || !isUserName(user)) throw badKeys(path, `${which}, by its user`)
    if (user === terminalUser) throw badKeys(path, `found the user ${terminalUser}, who is whoever runs this server`)
    return entryOf(key, user)
  })
}

function parsed(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    return parseToml(text, path).data
  } catch (error) {
    const line = PromptStrataError.isInstance(error) ? error.source?.line : undefined
    // The parser's own message quotes the lines.
    throw badKeys(path, `found a mistake${line === undefined ? "" : ` in line ${line}`}`)
  }
}

function badKeys(path: string, found: string): PromptStrataError {
  return new PromptStrataError("usage", `expected lines "KEY" = "USER" in ${path}, each key once, ${found}.`, {
    hint: "Keys and users are ASCII characters without spaces. openssl rand -hex 24 prints a good key.",
  })
}

/** True for a text that a header can hold as a key. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]+$/u.test(text)
}

/** True for a text that can name a user or a conversation in a header. */
export function isUserName(text: string): boolean {
  return /^[\x21-\x7e]{1,200}$/u.test(text)
}
