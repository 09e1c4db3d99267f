import type { Pixels } from "../../node/cards/png-pixels.ts"
import type { CliIo, OutputStream } from "./io.ts"

/** The ways in which a terminal can show a picture. */
export type PictureLook = "sixel" | "colours" | "256" | "none"

/** The way for a stream: none for a pipe and with `NO_COLOR`; sixel where the environment names a terminal that has it. */
export function pictureLook(
  stream: OutputStream,
  { NO_COLOR = "", TERM = "", COLORTERM = "", TERM_PROGRAM = "" }: CliIo["env"],
): PictureLook {
  if (stream.isTTY !== true || NO_COLOR !== "" || TERM === "dumb") return "none"
  if (/^(?:foot|mlterm|yaft|contour)|sixel/.test(TERM) || /^(?:WezTerm|mintty)$/.test(TERM_PROGRAM)) return "sixel"
  return /^(?:truecolor|24bit)$/.test(COLORTERM) || /direct$/.test(TERM) ? "colours" : "256"
}

type Rgb = readonly [red: number, green: number, blue: number]

/** The most rows of a terminal that a picture takes. */
const maxRows = 24

/** A picture for a terminal of so many columns, with its proportions. It ends without a line break. */
export function printPicture(pixels: Pixels, look: Exclude<PictureLook, "none">, columns: number): string {
  const { width, height } = pixels
  if (look === "sixel") {
    const scale = Math.min(1, (columns * 8) / width, (maxRows * 16) / height)
    return sixels(pixels, Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)))
  }
  // A half of a cell is about as wide as it is high.
  const scale = Math.min(1, columns / width, (2 * maxRows) / height)
  const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  const lines: string[] = []
  for (let row = 0; row < down; row += 2) {
    const cells = Array.from({ length: across }, (_, at) => {
      const [upper, lower] = [row, row + 1].map((y) => (y < down ? meanOf(pixels, { at, y, across, down }) : undefined))
      if (upper === undefined && lower === undefined) return "\u001b[0m "
      if (upper === undefined) return `\u001b[0m${colour(38, lower as Rgb, look)}▄`
      return `${lower === undefined ? "\u001b[0m" : colour(48, lower, look)}${colour(38, upper, look)}▀`
    })
    lines.push(`${cells.join("")}\u001b[0m`)
  }
  return lines.join("\n")
}

interface Cell {
  readonly at: number
  readonly y: number
  readonly across: number
  readonly down: number
}

/** The mean colour of the pixels in a cell; undefined if most of them are transparent. */
function meanOf({ width, height, rgba }: Pixels, { at, y, across, down }: Cell): Rgb | undefined {
  const [left, right] = [Math.floor((at * width) / across), Math.ceil(((at + 1) * width) / across)]
  const [top, bottom] = [Math.floor((y * height) / down), Math.ceil(((y + 1) * height) / down)]
  const sum = [0, 0, 0, 0]
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) {
      const from = (row * width + column) * 4
      const alpha = rgba[from + 3] ?? 0
      for (let part = 0; part < 3; part++) sum[part] = (sum[part] ?? 0) + (rgba[from + part] ?? 0) * alpha
      sum[3] = (sum[3] ?? 0) + alpha
    }
  const [red = 0, green = 0, blue = 0, alpha = 0] = sum
  if (alpha < 128 * (right - left) * (bottom - top)) return undefined
  return [Math.round(red / alpha), Math.round(green / alpha), Math.round(blue / alpha)]
}

function colour(ground: 38 | 48, [red, green, blue]: Rgb, look: "colours" | "256"): string {
  if (look === "colours") return `\u001b[${ground};2;${red};${green};${blue}m`
  return `\u001b[${ground};5;${16 + 36 * level(red) + 6 * level(green) + level(blue)}m`
}

/** The nearest of the six levels of a colour in a terminal's cube. */
function level(value: number): number {
  const levels = [0, 95, 135, 175, 215, 255]
  return levels.reduce((best, known, at) => (Math.abs(known - value) < Math.abs((levels[best] ?? 0) - value) ? at : best), 0)
}

/** Sixels of the 216 colours of the cube. Equal ones in a row are counted. */
function sixels(pixels: Pixels, across: number, down: number): string {
  const palette: string[] = []
  for (let number = 0; number < 216; number++)
    palette.push(`#${number};2;${[36, 6, 1].map((unit) => (Math.floor(number / unit) % 6) * 20).join(";")}`)
  const bands: string[] = []
  for (let top = 0; top < down; top += 6) {
    const rows = new Map<number, number[]>()
    for (let at = 0; at < across; at++)
      for (let bit = 0; bit < 6 && top + bit < down; bit++) {
        const mean = meanOf(pixels, { at, y: top + bit, across, down })
        if (mean === undefined) continue
        const number = mean.reduce((sum, value) => sum * 6 + Math.round(value / 51), 0)
        const row = rows.get(number) ?? new Array<number>(across).fill(0)
        row[at] = (row[at] ?? 0) | (1 << bit)
        rows.set(number, row)
      }
    const shown = [...rows].map(
      ([number, row]) => `#${number}${counted(row.map((bits) => String.fromCharCode(63 + bits)).join(""))}`,
    )
    bands.push(shown.join("$"))
  }
  return `\u001bP0;1;0q"1;1;${across};${down}${palette.join("")}${bands.join("-")}\u001b\\`
}

function counted(signs: string): string {
  return signs.replace(/(.)\1{3,}/g, (run, sign: string) => `!${run.length}${sign}`)
}
