import { checkOptions, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { isRecord, recordOf } from "../../core/json-access.ts"
import type { Card } from "../../prompt/layers/card/card.ts"
import { readDecorators } from "../../prompt/layers/card/decorators.ts"
import type { CardFile } from "./card-folder.ts"
import { chunksOfPicture, isPng, type PngChunk, pngTextChunk, writePngChunks } from "./png-chunks.ts"
import { writeZip } from "./zip.ts"

/** The form of a card's file, and the picture of a PNG card. */
export interface WriteCardOptions {
  /** Default: the form that the card was read from. */
  readonly format?: CardFile["format"] | undefined
  /** A PNG file, for a card that was not read from one. */
  readonly image?: Uint8Array | undefined
}

/**
 * Writes a card's file. Its JSON is the one that was read, with every field (C2). A V3 card in a PNG file also has a V2 card beside it, so
 * that older programs can open it; an older card becomes one of V3 in a CHARX, which holds no others. Throws `usage` for a PNG card without a picture.
 */
export function writeCard(file: CardFile, options: WriteCardOptions = {}): Uint8Array {
  checkOptions("writeCard", options, "format image")
  checkType("the card of the file of writeCard", file?.card, "object")
  checkType("the chunks of the file of writeCard", file.chunks, "list")
  const { card, files } = file
  const { format = file.format } = options
  if (format === "json") return Buffer.from(JSON.stringify(card.json, undefined, 2))
  if (format === "charx") {
    const { json, files: more } = card.version === 3 ? { json: card.json, files } : v3Of(file)
    return writeZip(new Map([["card.json", Buffer.from(JSON.stringify(json))], ...more]))
  }
  const image = options.image ?? (file.chunks.length === 0 ? iconOf(file) : undefined)
  const chunks = image === undefined ? file.chunks : pictureOf(image)
  if (chunks.length === 0)
    throw new PromptStrataError("usage", "expected a picture for a PNG card, found none.", {
      hint: "Pass image, the bytes of a PNG file (--image FILE in the terminal), or write the card as JSON.",
    })
  const texts = card.version === 3 ? [chunkOf("chara", v2Of(card)), chunkOf("ccv3", card.json)] : [chunkOf("chara", card.json)]
  // The last chunk of a picture is its end.
  return writePngChunks(chunks.toSpliced(-1, 0, ...texts))
}

function pictureOf(image: Uint8Array): readonly PngChunk[] {
  if (!isPng(image)) throw new PromptStrataError("usage", "expected the bytes of a PNG file as image, found others.")
  return chunksOfPicture(image)
}

function chunkOf(keyword: string, json: unknown): PngChunk {
  return pngTextChunk(keyword, Buffer.from(JSON.stringify(json)).toString("base64"))
}

/** The PNG picture of a CHARX that its card names as its icon, the main one first. */
function iconOf({ card, files }: CardFile): Uint8Array | undefined {
  const icons = card.assets.filter(({ type }) => type === "icon")
  icons.sort((a, b) => Number(b.name === "main") - Number(a.name === "main"))
  const pictures = icons.flatMap(({ uri }) => files.get(uri.replace(/^embedd?ed:\/\//, "")) ?? [])
  return pictures.find(isPng)
}

const iconPath = "assets/icon/images/main.png"

/** The V3 card that a card of V1 or V2 is: its fields as they are, and empty ones for those that V3 asks for. Its picture is its icon. */
function v3Of({ card, chunks, files }: CardFile): { readonly json: unknown; readonly files: CardFile["files"] } {
  const { json } = card
  const { data: nested, ...outer } = json
  const given = isRecord(nested) ? nested : json
  const book = isRecord(given.character_book) ? given.character_book : undefined
  const entries = Array.isArray(book?.entries) ? book.entries : undefined
  const hasIcon = chunks.length > 0 && given.assets === undefined
  const icon = { type: "icon", uri: `embeded://${iconPath}`, name: "main", ext: "png" }
  const texts = "name description personality scenario first_mes mes_example system_prompt post_history_instructions"
  const data = {
    ...Object.fromEntries(`${texts} creator_notes creator character_version`.split(" ").map((name) => [name, ""])),
    ...{ alternate_greetings: [], group_only_greetings: [], tags: [], extensions: {} },
    ...given,
    ...(hasIcon && { assets: [icon] }),
    ...(entries && {
      character_book: {
        ...{ extensions: {}, ...book },
        entries: entries.map((entry: unknown) => (isRecord(entry) ? { use_regex: false, extensions: {}, ...entry } : entry)),
      },
    }),
  }
  return {
    json: { ...(isRecord(nested) ? outer : {}), spec: "chara_card_v3", spec_version: "3.0", data },
    files: hasIcon ? new Map([...files, [iconPath, writePngChunks(chunks)]]) : files,
  }
}

const backfillNote =
  "This character card is Character Card V3, but it is loaded as a Character Card V2. Please use a Character Card V3 compatible application to use this character card properly."

/** The V2 card beside a V3 card: without decorators, and with a note to whoever reads it. */
function v2Of({ json, creatorNotes }: Card): unknown {
  const data = recordOf(json.data)
  const book = isRecord(data.character_book) ? data.character_book : undefined
  const entries = Array.isArray(book?.entries) ? book.entries : []
  const plain = entries.map((entry: unknown) => {
    const content = recordOf(entry).content
    return typeof content === "string" ? { ...recordOf(entry), content: readDecorators(content).content } : entry
  })
  const notes = creatorNotes === "" ? backfillNote : `${backfillNote}\n\n${creatorNotes}`
  const without = {
    ...data,
    creator_notes: notes,
    ...(book === undefined ? {} : { character_book: { ...book, entries: plain } }),
  }
  return { ...json, spec: "chara_card_v2", spec_version: "2.0", data: without }
}
