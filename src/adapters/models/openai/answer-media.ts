import { listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import type { ModelPart } from "../../../core/model/language-model.ts"
import { linkedFile } from "../answer-parts.ts"

/**
 * Makes a reader of the pictures of one answer: those of `images` (OpenRouter, LiteLLM and other gateways), and parts `image_url` of the
 * content. Some servers send a picture again with the last chunk: it counts once.
 */
export function createPictureReader() {
  const known = new Set<string>()
  return {
    push({ images, content }: Readonly<Record<string, unknown>>): ModelPart[] {
      const parts: ModelPart[] = []
      for (const picture of [...listOf(images), ...listOf(content)]) {
        const { image_url: given } = recordOf(picture)
        const url = typeof given === "string" ? given : stringOf(recordOf(given).url)
        if (url === "" || known.has(url)) continue
        known.add(url)
        const [head, mediaType = ""] = /^data:([^;,]*)[^,]*;base64,/i.exec(url.slice(0, 200)) ?? []
        parts.push(head === undefined ? linkedFile(url) : { type: "file", mediaType, base64: url.slice(head.length) })
      }
      return parts
    },
  }
}
