import { expect, test } from "vitest"
import { promptLocale } from "../../src/node/locale.ts"

test.each([
  { from: "an option", sources: { option: "en", profile: "zh-CN", env: { LANG: "zh_CN.UTF-8" } }, locale: "en" },
  { from: "the profile", sources: { profile: "zh-CN", env: { LANG: "en_US.UTF-8" } }, locale: "zh-CN" },
  {
    from: "LC_ALL before the others",
    sources: { env: { LC_ALL: "zh_TW", LC_MESSAGES: "en_US", LANG: "en_US" } },
    locale: "zh-CN",
  },
  { from: "LC_MESSAGES before LANG", sources: { env: { LC_ALL: "", LC_MESSAGES: "zh", LANG: "en_US" } }, locale: "zh-CN" },
  { from: "LANG", sources: { env: { LANG: "ZH_hk.Big5" } }, locale: "zh-CN" },
  { from: "a language that is not shipped", sources: { env: { LANG: "fr_FR.UTF-8" } }, locale: "en" },
  { from: "one that only begins like it", sources: { env: { LANG: "zha_CN" } }, locale: "en" },
  { from: "the C locale", sources: { env: { LANG: "C.UTF-8" } }, locale: "en" },
  { from: "nothing", sources: { env: {} }, locale: "en" },
  { from: "an option with another region", sources: { option: "zh-tw", env: {} }, locale: "zh-CN" },
  { from: "an option for prompts of one's own", sources: { option: "fr", env: {} }, locale: "fr" },
])("the locale comes from $from: $locale", ({ sources, locale }) => {
  expect(promptLocale(sources)).toBe(locale)
})

test.each(["", "english", "../etc", "__proto__"])("an option that is no locale is refused: %j", (option) => {
  const message = expect.stringContaining(`, found ${JSON.stringify(option)}.`)
  expect(() => promptLocale({ option, env: {} })).toThrow(expect.objectContaining({ code: "usage", message }))
})
