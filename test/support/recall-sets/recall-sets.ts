import { assistantChats } from "./assistant-chats.ts"
import { memoryBank, memoryBankPresent } from "./memory-bank.ts"
import { halfOf, type RecallChat } from "./recall-chat.ts"
import { singleFacts } from "./single-facts.ts"

export type Half = ReturnType<typeof halfOf>

/** Sets that are not people's talk, by name, with the chats of one half. */
export function recallSets(half: Half): ReadonlyMap<string, readonly RecallChat[]> {
  const sets: readonly (readonly [string, () => readonly RecallChat[]])[] = [
    ["assistant en", () => assistantChats("en")],
    ["assistant zh", () => assistantChats("zh")],
    ["facts en", () => singleFacts("en")],
    ["facts zh", () => singleFacts("zh")],
    ...(memoryBankPresent
      ? [["MemoryBank en", () => memoryBank("en")] as const, ["MemoryBank zh", () => memoryBank("cn")] as const]
      : []),
  ]
  return new Map(sets.map(([name, chats]) => [name, chats().filter(({ id }) => halfOf(id) === half)]))
}
