import { byLocale } from "./by-locale.ts"
import chinese from "./zh-CN-words.json" with { type: "json" }

/** The words of the commands that read or change a store, and of a chat that continues. */
export type StoreWords = Readonly<typeof en>

const en = {
  /** The default profile was `fay` once. */
  earlierDefault:
    "This store has a chat with the profile fay, which was the default. Name it to go on with it, as in: promptstrata chat fay, promptstrata memory list --profile fay",
  continues: (messages: number) =>
    `Continuing after ${messages} earlier messages. With --no-store a chat starts anew and is not kept.`,
  noStore: (place: string) => `There is no store in ${place} yet. The first chat creates it.`,
  storeOff: "This command needs a store. Remove --no-store, and do not set PROMPTSTRATA_STORE to none.",
  noEvents: (agent: string) => `${agent} remembers no events yet.`,
  noContext: (agent: string) =>
    `${agent} keeps no events: its profile has no table [events]. "promptstrata memory list" prints memories.`,
  memoryColumns: ["ID", "TIME (UTC)", "IMPORTANCE", "KIND", "SPEAKER", "CONVERSATION", "TEXT"],
  whyColumns: ["RECALLED", "SCORE", "SIGNALS", "ID", "TEXT"],
  isRecalled: "yes",
  isBehind: (limit: number) => `no, behind the first ${limit}`,
  isUnsure: (confidence: string) => `no, a confidence of ${confidence}`,
  isInDocuments: "no, documents are shown",
  isOff: "no, memory is off",
  hasNothing: "no, nothing of the question",
  notListed: (count: number) => `${count} more are not listed. --limit lists more.`,
  userColumns: ["NAME", "VALUE", "CONFIDENCE", "TIME (UTC)", "CONVERSATION"],
  receiptColumns: ["TIME (UTC)", "KIND", "OUTCOME", "ATTEMPT", "USER", "MESSAGE"],
  workColumns: ["TIME (UTC)", "KIND", "OUTCOME", "ATTEMPT", "MS", "TOKENS", "USER", "CONVERSATION", "MESSAGE"],
  deadColumns: ["KIND", "USER", "CONVERSATION", "ATTEMPTS", "ERROR"],
  /** `READ` and `WRITTEN` are the parts of `IN` that a provider's cache served and kept. */
  costColumns: ["USD", "CALLS", "IN", "OUT", "READ", "WRITTEN"],
  layerColumns: ["TOKENS", "SHARE"],
  costTitles: ["WORK", "MODEL", "LAYER OF TURNS", "USER", "DAY"],
  leftColumns: ["TOKENS LEFT TODAY", "USD LEFT TODAY", "USER"],
  turnsWork: "turns",
  childWork: (name: string) => `child agent ${name}`,
  jobWork: (kind: string) => `background: ${kind}`,
  total: "total",
  nothingUsed: "No usage of a model is stored yet.",
  pricesAsOf: (dates: string) => `Prices as of ${dates}. --prices FILE gives others.`,
  noPrice: (models: string) => `No price is known for ${models}. --prices FILE gives one.`,
  unknownCalls: (count: number) => `Calls of which the provider told no usage: ${count}. Their tokens are not in the sums.`,
  unknownTurns: (count: number) =>
    `Turns of which no usage is known: ${count}. No provider told it, or an older version kept them. They are not in the sums.`,
  noWork: "There is no background work yet.",
  retried: (turns: number) =>
    turns === 0
      ? "There are no words that could not be judged."
      : `Turns to be judged again: ${turns}. The next chat or "promptstrata worker" does it.`,
  otherAgents: (agents: string) => `The store also holds rows of: ${agents}. Name the profile with --profile.`,
  noMemories: (agent: string) => `${agent} has no memories yet.`,
  memoryOff: (agent: string) =>
    `${agent} keeps no memories: its profile has [memory] enabled = false, or a [plugins] enabled without "memory".`,
  nothingFound: "No memories found.",
  noMemory: (id: string) => `There is no memory with the id ${id}. "promptstrata memory list" prints the ids.`,
  nothingKnown: (user: string) => `Nothing is known about the user "${user}".`,
  earlier: "Earlier values:",
  turnsForgotten: (count: number) => `Deleted ${count} ${count === 1 ? "turn" : "turns"} that inspect --keep had kept.`,
  forgets: (scope: string, rows: string) => `This permanently deletes ${scope}: ${rows}.`,
  forgetsMemory: (text: string) =>
    `This permanently deletes the memory "${text}", with everything that was drawn from the same words: facts about the user, insights, receipts.`,
  memoryForgotten: (memories: number, statements: number) => `Deleted: memories ${memories}, facts about the user ${statements}.`,
  messagesStay: "The messages of the conversation stay. --conversation NAME deletes a conversation.",
  sure: "Delete? [y/N]",
  needsYes: "Nothing was deleted. Without a terminal to confirm in, use --yes.",
  notForgotten: "Nothing was deleted.",
  nothingToForget: "There is nothing to delete.",
  forgotten: (rows: string) => `Deleted: ${rows}.`,
  filesStay: "Workspace files and backups are not part of the store. They were not deleted.",
  exported: (lines: number, file: string) => `Wrote ${lines} lines to ${file}.`,
  noEnd: (file: string) =>
    `${file} has no last line that counts the others: it was cut, or an older version wrote it. What is there was imported.`,
  imported: (rows: string) => (rows === "" ? "The store already has everything in the export." : `Imported: ${rows}.`),
  sound: "No problems found.",
  deadJobs: "Jobs that failed for good:",
  deadAdvice: "Their turns are kept; only the background work is missing. Fix the cause. New turns are not affected.",
  failedReceipts: "Background work that failed in the last seven days:",
  receiptAdvice:
    "timeout and failed: where the message names no file, check the model's server. parse-error: the model's answer could not be read; another model may help.",
  backedUp: (file: string) => `Wrote a backup to ${file}.`,
  lost: "lost:",
  repaired: (rows: number, file: string) => `Moved ${rows} damaged rows to ${file}. Everything else can be used.`,
  nothingDamaged: "No row is damaged, so no file was written.",
  noBackup: "Only the embedded store can be backed up here. For PostgreSQL, use pg_dump.",
  superseded: "superseded",
  /** The names of a memory's fields, in the order in which they are printed. */
  fields: [
    ...["id", "kind", "text", "speaker", "conversation", "time", "importance", "based on", "untrusted"],
    ...["superseded by", "keys", "updates", "last used"],
  ],
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
