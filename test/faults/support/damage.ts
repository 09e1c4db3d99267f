import type { Dice } from "../../support/dice.ts"

/** Pieces that programs and disks leave in files, or that parsers stumble over. */
const pieces = ["\0", "\u{feff}", "---\n", '"', "{", "[[", "]]", "\\", "%", "\r", "1e999", "-1", "null", "__proto__", "\u2028"]

/** Damages a file in one of the ways in which disks, copies and editors do; a third of the files in two. */
export function damage(bytes: Buffer, dice: Dice): Buffer {
  const once = damages[dice.below(damages.length)]?.(bytes, dice) ?? bytes
  return dice.chance(0.3) ? (damages[dice.below(damages.length)]?.(once, dice) ?? once) : once
}

type Damage = (bytes: Buffer, dice: Dice) => Buffer

const damages: readonly Damage[] = [
  flipBit,
  flipBit,
  (bytes, dice) => bytes.subarray(0, dice.below(bytes.length + 1)),
  (bytes, dice) => withSlice(bytes, dice, () => Buffer.alloc(0)),
  (bytes, dice) => withSlice(bytes, dice, (slice) => Buffer.alloc(slice.length)),
  (bytes, dice) => withSlice(bytes, dice, (slice) => Buffer.concat([slice, slice])),
  (bytes, dice) => withSlice(bytes, dice, (slice) => Buffer.from(slice.map(() => dice.below(256)))),
  (bytes, dice) => withSlice(bytes, dice, (slice) => Buffer.from(slice).reverse()),
  (bytes, dice) => inserted(bytes, dice, Buffer.from(dice.pick(...pieces))),
  (bytes, dice) => inserted(bytes, dice, Buffer.from(dice.pick("[", '{"a":', "(", "- ").repeat(1 + dice.below(3_000)))),
  (bytes, dice) => inserted(bytes, dice, Buffer.from([0xff, 0xfe, 0xc0, 0xed, 0xa0, 0x80].slice(dice.below(5)))),
  (bytes, dice) =>
    Buffer.from(
      bytes
        .toString("latin1")
        .replace(/\d+/gu, (digits) => (dice.chance(0.1) ? dice.pick("-7", "1e400", '"x"', "null", "[]") : digits)),
      "latin1",
    ),
  (bytes, dice) =>
    Buffer.from(
      bytes
        .toString("latin1")
        .replace(/"[^"\n]*"/gu, (text) => (dice.chance(0.1) ? dice.pick("7", "null", "{}", "[]", "true", '""') : text)),
      "latin1",
    ),
]

function flipBit(bytes: Buffer, dice: Dice): Buffer {
  const flipped = Buffer.from(bytes)
  const at = dice.below(bytes.length)
  if (at < flipped.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << dice.below(8))
  return flipped
}

/** Replaces a slice: a few bytes, or a block of a disk. */
function withSlice(bytes: Buffer, dice: Dice, change: (slice: Buffer) => Buffer): Buffer {
  const at = dice.below(bytes.length)
  const end = Math.min(bytes.length, at + 1 + dice.below(dice.pick(8, 64, 512)))
  return Buffer.concat([bytes.subarray(0, at), change(bytes.subarray(at, end)), bytes.subarray(end)])
}

function inserted(bytes: Buffer, dice: Dice, piece: Buffer): Buffer {
  const at = dice.below(bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
}
