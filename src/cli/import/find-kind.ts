import { readFileSync, statSync } from "node:fs"
import { PromptStrataError } from "../../core/errors.ts"
import { isRecord, parsedJson } from "../../core/json-access.ts"
import { isPng } from "../../node/cards/png-chunks.ts"
import { isZip } from "../../node/cards/zip.ts"
import { isMissing } from "../../node/read-text-file.ts"
import { displayPath } from "../../node/shipped-files.ts"
import { isPresetJson } from "./preset.ts"
import { isTavernHeader } from "./tavern-chat.ts"

/** A file or folder of another program, by what it holds. */
export type Foreign =
  | { readonly kind: "card" }
  | { readonly kind: "chat"; readonly text: string }
  | { readonly kind: "preset"; readonly json: Readonly<Record<string, unknown>> }

const maxBytes = 256 * 1024 * 1024

/** Looks what a file or folder of another program is, at its content alone. Throws `usage` for anything that cannot be imported. */
export function findKind(path: string): Foreign {
  const file = displayPath(path)
  const size = sizeOf(path, file)
  if (size > maxBytes) throw unknown(file, `a file of ${size} bytes, more than ${maxBytes}`)
  const bytes = readFileSync(path)
  if (isPng(bytes) || isZip(bytes)) return { kind: "card" }
  const text = textOf(bytes, file)
  const line = parsedJson(text.slice(0, text.search(/\n|$/)))
  const json = parsedJson(text)
  if (isRecord(json) && isCardJson(json)) return { kind: "card" }
  if (isRecord(json) && isPresetJson(json)) return { kind: "preset", json }
  if (isTavernHeader(line)) return { kind: "chat", text }
  throw unknown(file, json === undefined ? "another text" : "other JSON")
}

function sizeOf(path: string, file: string): number {
  try {
    return statSync(path).size
  } catch (cause) {
    if (isMissing(cause)) throw new PromptStrataError("usage", `expected a file or folder at ${file}, found none.`, { cause })
    throw cause
  }
}

function textOf(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch (cause) {
    throw unknown(file, "no text in UTF-8", cause)
  }
}

function isCardJson(json: Readonly<Record<string, unknown>>): boolean {
  if (typeof json.spec === "string" && json.spec.startsWith("chara_card")) return true
  return typeof json.name === "string" && ["description", "first_mes", "mes_example", "personality"].some((name) => name in json)
}

const kinds = "a character card (.png, .charx, .json), a chat (.jsonl), a preset or a template (.json) of SillyTavern"

function unknown(file: string, found: string, cause?: unknown): PromptStrataError {
  return new PromptStrataError("usage", `expected ${kinds} at ${file}, found ${found}.`, { hint: "Nothing was written.", cause })
}
