import { describe, expect, test } from "vitest"
import { shippedDialect, shippedDialectNames } from "../../../src/prompt/dialect/shipped.ts"
import { encodeText } from "../../../src/prompt/encode/encode.ts"

const shippedDialects = shippedDialectNames().flatMap((dialect) => ["zh-CN", "en"].map((locale) => ({ dialect, locale })))

/** The beginnings of the dialects' own notation: headings and names in brackets; in root also speakers and tools (R5). */
const notation = ["##", "[", "【"]
const rootNotation = [...notation, "^", "#"]

describe("markers of the shipped dialects", () => {
  test.each(shippedDialects)(
    "of $dialect $locale are words, or its notation: no list, no bold line of a user's is escaped",
    ({ dialect, locale }) => {
      const bare = shippedDialect(dialect, locale).markers.heads.filter((head) => !/\p{L}/u.test(head))
      expect(bare.filter((head) => !(dialect === "root" ? rootNotation : notation).includes(head))).toEqual([])
    },
  )

  test.each(shippedDialects)(
    "of $dialect $locale are more than one common word: what people begin a line with is not escaped",
    ({ dialect, locale }) => {
      const { markers } = shippedDialect(dialect, locale)
      const said = [
        "What time is it?",
        "Use it well.",
        "Reason enough!",
        "No, thank you.",
        "超过十个人了。",
        "没有啊。",
        "你上次写的诗很好。",
      ]
      expect(said.filter((line) => encodeText(line, "lines", markers) !== line)).toEqual([])
      expect(markers.heads.filter((head) => /^(?:[a-z]+|\p{Script=Han}{1,2})$/u.test(head))).toEqual([])
    },
  )
})
