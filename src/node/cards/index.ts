export type { Card } from "../../prompt/layers/card/card.ts"
export { loadCard, readCard } from "./card-file.ts"
export type { CardFile } from "./card-folder.ts"
export { writeCard } from "./write-card.ts"
