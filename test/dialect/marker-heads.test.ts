import { describe, expect, test } from "vitest"
import { shippedDialect, shippedDialectNames } from "../../src/dialect/shipped.ts"

const shippedDialects = shippedDialectNames().flatMap((dialect) => ["zh-CN", "en"].map((locale) => ({ dialect, locale })))

/** What the dialects' own notation begins with: headings, names in brackets; in root speakers and tools too (R5). */
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
})
