import { readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { isRecord } from "../../core/json-access.ts"
import { didYouMean } from "../../core/suggest.ts"
import { type Card, cardOf } from "../../prompt/layers/card/card.ts"
import { characterParts } from "../character/character-places.ts"
import { fileExists, isFolder, noteFolders } from "../file-log.ts"
import { badFile, bytesAt, readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import {
  jsonOfParts,
  listFields,
  loreFolder,
  type PartFiles,
  parseJsonFile,
  partsFile,
  partsOfJson,
  sortNames,
  textFields,
} from "./card-parts.ts"
import { chunksOfPicture, isPng, type PngChunk, writePngChunks } from "./png-chunks.ts"
import { readZip, writeZip, type ZipFiles } from "./zip.ts"

/** A card and the file that it was read from. */
export interface CardFile {
  readonly card: Card
  readonly format: "json" | "png" | "charx"
  /** The chunks of a PNG file without those of the card. */
  readonly chunks: readonly PngChunk[]
  /** The files of a CHARX, by path, without `card.json`. */
  readonly files: ZipFiles
}

const maxTextBytes = 32 * 1024 * 1024
const maxFileBytes = 512 * 1024 * 1024

const portraitFile = "portrait.png"
/** The files of a CHARX that have names which some systems do not take. */
const otherFiles = "other-files.zip"
const listFolders: readonly string[] = [...listFields, loreFolder]
const knownNames: readonly string[] = [...textFields.map((name) => `${name}.md`), ...listFolders]

/** True for the path of the file that an imported card consists of, with the files beside it. */
export function isPartsPath(path: string): boolean {
  return basename(path) === partsFile
}

/** The folder of an imported card that a path means: the folder itself, or its `card.parts.json`. Undefined for any other path. */
export function cardFolderAt(path: string): string | undefined {
  if (isPartsPath(path)) return dirname(path)
  return isFolder(path) && fileExists(join(path, partsFile)) ? path : undefined
}

/** True for the path of a file in the folder of an imported card that is read with it. */
export function isCardPart(path: string): boolean {
  const [first = "", ...more] = path.split("/")
  if (more.length === 0) return [...knownNames, partsFile, portraitFile, otherFiles].includes(first)
  return first === "assets" || (listFolders.includes(first) && isPart(path))
}

/** The files of an imported card, by their paths in its folder. Reading them with {@link loadCardFolder} gives back the card. */
export function filesOfCard({ card, chunks, files }: CardFile): ReadonlyMap<string, string | Uint8Array> {
  const made = new Map<string, string | Uint8Array>(partsOfJson(card.json))
  if (chunks.length > 0) made.set(portraitFile, writePngChunks(chunks))
  const others = new Map<string, Uint8Array>()
  const taken = new Set<string>()
  for (const [path, bytes] of files) {
    if (isPortable(path, taken)) made.set(path, bytes)
    else others.set(path, bytes)
  }
  if (others.size > 0) made.set(otherFiles, writeZip(others))
  return made
}

/**
 * True for the path of an asset that every system takes as it is: no name of a device, no hidden file, no sign that Windows refuses, and
 * no second path that differs only in the case of letters.
 */
function isPortable(path: string, taken: Set<string>): boolean {
  const parts = path.split("/")
  const isGood = parts.every(
    (part) =>
      /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N} ._()+&',@#~-]{0,99}$/u.test(part) &&
      !/[ .]$/.test(part) &&
      part === part.normalize("NFC") &&
      !/^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i.test(part),
  )
  if (!isGood || parts[0] !== "assets" || parts.length < 2 || path.length > 180) return false
  const folders = parts.map((_, at) =>
    parts
      .slice(0, at + 1)
      .join("/")
      .toLowerCase(),
  )
  const own = folders.pop() ?? ""
  // A file may not be where another one has a folder.
  if (taken.has(own) || taken.has(`${own}/`) || folders.some((folder) => taken.has(folder))) return false
  taken.add(own)
  for (const folder of folders) taken.add(`${folder}/`)
  return true
}

/**
 * Reads the card in a folder of files that a person edits. Every file is noted, so an edit is seen (L13). Throws `file` and
 * `front-matter` with the file and the line. A file that is no part of a card is a warning.
 */
export function readCardFolder(folder: string): Card {
  noteFolders(folder, 2)
  const path = join(folder, partsFile)
  const shown = displayPath(path)
  const main = parseMain(readText(path), shown)
  const warnings: string[] = []
  const json = jsonOfParts(main, readParts(folder, warnings), (file) => displayPath(join(folder, file)))
  const card = cardOf(json)
  if (typeof card === "string") throw badFile(shown, `${card}.`)
  return { ...card, warnings: [...warnings, ...card.warnings] }
}

/** The same with the picture and the assets that lie beside it. */
export function loadCardFolder(folder: string): CardFile {
  const card = readCardFolder(folder)
  const chunks = fileExists(join(folder, portraitFile)) ? pictureIn(join(folder, portraitFile)) : []
  const files = new Map<string, Uint8Array>()
  for (const path of pathsIn(folder, "assets")) files.set(path, bytesOf(join(folder, path)))
  if (fileExists(join(folder, otherFiles)))
    for (const [path, bytes] of readZip(bytesOf(join(folder, otherFiles)), maxFileBytes)) files.set(path, bytes)
  return { card, chunks, files, format: chunks.length > 0 ? "png" : files.size > 0 ? "charx" : "json" }
}

function pictureIn(path: string): CardFile["chunks"] {
  const bytes = bytesOf(path)
  if (!isPng(bytes)) throw badFile(displayPath(path), "expected a PNG picture, found something else.")
  return chunksOfPicture(bytes)
}

function parseMain(text: string, file: string): Readonly<Record<string, unknown>> {
  const main = parseJsonFile(text, file, "the JSON of a card")
  if (isRecord(main)) return main
  throw badFile(file, "expected the JSON object of a card, found something else.")
}

function readParts(folder: string, warnings: string[]): PartFiles {
  const parts = new Map<string, string>()
  const take = (path: string, known: boolean): void => {
    if (known) parts.set(path, readText(join(folder, path)))
    else warnings.push(`${path}: the file is no part of a card and is not read.${didYouMean(path, knownNames)}`)
  }
  for (const name of visibleIn(folder)) {
    if (listFolders.includes(name) && isFolder(join(folder, name)))
      for (const inner of visibleIn(join(folder, name))) take(`${name}/${inner}`, isPart(inner))
    else if (!isOther(name)) take(name, knownNames.includes(name))
  }
  return parts
}

/** True for what stands in the folder and is no text of the card: its other parts, and those of the plugin `character`. */
function isOther(name: string): boolean {
  const others: readonly string[] = [partsFile, portraitFile, otherFiles, "assets", "examples.txt"]
  return others.includes(name) || (characterParts as readonly string[]).includes(name.replace(/\.(?:md|txt)$/, ""))
}

/** The files of a list of an imported card, such as its lore, in the order in which they are read. */
export function partNames(folder: string, list: string): readonly string[] {
  return sortNames(visibleIn(join(folder, list)).filter(isPart)).map((name) => `${list}/${name}`)
}

function isPart(name: string): boolean {
  return /\.(?:md|json)$/.test(name)
}

function visibleIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .sort()
}

function pathsIn(folder: string, below: string): string[] {
  if (!isFolder(join(folder, below))) return fileExists(join(folder, below)) ? [below] : []
  return visibleIn(join(folder, below)).flatMap((name) => pathsIn(folder, `${below}/${name}`))
}

/** A mark of the byte order, which some editors write, is no part of a text. */
function readText(path: string): string {
  return readTextFile(path, displayPath(path), { maxBytes: maxTextBytes, kind: "part of a card" }).replace(/^\uFEFF/, "")
}

function bytesOf(path: string): Buffer {
  return bytesAt(path, displayPath(path), { maxBytes: maxFileBytes, kind: "part of a card" })
}
