// Beyond this border is what most turns do not need: attachments, waiting, joining others, going on after an approval, failing.
export { besideOpen } from "../approval/answer-approval.ts"
export { waitingCommit } from "../approval/waiting-commit.ts"
export { keepFailedTurn, keepWords, unbegunTurn } from "../failed/failed-turn.ts"
export { commitError, findUnsettled, leaveUnsettled, unknownOutcome } from "../failed/unsettled-commits.ts"
export { endJoined, gather, withJoined } from "./gather-words.ts"
export { readInput } from "./read-input.ts"
export { keepWaiting, withUnanswered } from "./waiting-words.ts"
