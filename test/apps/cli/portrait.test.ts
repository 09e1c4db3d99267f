import { readFileSync, writeFileSync } from "node:fs"
import { deflateSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { portraitOf } from "../../../src/apps/cli/commands/card-page.ts"
import { type PictureLook, pictureLook, printPicture } from "../../../src/apps/cli/portrait.ts"
import { pngTextChunk, readPngChunks, writePngChunks } from "../../../src/node/cards/png-chunks.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run } from "./run.ts"

const red = [255, 0, 0, 255]
const blue = [0, 0, 255, 255]
const clear = [0, 0, 0, 0]
const pixels = (rows: readonly (readonly number[][])[]) => ({
  width: rows[0]?.length ?? 0,
  height: rows.length,
  rgba: Uint8Array.from(rows.flat(2)),
})

/** A card in a red picture of the given size. */
function cardFile(width: number, height: number, { interlace = 0 } = {}): string {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width)
  data.writeUInt32BE(height, 4)
  data.set([8, 2, 0, 0, interlace], 8)
  const rows = Buffer.concat(
    Array.from({ length: Math.min(height, 99) }, () => Buffer.from([0, ...Array(Math.min(width, 99)).fill([255, 0, 0])].flat())),
  )
  const card = {
    spec: "chara_card_v3",
    data: {
      name: "Mei",
      system_prompt: "You are Mei.",
      mes_example: "<START>\nhi",
      post_history_instructions: "Be calm.",
      creator_notes: "For all.",
      creator_notes_multilingual: { zh: "给中文用户。", de: "Für alle." },
    },
  }
  const path = `${tempFolder({})}/mei.png`
  const text = pngTextChunk("ccv3", Buffer.from(JSON.stringify(card)).toString("base64"))
  const chunks = [
    { type: "IHDR", data },
    text,
    { type: "IDAT", data: deflateSync(rows) },
    { type: "IEND", data: Buffer.alloc(0) },
  ]
  writeFileSync(path, writePngChunks(chunks))
  return path
}

describe("a picture in a terminal", () => {
  test.each<[PictureLook, boolean, Record<string, string>]>([
    ["none", false, { COLORTERM: "truecolor", TERM: "foot" }],
    ["none", true, { NO_COLOR: "1", COLORTERM: "truecolor" }],
    ["none", true, { TERM: "dumb" }],
    ["colours", true, { COLORTERM: "truecolor", TERM: "xterm-256color" }],
    ["256", true, { TERM: "xterm-256color" }],
    ["sixel", true, { TERM: "foot", COLORTERM: "truecolor" }],
    ["sixel", true, { TERM_PROGRAM: "WezTerm" }],
  ])("is shown as %s", (look, isTTY, env) => {
    expect(pictureLook({ isTTY } as never, env)).toBe(look)
  })

  test("is two pixels in a cell, and nothing where it is transparent", () => {
    const rows = pixels([
      [red, blue, clear],
      [blue, clear, clear],
      [red, clear, red],
    ])
    expect(printPicture(rows, "colours", 80)).toBe(
      [
        "\u001b[48;2;0;0;255m\u001b[38;2;255;0;0m▀\u001b[0m\u001b[38;2;0;0;255m▀\u001b[0m \u001b[0m",
        "\u001b[0m\u001b[38;2;255;0;0m▀\u001b[0m \u001b[0m\u001b[38;2;255;0;0m▀\u001b[0m",
      ].join("\n"),
    )
    expect(printPicture(pixels([[clear], [red]]), "256", 80)).toBe("\u001b[0m\u001b[38;5;196m▄\u001b[0m")
  })

  test.each([
    // The mean is 254 : 509, just below a half, and 255 : 509, just above it.
    [
      [
        [1, 1, 1, 254],
        [0, 0, 0, 255],
      ],
      "0;0;0",
    ],
    [
      [
        [1, 1, 1, 255],
        [0, 0, 0, 254],
      ],
      "1;1;1",
    ],
    [
      [
        [255, 255, 255, 255],
        [255, 255, 255, 1],
      ],
      "255;255;255",
    ],
    [
      [
        [255, 254, 253, 255],
        [255, 254, 253, 1],
      ],
      "255;254;253",
    ],
  ])("weighs the colours of a cell by how opaque they are: %j", (row, mean) => {
    expect(printPicture(pixels([row]), "colours", 1)).toContain(`\u001b[38;2;${mean}m`)
  })

  test.each([
    [
      [
        [9, 9, 9, 128],
        [9, 9, 9, 128],
      ],
      true,
    ],
    [
      [
        [9, 9, 9, 128],
        [9, 9, 9, 127],
      ],
      false,
    ],
  ])("shows a cell that is half transparent, and none that is more: %j", (row, isShown) => {
    expect(printPicture(pixels([row]), "colours", 1).includes("9;9;9")).toBe(isShown)
  })

  test("is as wide as the terminal allows, with its proportions", () => {
    const wide = pixels(Array.from({ length: 40 }, () => Array.from({ length: 80 }, () => red)))
    const lines = printPicture(wide, "256", 20).split("\n")
    expect(lines.map((line) => line.match(/[▀▄]/g)?.length)).toEqual(Array(5).fill(20))
  })

  test("is sixels of six rows, in which equal ones are counted", () => {
    const rows = pixels(Array.from({ length: 7 }, () => Array.from({ length: 5 }, () => red)))
    const printed = printPicture(rows, "sixel", 80)
    expect(printed.startsWith('\u001bP0;1;0q"1;1;5;7#0;2;0;0;0#1;2;0;0;20')).toBe(true)
    expect(printed.endsWith("#215;2;100;100;100#180!5~-#180!5@\u001b\\")).toBe(true)
    // A cell is about eight pixels wide.
    const wide = pixels([Array.from({ length: 800 }, () => red)])
    expect(printPicture(wide, "sixel", 40).startsWith('\u001bP0;1;0q"1;1;320;1#')).toBe(true)
  })
})

test("a picture is shown whole on a terminal that tells no width, as one that another program made", () => {
  const file = { card: { assets: [], shownName: "Mei" }, chunks: readPngChunks(readFileSync(cardFile(4, 4))), files: new Map() }
  const stdout = { isTTY: true, columns: 0 }
  const printed = portraitOf(file as never, { stdout: stdout as never, env: { COLORTERM: "truecolor", TERM: "xterm" } })
  expect(printed.match(/▀/g)).toHaveLength(8)
})

describe("promptstrata card show of a picture", () => {
  const shown = async (path: string, env: Record<string, string> = {}, args: readonly string[] = [], terminal = true) =>
    (await run(["card", "show", path, ...args], { terminal, env: { NO_COLOR: "", ...env } })).stdout

  test("shows it in a terminal, and words about it in a pipe, with NO_COLOR and with --plain", async () => {
    const path = cardFile(4, 4)
    expect(await shown(path, { COLORTERM: "truecolor" })).toContain("\u001b[48;2;255;0;0m\u001b[38;2;255;0;0m▀")
    for (const plain of [
      await shown(path, {}, [], false),
      await shown(path, { NO_COLOR: "1" }),
      await shown(path, {}, ["--plain"]),
    ]) {
      expect(plain).toContain("\n\n[portrait of Mei]\n\n")
      expect(plain).not.toContain("\u001b")
    }
  })

  test("of one that says it is 60,000 pixels wide and high says so, and unpacks nothing", async () => {
    expect(await shown(cardFile(60_000, 60_000))).toContain(
      "[portrait of Mei: it is too large: 60000 × 60000, so it cannot be shown here]",
    )
    expect(await shown(cardFile(4, 4, { interlace: 1 }))).toContain(
      "[portrait of Mei: it is interlaced, so it cannot be shown here]",
    )
  })

  test("C9: prints every text of the card, and the creator's notes in the user's language", async () => {
    const path = cardFile(4, 4)
    const page = await shown(path, { LANG: "zh_CN.UTF-8" }, ["--plain"])
    expect(page).toContain(
      "Creator's notes\n给中文用户。\n\nSystem prompt\nYou are Mei.\n\nExample dialogues\n<START>\nhi\n\nAfter the history\nBe calm.\n",
    )
    expect(await shown(path, { LANG: "fr_FR.UTF-8" }, ["--plain"])).toContain("Creator's notes\nFor all.\n")
  })
})
