export type { TurnEvent } from "../trace/turn-event.ts"
