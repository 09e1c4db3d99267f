import { describe, expect, test } from "vitest"
import { encodeText } from "../../src/prompt/encode/encode.ts"
import { fold } from "../../src/prompt/encode/fold.ts"
import { sanitise } from "../../src/prompt/encode/sanitise.ts"
import type { EncoderName } from "../../src/prompt/template/ast.ts"
import { dataPresent, hostileStrings, triedOf } from "../support/corpora.ts"
import { decodeText } from "../support/decode-text.ts"

/** A dialect's own lines as they stand in its files: whole lines, and beginnings of lines that go on with a value. */
interface OwnLines {
  readonly lines: readonly string[]
  readonly heads: readonly string[]
  readonly fences: boolean
}

const headings = [
  "提问内容",
  "系统设定",
  "额外观察",
  "关联记忆",
  "预启动工具结果",
  "可用工具",
  "历史工具执行",
  "最近对话",
  "其他观察",
]
const dialects: Readonly<Record<string, OwnLines>> = {
  fay: {
    lines: [...headings.map((heading) => `**${heading}**`), "---", '<prestart keep="true">', "</prestart>"],
    heads: ["【"],
    fences: true,
  },
  layered: { lines: ["[memory context]", "[/memory context]", "[system]", "[/system]"], heads: ["## "], fences: false },
  root: { lines: ["# 记忆", "# 对话规则", "***"], heads: ["^", "#", "@br"], fences: true },
}

const breaks = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/
const unseen = /[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]|(?![\t\n\v\f\r\u0085])\p{Cc}/gu
const narrow = (line: string) => line.normalize("NFKC").toLowerCase()
const bare = (line: string) => line.replace(unseen, "").toLowerCase()

/** Readers of a prompt, from strict to careless, written from the requirement and sharing nothing with the encoders. */
const readers: Readonly<Record<string, (line: string) => string>> = {
  exact: (line) => line,
  "ignoring case and blanks": (line) => line.toLowerCase().replace(/\s+/g, " ").trim(),
  "ignoring width": (line) => narrow(line).trim(),
  "ignoring invisible characters": (line) => bare(line).trim(),
  "ignoring all of that": (line) =>
    bare(narrow(bare(line.normalize("NFD"))))
      .replace(/[\p{Pd}−]/gu, "-")
      .replace(/\s+/g, " ")
      .trim(),
}

/** How many lines of `shown` some reader takes for the dialect's own. */
function forgedLines(shown: string, { lines, heads, fences }: OwnLines): number {
  return shown.split(breaks).filter((line) =>
    Object.values(readers).some((read) => {
      const seen = read(line)
      const isWhole = lines.some((own) => read(own) === seen)
      return isWhole || heads.some((head) => seen.startsWith(read(head))) || (fences && /^(```|~~~)/.test(seen))
    }),
  ).length
}

/** True when some reader finds the fence closed before its end. */
function closesEarly(fenced: string): boolean {
  const lines = fenced.split(breaks)
  const opening = /^`+/.exec(lines[0] ?? "")?.[0].length ?? 0
  return Object.values(readers).some((read) => {
    const closing = lines.findIndex((line, at) => at > 0 && new RegExp(`^\`{${opening},}$`).test(read(line).trim()))
    return closing !== lines.length - 1
  })
}

/** True when the words of a tool run no longer stand one by one on their line, to some reader. */
function breaksLine(value: string): boolean {
  const line = `tool(first=${value}, second=1) → ${value}`
  return Object.values(readers).some((read) => {
    const skeleton = read(line).replace(/"(?:[^"\\]|\\.)*"/g, "§")
    return line.split(breaks).length > 1 || !/^tool\(first=[^()="]*, second=1\) → [^()="]*$/.test(skeleton)
  })
}

const markersOf = (own: OwnLines) => ({ lines: new Set(own.lines.map(fold)), heads: own.heads.map(fold), fences: own.fences })
/** True if more than `least` of the texts are forged. It looks no further than that needs. */
function isMore(least: number, texts: readonly string[], isForged: (text: string) => boolean): boolean {
  let found = 0
  return texts.some((text) => isForged(text) && ++found > least)
}

describe.skipIf(!dataPresent)("encoders over hostile strings", () => {
  const raw = dataPresent ? hostileStrings() : []
  /** As they come, as they are after sanitising, and behind other words. */
  const hostile = [...raw, ...raw.map((text) => sanitise(text).text), ...raw.map((text) => `好的\n${text}\n`)]
  const names: readonly EncoderName[] = ["lines", "inline", "fence", "indent", "transcript", "speaker"]

  test("there is a corpus", () => {
    expect(raw.length).toBeGreaterThan(5_000)
  })

  test.each(names)("T28 %s: every string comes back as it was", (name) => {
    for (const own of Object.values(dialects)) {
      const markers = markersOf(own)
      const lost = triedOf(hostile, names.indexOf(name), 13).filter(
        (text) => decodeText(encodeText(text, name, markers), name, markers) !== text,
      )
      expect(lost).toEqual([])
    }
  })

  describe.each(Object.entries(dialects))("T5 in %s", (_dialect, own) => {
    const markers = markersOf(own)

    test.each(["lines", "indent"] as const)("%s: no reader finds a line that the dialect did not write", (name) => {
      expect(triedOf(hostile, name.length, 13).filter((text) => forgedLines(encodeText(text, name, markers), own) > 0)).toEqual(
        [],
      )
    })

    test("the reader can tell: words as they are forge lines, and so they do past simpler encoders", () => {
      const exact = (text: string) => text.split("\n").map((line) => (own.lines.includes(line) ? `\\${line}` : line))
      expect(isMore(50, hostile, (text) => forgedLines(text, own) > 0)).toBe(true)
      expect(isMore(20, hostile, (text) => forgedLines(exact(text).join("\n"), own) > 0)).toBe(true)
      expect(isMore(20, hostile, (text) => forgedLines(text.replaceAll("\n", "\n  "), own) > 0)).toBe(true)
    })
  })

  test("T6 fence: no reader finds a fence closed before its end", () => {
    const markers = markersOf({ lines: [], heads: [], fences: true })
    expect(triedOf(hostile, 0, 13).filter((text) => closesEarly(encodeText(text, "fence", markers)))).toEqual([])
  })

  test("T6 the reader can tell: three backticks are closed early, and a fence that counts only plain runs too", () => {
    const longest = (text: string) => Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
    const plain = (text: string) => {
      const fence = "`".repeat(longest(text) + 1)
      return `${fence}\n${text}\n${fence}`
    }
    expect(isMore(50, hostile, (text) => closesEarly(`\`\`\`\n${text}\n\`\`\``))).toBe(true)
    expect(isMore(0, hostile, (text) => closesEarly(plain(text)))).toBe(true)
  })

  test("T10 inline: no reader sees another argument, another result or another line", () => {
    const markers = markersOf({ lines: [], heads: [], fences: false })
    expect(triedOf(hostile, 1, 13).filter((text) => breaksLine(encodeText(text, "inline", markers)))).toEqual([])
  })

  test("T10 the reader can tell: bare words break the line, and plain JSON does to some readers", () => {
    expect(isMore(50, hostile, breaksLine)).toBe(true)
    expect(isMore(0, hostile, (text) => breaksLine(JSON.stringify(text)))).toBe(true)
  })

  test("sanitising leaves no tag character, bidi control or control character but tab and line breaks", () => {
    const hidden = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]|(?![\t\n\v\f\r\u0085])\p{Cc}/u
    const flag = /\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}/gu
    const dirty = (text: string) => hidden.test(text.replace(flag, "")) || !text.isWellFormed()
    expect(isMore(100, raw, dirty)).toBe(true)
    expect(raw.map((text) => sanitise(text).text).filter(dirty)).toEqual([])
  })
})
