import type { PromptSource } from "../../dialect/prompt-source.ts"
import { shippedPrompts } from "../../dialect/shipped.ts"
import { renderTemplate, type TemplateValues } from "../../template/render.ts"
import type { DemoLocale } from "./language.ts"

/** Says what stands in `prompts/demo/`; of several names the first that has a file. */
export type Say = (names: readonly string[], values: TemplateValues) => string

/** The sentences of one language. */
export function sentencesOf(locale: DemoLocale, prompts: readonly PromptSource[] = shippedPrompts()): Say {
  const bodies = new Map(prompts.map(({ path, body }) => [path, body]))
  return (names, values) => {
    const body = names.map((name) => bodies.get(`demo/${locale}/${name}.md`)).find((text) => text !== undefined)
    return body === undefined ? "" : renderTemplate(body, values)
  }
}
