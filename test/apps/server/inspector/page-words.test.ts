import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { chatEn, chatZh } from "../../../../page/chat/words.ts"
import { compareEn, compareZh } from "../../../../page/compare/words.ts"
import { editEn, editZh } from "../../../../page/edit/words.ts"
import { zhOutcome, zhReason } from "../../../../page/reasons.ts"
import { pageEn, pageZh, wordsFor } from "../../../../page/words.ts"
import type { LoreReport } from "../../../../src/prompt/layers/lorebook/turn.ts"

const parts = [
  ["page", pageEn, pageZh],
  ["compare", compareEn, compareZh],
  ["edit", editEn, editZh],
  ["chat", chatEn, chatZh],
] as const

/** The keys of texts with those of texts inside them, and the kind of each. */
function shape(words: object, before = ""): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "object" ? shape(value, `${before}${key}.`) : [`${before}${key}: ${typeof value}`],
  )
}

describe("the texts of the page", () => {
  test.each(parts)("of %s are there in English and in Chinese, and none is empty", (_, english, chinese) => {
    expect(shape(chinese).sort()).toEqual(shape(english).sort())
    expect(Object.values({ ...english, ...chinese })).not.toContain("")
  })

  test("of one part do not hide those of another", () => {
    const keys = parts.flatMap(([, english]) => Object.keys(english))
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
    expect(Object.keys(wordsFor("zh-TW")).sort()).toEqual(keys.sort())
  })
})

test("the free part of a budget is told with its reason, in both languages", () => {
  const room = { budgetTokens: 900, freeTokens: 470, reservedTokens: 70, reason: "cut earlier in this turn" }
  expect(wordsFor("en").windowRoom(room)).toMatch(
    /^470 of 900 tokens are free, 70 of them .*: cut earlier in this turn\. window = "fill"/u,
  )
  expect(wordsFor("en").windowRoom({ ...room, reservedTokens: 0 })).toMatch(/^470 of 900 tokens are free: /u)
  expect(wordsFor("zh").windowRoom(room)).toContain("这一轮先前的请求里已缩短")
})

test("the kind of every warning of a turn stands in Chinese on the Chinese page, which says that the rest is English", () => {
  const source = readFileSync("src/trace/trace.ts", "utf8")
  const union = /interface TurnWarning \{\s*readonly kind:([\s\S]*?)readonly message/u.exec(source)?.[1] ?? ""
  const kinds = [...union.matchAll(/"(\w+)"/gu)].map(([, kind = ""]) => kind)
  expect(kinds.length).toBeGreaterThan(12)
  for (const kind of kinds) expect(wordsFor("zh").warning(kind)).toMatch(/^\p{Script=Han}+$/u)
  expect(wordsFor("en").warning("hook")).toBe("hook")
  expect(wordsFor("zh").warnings).toContain("英文")
})

describe("a reason of the budget", () => {
  /** The reasons that assembling writes into decisions, with values in place of what is computed. */
  const reasons = [
    ...["src/prompt/assemble", "src/prompt/assemble/fit", "src/prompt/layers/documents", "src/loop/turn"].flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true })
        .filter((file) => file.isFile())
        .flatMap(({ name }) => readFileSync(`${folder}/${name}`, "utf8").split("\n")),
    ),
  ].flatMap((source) => {
    const line = source.replaceAll(/\$\{(?:[^{}`]|`[^`]*`)*\}/gu, "7")
    const before = /\b(?:reason\w*(?::| =)|unplaced\(|goal\.reason :|displaced =|reserved =|cutInSteps =)/u.exec(line)
    if (!before || line.includes("; then ")) return []
    const found = line.slice(before.index).matchAll(/"([a-z][^"]* [^"]*)"|`([a-z\d][^`]* [^`]*)`/gu)
    return [...found].map(([, plain, made]) => plain ?? made ?? "")
  })

  test("stands in Chinese on the Chinese page", () => {
    expect(reasons.length).toBeGreaterThanOrEqual(16)
    for (const reason of reasons) expect(zhReason(reason)).toMatch(/^[^a-z]*(?:token)?[^a-z]*(?:token)?[^a-z]*$/u)
    expect(zhReason("tool runs of earlier turns had more than 90 tokens; then over budget, and rank 2 is the lowest left")).toBe(
      "之前几轮的工具结果超过 90 个 token；超出预算，余下的里面排位 2 最低",
    )
  })

  test("of a plugin stays as it is, and a key in it too", () => {
    expect(zhReason("my own; reason")).toBe("my own; reason")
    expect(zhReason("more than its limit of 7 characters")).toBe("超过自身上限 7 个字符")
    expect(zhReason("dropped with <b>, of its group")).toBe("随同组的 <b> 一起舍弃")
    expect(wordsFor("en").reason("cut earlier in this turn")).toBe("cut earlier in this turn")
  })
})

test("what kept an entry of a lorebook out stands in Chinese", () => {
  const outcomes: Readonly<Record<LoreReport["outcome"], true>> = {
    ...{ in: true, empty: true, disabled: true, conditions: true, character: true, delay: true, cooldown: true, recursion: true },
    ...{
      "max recursion": true,
      key: true,
      "required key": true,
      "excluded key": true,
      "secondary key": true,
      group: true,
      probability: true,
      room: true,
    },
  }
  for (const outcome of Object.keys(outcomes)) expect(zhOutcome(outcome)).toMatch(/[一-龥]/u)
  expect(["__proto__", "constructor", "<b>"].map(zhOutcome)).toEqual(["__proto__", "constructor", "<b>"])
})
