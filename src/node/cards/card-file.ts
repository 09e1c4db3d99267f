import { readFile, stat } from "node:fs/promises"
import { checkOptions, checkType } from "../../core/check-options.ts"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { fileHeader } from "../../memory/services/attachments/file-header.ts"
import { type Card, cardOf } from "../../prompt/layers/card/card.ts"
import { badFile, isAbsent } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { bareMessage } from "../skills/skill-problem.ts"
import { type CardFile, cardFolderAt, loadCardFolder } from "./card-folder.ts"
import { isPng, lostTexts, type PngChunk, pngKeyword, readPngChunks, readPngText } from "./png-chunks.ts"
import { hasZipBehind, isZip, readZip } from "./zip.ts"

/** Ceilings against files that unpack to far more than they are, in bytes. */
export interface CardLimits {
  /** The file. Default 128 MiB. */
  readonly maxFileBytes?: number | undefined
  /** The card's JSON. Default 32 MiB. */
  readonly maxJsonBytes?: number | undefined
  /** All files of a CHARX together. Default 64 MiB and four times the file, at most 512 MiB: its pictures hardly pack. */
  readonly maxUnpackedBytes?: number | undefined
}

const mib = 1024 * 1024
const limitNames = "maxFileBytes maxJsonBytes maxUnpackedBytes"

/**
 * Reads a card's file: JSON, PNG or APNG, or CHARX; or the folder of a card that was imported. Throws `prompt-missing` if there is none, and `file` if it is too large, damaged or
 * no card. Wrong fields that can be read are warnings of the card (C1, C3).
 */
export async function loadCard(path: string, limits: CardLimits = {}): Promise<CardFile> {
  checkType("the path of loadCard", path, "string")
  checkOptions("loadCard", limits, limitNames)
  const { maxFileBytes = 128 * mib } = limits
  try {
    const folder = cardFolderAt(path)
    if (folder !== undefined) return loadCardFolder(folder)
    const stats = await stat(path)
    if (!stats.isFile()) throw bad("expected a card, found a folder or a device")
    if (stats.size > maxFileBytes) throw tooLarge("a card", stats.size, maxFileBytes)
    return readCard(await readFile(path), limits)
  } catch (thrown) {
    throw located(thrown, path)
  }
}

/** An error with the path of the file that it is about. */
export function located(thrown: unknown, path: string): unknown {
  const shown = displayPath(path)
  if (PromptStrataError.isInstance(thrown)) {
    if (thrown.code !== "file" || thrown.source !== undefined) return thrown
    return new PromptStrataError("file", bareMessage(thrown), {
      source: { file: shown, line: 1 },
      hint: thrown.hint,
      cause: thrown,
    })
  }
  if (isAbsent(thrown))
    return new PromptStrataError("prompt-missing", `expected a card at ${shown}, found none.`, { cause: thrown })
  return badFile(shown, `expected a card that can be read, found none: ${messageOf(thrown)}`, thrown)
}

/** {@link readCard} of a file that errors name. */
export function readCardOf(path: string, bytes: Uint8Array): CardFile {
  try {
    return readCard(bytes)
  } catch (thrown) {
    throw located(thrown, path)
  }
}

/** Reads a card from the bytes of its file. What it is, is seen from the bytes. Throws `file` as {@link loadCard} does. */
export function readCard(bytes: Uint8Array, limits: CardLimits = {}): CardFile {
  if (typeof bytes?.subarray !== "function")
    throw new PromptStrataError("usage", `expected the bytes of readCard as a Uint8Array, found a value of type ${typeof bytes}.`)
  checkOptions("readCard", limits, limitNames)
  const { maxFileBytes = 128 * mib, maxJsonBytes = 32 * mib } = limits
  const maxUnpackedBytes = limits.maxUnpackedBytes ?? Math.min(512 * mib, 64 * mib + 4 * bytes.length)
  if (bytes.length > maxFileBytes) throw tooLarge("a card", bytes.length, maxFileBytes)
  if (isPng(bytes)) return pngCard(bytes, maxJsonBytes)
  if (isZip(bytes)) return charxCard(bytes, { maxJsonBytes, maxUnpackedBytes })
  // Some programs keep cards in pictures of other kinds, which are not read.
  const picture = /^image\/(.+)$/
    .exec(fileHeader(bytes)?.mediaType ?? "")?.[1]
    ?.toUpperCase()
    .replace("EBP", "ebP")
  if (picture !== undefined && hasZipBehind(bytes)) {
    const file = charxCard(bytes, { maxJsonBytes, maxUnpackedBytes })
    return {
      ...file,
      card: withWarnings(file.card, [`The ${picture} picture before the CHARX is not kept when the card is written.`]),
    }
  }
  if (picture !== undefined)
    throw bad(
      `expected a card as PNG, APNG, CHARX or JSON, found a ${picture} picture`,
      "No card is read from such pictures. Get the card as PNG: a picture that was converted has lost its card.",
    )
  return { card: parseCard(bytes, maxJsonBytes, "the file"), format: "json", chunks: [], files: new Map() }
}

/** The keywords of chunks that hold cards, the best first: a V3 card has one of V2 beside it for other readers. */
const keywords = ["ccv3", "chara"] as const

function pngCard(bytes: Uint8Array, maxJsonBytes: number): CardFile {
  const harms = new Map<string, PromptStrataError | undefined>()
  const walked = readPngChunks(bytes, (harm, error) => harms.set(harm, error))
  const cardKeyword = (chunk: PngChunk) => keywords.find((known) => known === pngKeyword(chunk)?.toLowerCase())
  const isLost = harms.has("cut off") && !walked.some(cardKeyword)
  const chunks = isLost ? [...lostTexts(bytes, keywords), ...walked] : walked
  if (fileHeader(bytes)?.width === undefined) harms.set("damaged", undefined)
  const others = chunks.filter((chunk) => cardKeyword(chunk) === undefined)
  const found = Map.groupBy(chunks, cardKeyword)
  const keyword = keywords.find((known) => found.has(known))
  if (keyword === undefined)
    throw (
      harms.get("cut off") ??
      bad(
        "expected a picture with a card in it, found one without",
        "Its text chunk ccv3 or chara is missing: the site that it came from may have taken it out.",
      )
    )
  const [first, ...more] = found.get(keyword) ?? []
  // The others are not unpacked: many small chunks can unpack to gigabytes.
  const { text = "" } = (first && readPngText(first, maxJsonBytes * 2)) ?? {}
  const card = parseCard(decodeBase64(text, keyword, maxJsonBytes), maxJsonBytes, `the chunk ${keyword}`)
  const warnings = [
    ...(more.length === 0 ? [] : [`The picture has ${more.length + 1} chunks ${keyword}; the first one is read.`]),
    ...[...harms.keys()].map((harm) => `The picture is ${harm}; the card in it is whole.`),
  ]
  return { card: withWarnings(card, warnings), format: "png", chunks: others, files: new Map() }
}

function charxCard(bytes: Uint8Array, { maxJsonBytes, maxUnpackedBytes }: Required<Omit<CardLimits, "maxFileBytes">>): CardFile {
  const files = new Map(readZip(bytes, Number(maxUnpackedBytes)))
  const json = files.get("card.json")
  if (json === undefined) throw bad("expected a CHARX with card.json at its root, found a zip without")
  files.delete("card.json")
  return { card: parseCard(json, Number(maxJsonBytes), "card.json"), format: "charx", chunks: [], files }
}

function withWarnings(card: Card, warnings: readonly string[]): Card {
  return { ...card, warnings: [...warnings, ...card.warnings] }
}

function decodeBase64(text: string, keyword: string, maxBytes: number): Uint8Array {
  const packed = text.replace(/\s+/g, "")
  if (packed.length > maxBytes * 2) throw tooLarge(`the chunk ${keyword}`, packed.length, maxBytes * 2)
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(packed)) throw bad(`expected base64 in the chunk ${keyword}, found something else`)
  return Buffer.from(packed, "base64")
}

function parseCard(bytes: Uint8Array, maxBytes: number, where: string): Card {
  const card = cardOf(cardJson(bytes, maxBytes, where))
  if (typeof card === "string") throw bad(`${card} (${where})`)
  return card
}

/** Reads JSON of a stranger. Throws `file` if it is too large, too deep or no JSON. */
export function cardJson(bytes: Uint8Array, maxBytes: number, where: string): unknown {
  if (bytes.length > maxBytes) throw tooLarge(where, bytes.length, maxBytes)
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    checkDepth(text, where)
    return JSON.parse(text)
  } catch (cause) {
    if (PromptStrataError.isInstance(cause)) throw cause
    throw bad(`expected ${where} to be JSON in UTF-8, but ${messageOf(cause)}`, undefined, cause)
  }
}

/** Deeper values would fill the call stack of whoever walks them. */
const maxDepth = 500

function checkDepth(text: string, where: string): void {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (isText) {
      if (unit === 0x5c) at++
      else if (unit === 0x22) isText = false
    } else if (unit === 0x22) isText = true
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > maxDepth) throw bad(`expected ${where} to be at most ${maxDepth} levels deep, found more`)
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
}

function tooLarge(what: string, found: number, most: number): PromptStrataError {
  return bad(`expected ${what} of at most ${most.toLocaleString("en")} bytes, found ${found.toLocaleString("en")}`)
}

function bad(message: string, hint?: string, cause?: unknown): PromptStrataError {
  return new PromptStrataError("file", `${message}.`, { hint, cause })
}
