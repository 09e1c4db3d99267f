// Beyond this border is what a turn needs that remembers: recall, the user's profile, and a store's tables beside its sessions.
export { fused, recordedMemories } from "./memory/recorded-memories.ts"
export { makeParts } from "./store/in-memory/in-memory-parts.ts"
export { showUserProfile, splitByAge } from "./user-profile.ts"
