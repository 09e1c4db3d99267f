/** The languages the demo speaks. */
export type DemoLocale = "zh-CN" | "en"

/** The language to answer in: that of the question, else the one that was set. */
export function languageOf(question: string, preferred: DemoLocale): DemoLocale {
  if (/\p{Script=Han}/u.test(question)) return "zh-CN"
  return /[a-z]{2}/i.test(question) ? "en" : preferred
}
