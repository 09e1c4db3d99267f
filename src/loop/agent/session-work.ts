// Beyond this border is the work of a session beside its turns. Most programs ask for little of it.
export { answered, approvalsOf } from "./approval/answer-approval.ts"
export { hear } from "./hear.ts"
export { previewTurn } from "./queue/preview-turn.ts"
export { receive } from "./receive.ts"
export { dropWake, wakeAt, wakesOf } from "./schedule/session-wakes.ts"
export { choose, editAnswer, edited, fork, regenerated, rewind, roleOf, setMemory } from "./second-thoughts/second-thoughts.ts"
export { sessionHistory } from "./second-thoughts/session-history.ts"
export { explain, forget } from "./second-thoughts/session-memories.ts"
