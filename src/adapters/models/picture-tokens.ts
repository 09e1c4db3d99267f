/**
 * About the tokens that providers count for a picture, by the formulas that they publish. The picture is counted as providers make it
 * smaller themselves.
 */
export type PictureTokens = (width: number, height: number) => number

/** Tiles of 512 pixels, after the picture was made to fit 2,048 pixels and its shorter side 768 (OpenAI: GPT-4o, GPT-4.1, o1, GPT-5). */
function tiles(base: number, perTile: number): PictureTokens {
  return (width, height) => {
    const fit = Math.min(1, 2_048 / Math.max(width, height))
    const shorter = Math.min(1, 768 / (Math.min(width, height) * fit))
    const side = (length: number) => Math.ceil(Math.max(1, Math.round(length * fit * shorter)) / 512)
    return base + perTile * side(width) * side(height)
  }
}

/** Patches of 32 pixels, at most 1,536 (OpenAI: small models since GPT-4.1). */
function patches(perPatch: number): PictureTokens {
  return (width, height) => {
    const count = Math.ceil(width / 32) * Math.ceil(height / 32)
    return Math.ceil(Math.min(1_536, count) * perPatch)
  }
}

/** By the beginning of a model's name. The first that fits holds. */
const openaiFormulas: readonly (readonly [RegExp, PictureTokens])[] = [
  [/^(gpt-4\.1-mini|gpt-5(\.\d)?-mini)/, patches(1.62)],
  [/^(gpt-4\.1-nano|gpt-5(\.\d)?-nano)/, patches(2.46)],
  [/^o4-mini/, patches(1.72)],
  [/^gpt-4o-mini/, tiles(2_833, 5_667)],
  [/^(o1|o3)/, tiles(75, 150)],
  [/^gpt-5/, tiles(70, 140)],
]

/** The formula of a model of OpenAI, that of GPT-4o for one that is not known here. */
export function openaiPictureTokens(model: string): PictureTokens {
  const name = model.toLowerCase().split("/").at(-1) ?? ""
  return openaiFormulas.find(([begins]) => begins.test(name))?.[1] ?? tiles(85, 170)
}

/** A token for 750 pixels; a picture is made to fit 1,568 pixels and 1,600 tokens (Anthropic). */
export const anthropicPictureTokens: PictureTokens = (width, height) => {
  const fit = Math.min(1, 1_568 / Math.max(width, height))
  return Math.min(1_600, Math.ceil((width * fit * height * fit) / 750))
}

/** 258 tokens for each tile of 768 pixels (Gemini). */
export const geminiPictureTokens: PictureTokens = (width, height) => 258 * Math.ceil(width / 768) * Math.ceil(height / 768)
