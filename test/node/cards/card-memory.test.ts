import { execFileSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { deflateSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { type PngChunk, pngTextChunk, readPngChunks, writePngChunks } from "../../../src/node/cards/png-chunks.ts"
import { writeZip } from "../../../src/node/cards/zip.ts"
import { childEnv } from "../../support/child-env.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const mib = 1024 * 1024
const json = (characters: number) => Buffer.from(JSON.stringify({ name: "Mei", description: "x".repeat(characters) }))
const base64 = (bytes: Buffer) => bytes.toString("base64")
const head = { type: "IHDR", data: Buffer.alloc(13) }
const end = { type: "IEND", data: Buffer.alloc(0) }
const png = (chunk: { type: string; data: Buffer }) => Buffer.from(writePngChunks([head, chunk, end]))
const packed = (bytes: Buffer) =>
  png({ type: "zTXt", data: Buffer.concat([Buffer.from("chara\0\0"), deflateSync(Buffer.from(base64(bytes)))]) })
const entries = Buffer.from(
  JSON.stringify({
    name: "Mei",
    character_book: { entries: Array.from({ length: 10_000 }, (_, at) => ({ keys: [`k${at}`], content: "x" })) },
  }),
)

/** Chunks of the same bytes that unpack to 48 MiB each. */
const bombs = (keyword: string, count: number): PngChunk[] =>
  Array<PngChunk>(count).fill({
    type: "zTXt",
    data: Buffer.concat([Buffer.from(`${keyword}\0\0`), deflateSync(Buffer.alloc(48 * mib))]),
  })
const endLast = (a: PngChunk, b: PngChunk) => Number(a.type === "IEND") - Number(b.type === "IEND")

/** Files with the bytes that they unpack to, as far as the limits let them. */
const files: Readonly<Record<string, readonly [file: Buffer, unpacked: number]>> = {
  "JSON of 8 MiB": [json(8 * mib), 8 * mib],
  "a PNG with 8 MiB of JSON": [png({ ...pngTextChunk("chara", base64(json(8 * mib))) } as never), 8 * mib * (1 + 4 / 3)],
  "8 MiB of JSON packed into a few kB": [packed(json(8 * mib)), 8 * mib * (1 + 4 / 3)],
  "forty text chunks that each unpack to 48 MiB": [
    Buffer.from(
      writePngChunks([...readPngChunks(packed(json(8 * mib))), ...bombs("chara", 20), ...bombs("comment", 20)].sort(endLast)),
    ),
    8 * mib * (1 + 4 / 3),
  ],
  "a text chunk that unpacks to more than the ceiling": [packed(json(80 * mib)), 64 * mib],
  "a CHARX with 8 MiB of JSON and as much beside it": [
    Buffer.from(
      writeZip(
        new Map([
          ["card.json", json(8 * mib)],
          ["big.bin", Buffer.alloc(8 * mib)],
        ]),
      ),
    ),
    16 * mib,
  ],
  "10,000 entries of lore": [entries, entries.length],
  "entries of nothing, more than are read": [
    Buffer.from(`{"name":"Mei","character_book":{"entries":[${"{},".repeat(99_999)}{}]}}`),
    300_000,
  ],
  "fields of another type": [Buffer.from(`{"name":"Mei","tags":[${"1,".repeat(2 * mib)}1]}`), 4 * mib],
  "JSON that is too deep": [Buffer.from("[".repeat(4 * mib)), 4 * mib],
}

// Linux tells the peak of a process, and can forget it.
describe.skipIf(!existsSync("/proc/self/clear_refs"))("memory for a card (C3)", () => {
  test.each(Object.entries(files))(
    "C3: reading %s takes at most 8 times what it unpacks to, and 32 MiB",
    (_name, [file, unpacked]) => {
      const path = `${tempFolder({})}/card`
      writeFileSync(path, file)
      const script = new URL("./read-measured.ts", import.meta.url).pathname
      // With a small young generation the peak has little garbage in it.
      const args = ["--max-semi-space-size=4", script, path]
      const { risenBytes, outcome } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", env: childEnv() })) as {
        readonly risenBytes: number
        readonly outcome: string
      }
      const most = 8 * unpacked + 32 * mib
      expect(outcome).toMatch(/^(?:read$|expected )/)
      expect(risenBytes).toBeLessThanOrEqual(most)
    },
  )
})
