import { join } from "node:path"
import { fold } from "../../prompt/encode/fold.ts"
import type { Card } from "../../prompt/layers/card/card.ts"
import type { OutputFormat, OutputPart } from "../../reply/output/output-part.ts"
import { fileExists } from "../file-log.ts"

/** The assets that show a card's emotions, by the folded name of the emotion. */
export type EmotionAssets = ReadonlyMap<string, string>

/**
 * The assets of a card for its emotions: the path of a file where the card is a folder that has it, else what the card says, such as
 * `embeded://assets/happy.png`. Nothing is read and nothing fetched (C12).
 */
export function emotionAssets({ assets }: Pick<Card, "assets">, folder?: string): EmotionAssets {
  const named = assets.filter(({ type, name }) => type === "emotion" && name !== "")
  return new Map(named.map(({ name, uri }) => [fold(name), pathOf(uri, folder) ?? uri]))
}

function pathOf(uri: string, folder: string | undefined): string | undefined {
  const [, path] = /^embedd?ed:\/\/(assets\/.+)$/.exec(uri) ?? []
  if (folder === undefined || path === undefined || path.split(/[\\/]/).includes("..")) return undefined
  return fileExists(join(folder, path)) ? join(folder, path) : undefined
}

/** A format whose emotions carry the asset that shows them; those that have none carry the asset `neutral`, if there is one. */
export function withEmotionAssets(format: OutputFormat, assets: EmotionAssets): OutputFormat {
  if (assets.size === 0) return format
  const shown = (part: OutputPart): OutputPart => {
    const asset = part.type === "emotion" ? (assets.get(fold(part.emotion)) ?? assets.get("neutral")) : undefined
    return part.type === "emotion" && asset !== undefined ? { ...part, asset } : part
  }
  return {
    name: format.name,
    createReader(options) {
      const reader = format.createReader(options)
      return { push: (delta) => reader.push(delta).map(shown), end: () => reader.end().map(shown) }
    },
  }
}
