export { type Timely, whatHappened, within } from "../core/within.ts"
