import { readdirSync } from "node:fs"
import { basename, extname, join } from "node:path"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { fileHeader } from "../../memory/services/attachments/file-header.ts"
import type { Sprites } from "../../memory/services/plugin.ts"
import { foldLetters } from "../../prompt/encode/fold.ts"
import { bytesAt } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { bareMessage } from "../skills/skill-problem.ts"
import { readCardOf } from "./card-file.ts"
import { type CardFile, cardFolderAt, loadCardFolder } from "./card-folder.ts"
import { isPng, pngKeyword, readPngChunks, readPngText, writePngChunks } from "./png-chunks.ts"

const mib = 1024 * 1024
const maxCardBytes = 128 * mib
/** The largest picture, all pictures together, how many there may be, and how large one may be drawn: a small file can take gigabytes. */
const [maxBytes, maxSum, maxCount, maxPixels] = [8 * mib, 64 * mib, 200, 40_000_000]
const portrait = "portrait"

/** A picture that may be there: its bytes, or the reason why there are none. */
interface Picture {
  readonly name: string
  /** Its place, for messages. */
  readonly place: string
  read(): Uint8Array | string
}

/**
 * The sprites of a character (C41): those of the folder, then those of the card at that path. They are read when they are asked for first,
 * and then kept. Throws `file` for a card that is no longer there.
 */
export function createSprites(card: string | undefined, folder?: string): () => Sprites {
  let known: Sprites | undefined
  return () => (known ??= readSprites(card, folder))
}

function readSprites(card: string | undefined, folder: string | undefined): Sprites {
  const pictures = new Map<string, Uint8Array>()
  const problems: string[] = []
  let left = maxSum
  const add = ({ name, place, read }: Picture): void => {
    const key = foldLetters(name.trim())
    const isFull = pictures.size === maxCount && `there are more than ${maxCount} pictures`
    const picture = isFull || (pictures.has(key) ? "another one has this name" : pictureOf(read, left))
    if (typeof picture === "string")
      return void problems.push(`The picture ${JSON.stringify(place.slice(0, 50))} is not shown: ${picture}.`)
    pictures.set(key, picture)
    left -= picture.length
  }
  if (folder !== undefined) for (const found of inFolder(folder)) add(found)
  const taken = new Set(pictures.keys())
  // A card may have several icons beside its own picture: the first that can be shown is its portrait.
  const isTaken = ({ name }: Picture) => taken.has(foldLetters(name.trim())) || (name === portrait && pictures.has(portrait))
  if (card !== undefined) for (const found of inCard(card)) if (!isTaken(found)) add(found)
  return { pictures, problems }
}

/** A picture of a kind that runs no script: of a PNG the chunks alone that it is drawn from, so that no card goes with it. */
function pictureOf(read: Picture["read"], left: number): Uint8Array | string {
  try {
    const bytes = read()
    if (typeof bytes === "string") return bytes
    const most = Math.min(left, maxBytes)
    if (bytes.length > most)
      return `expected at most ${most.toLocaleString("en")} bytes, found ${bytes.length.toLocaleString("en")} bytes`
    const { mediaType = "", width = 0, height = 0 } = fileHeader(bytes) ?? {}
    if (!mediaType.startsWith("image/")) return "its first bytes are those of no PNG, JPEG, WebP or GIF"
    if (width * height > maxPixels) return `expected at most ${maxPixels.toLocaleString("en")} pixels, found ${width} × ${height}`
    return isPng(bytes) ? writePngChunks(readPngChunks(bytes, () => undefined).filter(({ type }) => drawn.test(type))) : bytes
  } catch (error) {
    const words = PromptStrataError.isInstance(error) ? bareMessage(error) : messageOf(error)
    return words.replace(/\.$/, "")
  }
}

const drawn = /^(?:IHDR|PLTE|IDAT|IEND|tRNS|gAMA|cHRM|sRGB|iCCP|cICP|acTL|fcTL|fdAT)$/

/** The files of a folder, each the picture of the emotion that it is called after. */
function inFolder(folder: string): readonly Picture[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."))
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({
      name: basename(entry.name, extname(entry.name)),
      place: entry.name,
      read: () =>
        entry.isFile()
          ? bytesAt(join(folder, entry.name), entry.name, { maxBytes, kind: "picture" })
          : "it is no file, or a link",
    }))
}

/** The icons of a card, the main one first, its own picture, and its assets for emotions. */
function inCard(path: string): readonly Picture[] {
  const folder = cardFolderAt(path)
  const file = folder
    ? loadCardFolder(folder)
    : readCardOf(path, bytesAt(path, displayPath(path), { maxBytes: maxCardBytes, kind: "card" }))
  const of = (wanted: string) => file.card.assets.filter(({ type }) => type === wanted)
  const found = (name: string, uri: string): Picture => ({ name, place: `${name}: ${uri}`, read: () => assetOf(file, uri) })
  const icons = of("icon").toSorted((a, b) => Number(b.name === "main") - Number(a.name === "main"))
  const faces = [...icons.map(({ uri }) => uri), ...(file.chunks.length > 0 ? ["ccdefault:"] : [])]
  return [...faces.map((uri) => found(portrait, uri)), ...of("emotion").map(({ name, uri }) => found(name, uri))]
}

/** The bytes of an asset, or the reason why there are none. Nothing is fetched, and no path is opened: an asset is a part of its card (C12). */
function assetOf({ files, chunks }: CardFile, uri: string): Uint8Array | string {
  if (/^https?:/i.test(uri)) return "it stands at an address, and nothing is fetched"
  if (uri === "ccdefault:") return chunks.length > 0 ? writePngChunks(chunks) : "the card has no picture of its own"
  const [, data] = /^data:[^,]{0,100};base64,(.*)$/s.exec(uri) ?? []
  const [, name] = /^__asset:(.+)$/s.exec(uri) ?? []
  const chunk = chunks.find((each) => name !== undefined && pngKeyword(each)?.replace(/^chara-ext-asset_:?/, "__asset:") === uri)
  const text = data ?? (chunk && readPngText(chunk, 2 * maxBytes)?.text)
  if (text !== undefined) return Buffer.from(text, "base64")
  return files.get(uri.replace(/^embedd?ed:\/\//, "")) ?? "the card has no such file"
}
