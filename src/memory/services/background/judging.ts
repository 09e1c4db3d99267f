// Beyond this border is the work of memory behind turns: judging them, learning from them and reflecting.
export { reflectingOn } from "./reflection.ts"
export { reflectOnSchedule, runMemoryJob } from "./run-memory-job.ts"
export { retryUnjudged } from "./unjudged-turns.ts"
