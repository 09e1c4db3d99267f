// Beyond this border is what a program needs that remembers: recall, the jobs behind turns, and a store's tables beside its sessions.
export { reflectingOn } from "./background/reflection.ts"
export { reflectOnSchedule, runMemoryJob } from "./background/run-memory-job.ts"
export { retryUnjudged } from "./background/unjudged-turns.ts"
export { fused, recordedMemories } from "./memory/recorded-memories.ts"
export { makeParts } from "./store/in-memory/in-memory-parts.ts"
export { showUserProfile, splitByAge } from "./user-profile.ts"
