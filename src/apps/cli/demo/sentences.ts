import type { PromptSource } from "../../../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../../../prompt/dialect/shipped-files.ts"
import type { TemplateValues } from "../../../prompt/template/render.ts"
import { renderTemplate } from "../../../prompt/template/render-template.ts"

/** Fills in the first of the named files in `prompts/demo/` that exists. */
export type Say = (names: readonly string[], values: TemplateValues) => string

/** The sentences of one language. */
export function sentencesOf(locale: DemoLocale, prompts: readonly PromptSource[] = shippedPrompts("demo", locale)): Say {
  const bodies = new Map(prompts.map(({ path, body }) => [path, body]))
  return (names, values) => {
    const body = names.map((name) => bodies.get(`demo/${locale}/${name}.md`)).find((text) => text !== undefined)
    return body === undefined ? "" : renderTemplate(body, values)
  }
}

/** The languages the demo speaks. */
export type DemoLocale = "zh-CN" | "en"

/** The language to answer in: that of the question, else the one that was set. */
export function languageOf(question: string, preferred: DemoLocale): DemoLocale {
  if (/\p{Script=Han}/u.test(question)) return "zh-CN"
  return /[a-z]{2}/i.test(question) ? "en" : preferred
}
