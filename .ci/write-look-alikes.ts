// Writes src/prompt/encode/look-alikes.json: characters that look like ASCII or Han. The table of Unicode is read from the ICU data in
// the program of Node.js that runs this, so it is of the Unicode of that Node.js; other disguises are listed here.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The file that this writes. */
export const lookAlikesFile = fileURLToPath(new URL("../src/prompt/encode/look-alikes.json", import.meta.url))

/** The first number of ICU's binary table of confusables (`confusables.cfu`). */
const magic = 0x3845fdef

/** Each character of Unicode's table with the text that it looks like. The format is that of ICU's `SpoofDataHeader`. */
function readConfusables(program: Buffer): ReadonlyMap<string, string> {
  const mark = Buffer.alloc(4)
  mark.writeInt32LE(magic)
  const start = program.indexOf(mark)
  const number = (index: number) => program.readInt32LE(start + index * 4)
  if (start < 0 || number(1) !== 2)
    throw new Error("Expected the table of confusables in this Node.js, found none. Use one with full ICU.")
  const [keys = 0, count = 0, values = 0, , texts = 0] = [3, 4, 5, 6, 7].map(number)
  const pairs = Array.from({ length: count }, (_, index): [string, string] => {
    const key = program.readUInt32LE(start + keys + index * 4)
    const length = (key >>> 24) + 1
    const value = program.readUInt16LE(start + values + index * 2)
    const text = program.toString("utf16le", start + texts + value * 2, start + texts + (value + length) * 2)
    return [String.fromCodePoint(key & 0xffffff), length === 1 ? String.fromCharCode(value) : text]
  })
  return new Map(pairs)
}

/** A text without marks and hooks, in normal form. */
const plain = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/(?<=\w)'|'(?=\w)/g, "")

/** Letters that look the same in ASCII are one for whoever compares. */
const even = (text: string) =>
  text
    .replace(/[Ii|1]/g, "l")
    .replaceAll("0", "O")
    .replaceAll("m", "rn")
    .toLowerCase()

/** Of Unicode's table what a name or the colon behind it may consist of, where neither width nor normal form tells it. */
function ofUnicode(): Record<string, string> {
  const looks = new Map<string, string>()
  for (const [character, text] of readConfusables(readFileSync(process.execPath))) {
    const seen = plain(text)
    const isWanted = /^[A-Za-z0-9:.,(){}<>]+$/.test(seen) || (/^\p{sc=Han}$/u.test(seen) && !/[㐀-鿿]/.test(character))
    if (isWanted && !/[ -~]/.test(character) && even(plain(character)) !== even(seen))
      looks.set(seen, (looks.get(seen) ?? "") + character)
  }
  return Object.fromEntries([...looks].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const alphabet = "abcdefghijklmnopqrstuvwxyz"
/** The first letters of alphabets in brackets, circles, squares and flags. */
const alphabets = [0x249c, 0x1f110, 0x1f150, 0x1f170, 0x1f1e6]
const smallCapitals = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ ʏᴢ"

/** Characters that people use for others, though Unicode does not list them: signs, hooked letters, and digits for letters. */
const used: Readonly<Record<string, string>> = {
  ":": "᠄⁝⁞⋮︙⁘⁙፡፥፦⦂∷⸬꛴⠅⠆⠨⠰𝄈ⵗⵂ⫶⦙¦┆┊╎ঃਃଃఃಃഃඃးះ",
  a: "4@ΛɅ∧⋀∀ΔДⱥȺ",
  b: "ƀᵬᶀß₿",
  c: "©ȼƈ",
  d: "đɖɗᵭÐ",
  e: "3€ΣϵєЄ∈ɇƎεɛ",
  f: "ƒᵮ",
  g: "ǥɠᶃ",
  h: "ħɦⱨ",
  i: "!¡ɨ",
  j: "ɉ",
  k: "ƙⱪᶄ",
  l: "łƚɫɬɭⱡ£",
  m: "ɱᵯᶆ",
  n: "ɲɳƞᵰИ",
  o: "øɵ⊙◯○●",
  p: "ƥᵽᵱ",
  q: "ʠɋ",
  r: "®ɍɽɾᵲЯ",
  s: "5$ʂȿᵴ",
  t: "7ŧƫƭʈ†",
  u: "ʉ",
  v: "ʋ√",
  w: "ⱳШ",
  x: "×✗",
  y: "ƴɏ¥",
  z: "ƶʐʑȥɀ",
}

function listed(): Record<string, string> {
  const letters = [...alphabet].map((letter, at) => {
    const enclosed = alphabets.map((first) => String.fromCodePoint(first + at)).join("")
    return [letter, `${(used[letter] ?? "") + enclosed + (smallCapitals[at] ?? "")}`.trim()] as const
  })
  return { ":": used[":"] ?? "", ...Object.fromEntries(letters) }
}

/** The text of the file. */
export function lookAlikes(): string {
  const table = {
    source:
      "The table of confusables of Unicode Technical Standard 39, © Unicode, Inc., under the Unicode License V3 (https://www.unicode.org/license.txt), as Node.js brings it. Written by .ci/write-look-alikes.ts.",
    unicode: process.versions.unicode,
    looks: ofUnicode(),
    used: listed(),
  }
  return `${JSON.stringify(table, undefined, 2)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(lookAlikesFile, lookAlikes())
