import { byLocale } from "./by-locale.ts"
import english from "./en-words.json" with { type: "json" }
import chinese from "./zh-CN-words.json" with { type: "json" }

/** The words of the commands that read or change a store, and of a chat that continues. */
export type StoreWords = Readonly<typeof en>

const en = {
  ...english.store,
  continues: (messages: number) =>
    `Continuing after ${messages} earlier messages. With --no-store a chat starts anew and is not kept.`,
  noStore: (place: string) => `There is no store in ${place} yet. The first chat creates it.`,
  noEvents: (agent: string) => `${agent} remembers no events yet.`,
  noContext: (agent: string) =>
    `${agent} keeps no events: its profile has no table [events]. "promptstrata memory list" prints memories.`,
  isBehind: (limit: number) => `no, behind the first ${limit}`,
  isUnsure: (confidence: string) => `no, a confidence of ${confidence}`,
  notListed: (count: number) => `${count} more are not listed. --limit lists more.`,
  childWork: (name: string) => `child agent ${name}`,
  jobWork: (kind: string) => `background: ${kind}`,
  pricesAsOf: (dates: string) => `Prices as of ${dates}. --prices FILE gives others.`,
  noPrice: (models: string) => `No price is known for ${models}. --prices FILE gives one.`,
  unknownCalls: (count: number) => `Calls of which the provider told no usage: ${count}. Their tokens are not in the sums.`,
  unknownTurns: (count: number) =>
    `Turns of which no usage is known: ${count}. No provider told it, or an older version kept them. They are not in the sums.`,
  retried: (turns: number) =>
    turns === 0
      ? "There are no words that could not be judged."
      : `Turns to be judged again: ${turns}. The next chat or "promptstrata worker" does it.`,
  otherAgents: (agents: string) => `The store also holds rows of: ${agents}. Name the profile with --profile.`,
  noMemories: (agent: string) => `${agent} has no memories yet.`,
  memoryOff: (agent: string) =>
    `${agent} keeps no memories: its profile has [memory] enabled = false, or a [plugins] enabled without "memory".`,
  noMemory: (id: string) => `There is no memory with the id ${id}. "promptstrata memory list" prints the ids.`,
  nothingKnown: (user: string) => `Nothing is known about the user "${user}".`,
  turnsForgotten: (count: number) => `Deleted ${count} ${count === 1 ? "turn" : "turns"} that inspect --keep had kept.`,
  forgets: (scope: string, rows: string) => `This permanently deletes ${scope}: ${rows}.`,
  forgetsMemory: (text: string) =>
    `This permanently deletes the memory "${text}", with everything that was drawn from the same words: facts about the user, insights, receipts.`,
  memoryForgotten: (memories: number, statements: number) => `Deleted: memories ${memories}, facts about the user ${statements}.`,
  forgotten: (rows: string) => `Deleted: ${rows}.`,
  exported: (lines: number, file: string) => `Wrote ${lines} lines to ${file}.`,
  noEnd: (file: string) =>
    `${file} has no last line that counts the others: it was cut, or an older version wrote it. What is there was imported.`,
  imported: (rows: string) => (rows === "" ? "The store already has everything in the export." : `Imported: ${rows}.`),
  backedUp: (file: string) => `Wrote a backup to ${file}.`,
  repaired: (rows: number, file: string) => `Moved ${rows} damaged rows to ${file}. Everything else can be used.`,
  scopes: {
    user: (user: string) => `everything about the user "${user}"`,
    conversation: (conversation: string) => `the conversation "${conversation}"`,
    all: (agent: string) => `everything that ${agent} has stored`,
  },
}

/** The words for a locale. */
export const storeWords = byLocale({
  en,
  zh: {
    ...chinese.store,
    retried: (turns) =>
      turns === 0 ? "没有判断失败的内容。" : `将重新判断 ${turns} 轮对话，由下一次聊天或 “promptstrata worker” 完成。`,
    imported: (rows) => (rows === "" ? "存储中已有全部内容。" : `已导入：${rows}。`),
  },
})
