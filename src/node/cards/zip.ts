import { crc32, deflateRawSync, inflateRawSync } from "node:zlib"
import { shownValue } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"

/** The files of a zip by path. */
export type ZipFiles = ReadonlyMap<string, Uint8Array>

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const maxEntries = 20_000

/** True for bytes that begin as a zip file does. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5)
}

/** True for bytes of another file that a zip stands behind, as a picture before a CHARX. */
export function hasZipBehind(bytes: Uint8Array): boolean {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOf(data)
  const start = end === undefined ? -1 : end - data.readUInt32LE(end + 12)
  return start >= 0 && data.readUInt32LE(start) === entrySignature
}

interface ZipEntry {
  readonly path: string
  readonly method: number
  readonly checksum: number
  readonly packed: number
  readonly size: number
  readonly offset: number
}

/**
 * Reads all files of a zip. Before anything is unpacked, `file` is thrown for files that would have more than `maxBytes` together, for
 * paths that lead out of a folder, for two files of one path, and for encryption. Sizes and checksums are checked afterwards.
 */
export function readZip(bytes: Uint8Array, maxBytes: number): ZipFiles {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = entriesOf(data)
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (size > maxBytes) throw bad(`its files have ${size} bytes, more than ${maxBytes}`)
  // Files that share their bytes unpack to far more than the zip has.
  if (entries.reduce((sum, entry) => sum + entry.packed, 0) > data.length) throw bad("its files overlap")
  const files = new Map<string, Uint8Array>()
  for (const entry of entries) {
    if (files.has(entry.path)) throw bad(`two files are called ${shownValue(entry.path)}`)
    if (!entry.path.endsWith("/")) files.set(entry.path, unpack(data, entry))
  }
  return files
}

function entriesOf(data: Buffer): readonly ZipEntry[] {
  const end = endOf(data)
  if (end === undefined) throw bad("the record at its end is missing, so it may have been cut off")
  const [count, size, offset] = [data.readUInt16LE(end + 10), data.readUInt32LE(end + 12), data.readUInt32LE(end + 16)]
  if (count === 0xffff || offset === 0xffffffff) throw bad("it is a ZIP64 file")
  if (count > maxEntries) throw bad(`it has ${count} files, more than ${maxEntries}`)
  // A picture may stand before the zip; offsets then count from the zip's beginning.
  const shift = end - size - offset
  const entries: ZipEntry[] = []
  let at = end - size
  for (let nth = 0; nth < count; nth++) {
    if (at < 0 || at + 46 > end || data.readUInt32LE(at) !== entrySignature) throw bad("its list of files is damaged")
    const lengths = [28, 30, 32].map((field) => data.readUInt16LE(at + field))
    const [nameLength = 0, extraLength = 0, commentLength = 0] = lengths
    const path = data.toString("utf8", at + 46, at + 46 + nameLength)
    if ((data.readUInt16LE(at + 8) & 0x2041) !== 0) throw bad(`${shownValue(path)} is encrypted`)
    checkPath(path)
    entries.push({
      path,
      method: data.readUInt16LE(at + 10),
      checksum: data.readUInt32LE(at + 16),
      packed: data.readUInt32LE(at + 20),
      size: data.readUInt32LE(at + 24),
      offset: data.readUInt32LE(at + 42) + shift,
    })
    at += 46 + nameLength + extraLength + commentLength
  }
  // A count that is too small would leave files out without a word.
  if (at !== end) throw bad("its list of files is damaged")
  return entries
}

/** The record at the end of a zip, behind which only a comment of at most 65,535 bytes may stand. */
function endOf(data: Buffer): number | undefined {
  for (let at = data.length - 22; at >= Math.max(0, data.length - 22 - 0xffff); at--)
    if (data.readUInt32LE(at) === endSignature && at + 22 + data.readUInt16LE(at + 20) <= data.length) return at
  return undefined
}

function checkPath(path: string): void {
  const isOutside = path.startsWith("/") || /^[A-Za-z]:/.test(path) || path.split(/[\\/]/).includes("..")
  if (isOutside || path.includes("\0") || path.includes("\\") || path === "")
    throw bad(`the path ${shownValue(path)} leads out of its folder`)
}

function unpack(data: Buffer, { path, method, checksum, packed, size, offset }: ZipEntry): Uint8Array {
  if (offset < 0 || offset + 30 > data.length || data.readUInt32LE(offset) !== localSignature)
    throw bad(`${shownValue(path)} is missing`)
  const start = offset + 30 + data.readUInt16LE(offset + 26) + data.readUInt16LE(offset + 28)
  if (start + packed > data.length) throw bad(`${shownValue(path)} was cut off`)
  const body = data.subarray(start, start + packed)
  if (method !== 0 && method !== 8) throw bad(`${shownValue(path)} is packed by method ${method}, not by deflate`)
  let file: Uint8Array
  try {
    file = method === 0 ? body : inflateRawSync(body, { maxOutputLength: Math.max(1, size) })
  } catch (cause) {
    throw bad(`${shownValue(path)} cannot be unpacked to the ${size} bytes that it should have`, cause)
  }
  if (file.length !== size || crc32(file) !== checksum) throw bad(`${shownValue(path)} does not have its size and checksum`)
  return file
}

/** Writes files as a zip. What deflate makes no smaller, such as pictures, is stored as it is. The same files give the same bytes. */
export function writeZip(files: ZipFiles): Uint8Array {
  const [bodies, list]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [path, file] of files) {
    const name = Buffer.from(path, "utf8")
    const deflated = deflateRawSync(file)
    const isSmaller = deflated.length < file.length
    const body = isSmaller ? deflated : Buffer.from(file)
    // 0x21 is the first day that the format knows: files have no times.
    const format = numbers(2, 20, 0x0800, isSmaller ? 8 : 0, 0, 0x21)
    const head = [format, numbers(4, crc32(file), body.length, file.length), numbers(2, name.length, 0)]
    bodies.push(numbers(4, localSignature), ...head, name, body)
    list.push(numbers(4, entrySignature), numbers(2, 20), ...head, numbers(2, 0, 0, 0), numbers(4, 0, offset), name)
    offset += 30 + name.length + body.length
  }
  const size = list.reduce((sum, { length }) => sum + length, 0)
  const end = [numbers(2, 0, 0, files.size, files.size), numbers(4, size, offset), numbers(2, 0)]
  return Buffer.concat([...bodies, ...list, numbers(4, endSignature), ...end])
}

function numbers(width: 2 | 4, ...values: number[]): Buffer {
  const bytes = Buffer.alloc(width * values.length)
  for (const [at, value] of values.entries()) bytes.writeUIntLE(value, at * width, width)
  return bytes
}

function bad(what: string, cause?: unknown): PromptStrataError {
  return new PromptStrataError("file", `expected a zip that can be read (CHARX), but ${what}.`, {
    hint: "Load the card again from where it came from.",
    cause,
  })
}
