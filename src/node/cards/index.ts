export type { Card, CardAsset } from "../../prompt/layers/card/card.ts"
export { type CardLimits, loadCard, readCard } from "./card-file.ts"
export type { CardFile } from "./card-folder.ts"
export { type WriteCardOptions, writeCard } from "./write-card.ts"
