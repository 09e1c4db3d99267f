import { describe, expect, test } from "vitest"
import type { Attachment, AttachmentInput } from "../../../../src/core/conversation.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { type Describe, withCaptions } from "../../../../src/memory/services/attachments/describe.ts"
import { readBase64, withAttachments, withPastAttachments } from "../../../../src/memory/services/attachments/read-attachments.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"
import { png } from "../../../support/pictures.ts"
import { shortRuns } from "../../../support/short-runs.ts"

const key = { agent: "fay", conversation: "talk", audience: "private" } as const
const text = (words: string) => new TextEncoder().encode(words)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
const picture = png(3, 2)
const damaged = picture.slice(0, 20)
const most = 20_000_000

const inputs: Readonly<Record<string, unknown>> = {
  "a path": { path: "notes/plan \ud800.md" },
  "a blank path": { path: "  " },
  "a picture": { bytes: picture },
  "a picture with another type and a name": { bytes: picture, mediaType: "image/jpeg; q=1", name: "  me .png " },
  "a picture with a type of no picture": { bytes: picture, mediaType: "text/plain" },
  "a damaged picture": { bytes: damaged },
  "a damaged picture with its type": { bytes: damaged, mediaType: "image/png" },
  "a text with the type of a picture": { bytes: text("hello"), mediaType: "IMAGE/PNG" },
  "a PDF with the type of a picture": { bytes: text("%PDF-1.7"), mediaType: "image/gif" },
  "a PDF": { bytes: text("%PDF-1.7") },
  "a PDF with another type": { bytes: text("%PDF-1.7"), mediaType: "text/csv" },
  "a recording": { bytes: text("OggS....") },
  "a text": { bytes: text("hello") },
  "a text with a type that is none": { bytes: text("hello"), mediaType: "text" },
  "a text with a video's type": { bytes: text("hello"), mediaType: "video/mp4" },
  "a long name": { bytes: text("hello"), name: "n".repeat(201) },
  "a name that is cut within a character": { bytes: text("hello"), name: `${"n".repeat(199)}😀` },
  "no bytes": { bytes: new Uint8Array() },
  "as many bytes as there may be": { bytes: new Uint8Array(most) },
  "a byte more": { bytes: new Uint8Array(most + 1) },
  "a picture as data": { url: `data:image/png;base64,${base64(picture)}` },
  "a picture as data, typed by the caller": { url: `data:;base64,${base64(picture)}`, mediaType: "image/png", name: "x" },
  "a text as data": { url: "data:text/plain;charset=utf-8,a%20b" },
  "a text as data without a type": { url: "data:,a" },
  "data that is not base64": { url: "data:text/plain;base64,***" },
  "data that is not encoded": { url: "data:text/plain,%zz" },
  "data without a comma": { url: "data:text/plain" },
  "too much data": { url: `data:text/plain;base64,${"A".repeat(26_666_672)}` },
  "a link": { url: "https://host/a%20b/cat.JPEG?x=1#y" },
  "a link with a type and a name": { url: "http://host/cat.png", mediaType: "application/pdf", name: "cat" },
  "a link to a host": { url: "https://host" },
  "a link that cannot be decoded": { url: "https://host/%zz.ogg" },
  "a long link": { url: `https://host/${"x".repeat(8_179)}` },
  "a link that is too long": { url: `https://host/${"x".repeat(8_180)}` },
  "a link of another kind": { url: "ftp://host/a" },
  "no link": { url: "cat.png" },
  "a blob that is not held": { blob: "00" },
  "an unknown member": { path: "a", size: 1 },
  "no object": "notes/plan.md",
  nothing: null,
  "an empty object": {},
}

/** An outcome as a person reads it. */
async function outcomeOf(
  work: Promise<{ readonly attachments: readonly Attachment[]; readonly bytes: ReadonlyMap<string, Uint8Array> }>,
): Promise<string> {
  try {
    const { attachments, bytes } = await work
    return [
      ...attachments.map((each) => JSON.stringify(each)),
      ...[...bytes].map(([id, { length }]) => `bytes ${id.slice(0, 8)}: ${length}`),
    ].join("\n")
  } catch (error) {
    if (!PromptStrataError.isInstance(error)) throw error
    return `✗ ${error.code} ${error.message}\n  ${JSON.stringify(error.evidence)}`
  }
}

const signal = new AbortController().signal

test("R8: what may come with a message, and what is refused", async () => {
  const { blobs } = createInMemoryStore()
  const shown: string[] = []
  for (const [name, input] of Object.entries(inputs)) {
    const read = withAttachments({ attached: [input] as readonly AttachmentInput[], key }, { blobs, files: undefined, signal })
    shown.push(`## ${name}\n${shortRuns(await outcomeOf(read))}\n`)
  }
  await expect(shown.join("\n")).toMatchFileSnapshot("__snapshots__/read-attachments.md")
})

describe("R8: attachments", () => {
  test("are as many as twenty, in their order, and what is held is read from the store", async () => {
    const { blobs } = createInMemoryStore()
    const { id } = await blobs.put(picture, key)
    const paths = Array.from({ length: 19 }, (_, at) => ({ path: `p${at}` }))
    const { attachments, bytes, words } = await withAttachments(
      { attached: [...paths, { blob: id, name: "cat" }], key, words: 7 },
      { blobs, files: undefined, signal },
    )
    expect([words, attachments.slice(0, 2), attachments[19], [...bytes]]).toEqual([
      7,
      [{ name: "p0" }, { name: "p1" }],
      { name: "cat", mediaType: "image/png", sizeBytes: picture.length, width: 3, height: 2, blob: id },
      [[id, picture]],
    ])
    const more = withAttachments({ attached: [...paths, { path: "a" }, { path: "b" }], key }, { blobs, files: undefined, signal })
    await expect(more).rejects.toMatchObject({
      code: "file",
      message: "expected at most 20 attachments, found 21.\nSend the others with another message.",
    })
    await expect(withAttachments({ attached: {} as never, key }, { blobs, files: undefined, signal })).rejects.toMatchObject({
      code: "usage",
      message: /^attachments: expected a list\./,
    })
    const stopped = withAttachments(
      { attached: [{ path: "a" }], key },
      { blobs, files: undefined, signal: AbortSignal.abort(new Error("enough")) },
    )
    await expect(stopped).rejects.toThrow("enough")
  })

  test("that a model made are named by their bytes", async () => {
    const made = async (data: string, mediaType: string) => {
      try {
        const { attachment, bytes } = await readBase64(data, mediaType, "file 1")
        return [attachment.name, attachment.mediaType, bytes.length]
      } catch (error) {
        return String(error)
      }
    }
    expect([
      await made(base64(picture), "image/png"),
      await made(base64(text("hello")), "video/mp4"),
      await made("***", "image/png"),
      await made("", "image/png"),
      await made("A".repeat(26_666_672), "image/png"),
    ]).toMatchSnapshot()
  })

  test("of a conversation that its caller keeps stand with their messages", async () => {
    const { blobs } = createInMemoryStore()
    const bytes = new Map<string, Uint8Array>()
    const message = { role: "user" as const, text: "look", speaker: { id: "a", name: "A" }, turnId: "t", atMs: 0 }
    const messages = [{ attachments: [{ bytes: picture }] }, {}, { attachments: [] }]
    const history = await withPastAttachments([message, message, message, message], messages, {
      key,
      blobs,
      files: undefined,
      bytes,
    })
    expect(history.map(({ attachments }) => attachments?.map(({ name }) => name))).toEqual([
      ["image.png"],
      undefined,
      undefined,
      undefined,
    ])
    expect([...bytes.values()]).toEqual([picture])
  })
})

describe("R8: captions of attachments", () => {
  async function captions(describe: Describe, attachment: Attachment = { name: "cat", blob: "b" }, isStopped = false) {
    const timers = manualTimers(manualClock())
    const [warnings, stop] = [[] as string[], new AbortController()]
    const bytes = new Map([["b", picture]])
    const done = withCaptions([attachment], {
      describe,
      bytes,
      timeoutMs: 100,
      timers,
      signal: stop.signal,
      onWarning: (message) => warnings.push(message),
    })
    await new Promise(setImmediate)
    if (isStopped) stop.abort()
    else timers.advance(100)
    const [made] = await done
    return { caption: made?.caption, warnings, pending: timers.pending }
  }
  const never = () => new Promise<string>(() => undefined)
  const without = (why: string) => [`The description of "cat" ${why}. It has no caption.`]

  test.each<[string, Describe, string | undefined, readonly string[]]>([
    ["a text on one line", () => " a\n cat\t", "a cat", []],
    ["half a character", () => "a\ud800", "a\ufffd", []],
    ["a blank text", () => " \n", undefined, []],
    ["a long text", () => "x".repeat(501), `${"x".repeat(499)}…`, []],
    ["a text that just fits", () => "x".repeat(500), "x".repeat(500), []],
    ["no text", () => 7 as never, undefined, without("returned no text")],
    ["an error", () => Promise.reject(new Error("no luck")), undefined, without("failed: no luck")],
    ["nothing in time", never, undefined, without("took longer than 100 ms")],
  ])("%s", async (_, describe, caption, warnings) => {
    expect(await captions(describe)).toEqual({ caption, warnings, pending: 0 })
  })

  test("are made of bytes or of a link, not of files of the workspace, and stop with the turn without a word", async () => {
    const seen: unknown[] = []
    const look: Describe = ({ bytes, ...rest }) => {
      seen.push([rest, bytes?.length])
      return "x"
    }
    await captions(look)
    await captions(look, { name: "dog", url: "https://host/dog.png" })
    expect((await captions(look, { name: "notes.md" })).caption).toBeUndefined()
    expect(seen).toEqual([
      [{ name: "cat", blob: "b" }, picture.length],
      [{ name: "dog", url: "https://host/dog.png" }, undefined],
    ])
    expect(await captions(never, undefined, true)).toEqual({ caption: undefined, warnings: [], pending: 0 })
  })
})
