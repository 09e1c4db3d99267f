import { byLocale } from "./by-locale.ts"

/** The words of the commands that read or change a store, and of a chat that continues. */
export type StoreWords = Readonly<typeof en>

const en = {
  continues: (messages: number) =>
    `Continuing after ${messages} earlier messages. With --no-store a chat starts anew and is not kept.`,
  noStore: (place: string) => `There is no store in ${place} yet. The first chat creates it.`,
  storeOff: "This command needs a store. Remove --no-store, and do not set PROMPTSTRATA_STORE to none.",
  noEvents: (agent: string) => `${agent} remembers no events yet.`,
  noContext: (agent: string) =>
    `${agent} keeps no events: its profile has no table [events]. "promptstrata memory list" prints memories.`,
  memoryColumns: ["ID", "TIME (UTC)", "IMPORTANCE", "KIND", "SPEAKER", "CONVERSATION", "TEXT"],
  foundColumns: ["SCORE", "REASONS", "ID", "TEXT"],
  userColumns: ["NAME", "VALUE", "CONFIDENCE", "TIME (UTC)", "CONVERSATION"],
  receiptColumns: ["TIME (UTC)", "KIND", "OUTCOME", "ATTEMPT", "USER", "MESSAGE"],
  workColumns: ["TIME (UTC)", "KIND", "OUTCOME", "ATTEMPT", "MS", "TOKENS", "USER", "CONVERSATION", "MESSAGE"],
  deadColumns: ["KIND", "USER", "CONVERSATION", "ATTEMPTS", "ERROR"],
  noWork: "There is no background work yet.",
  otherAgents: (agents: string) => `The store also holds rows of: ${agents}. Name the profile with --profile.`,
  noMemories: (agent: string) => `${agent} has no memories yet.`,
  memoryOff: (agent: string) => `${agent} keeps no memories: [plugins] enabled of its profile has no "memory".`,
  nothingFound: "No memories found.",
  noMemory: (id: string) => `There is no memory with the id ${id}. "promptstrata memory list" prints the ids.`,
  nothingKnown: (user: string) => `Nothing is known about the user "${user}".`,
  earlier: "Earlier values:",
  forgets: (scope: string, rows: string) => `This permanently deletes ${scope}: ${rows}.`,
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
  sharedUser: (user: string, conversations: string, count: number) =>
    `${count} conversations share the user "${user}" with terminal chats: ${conversations}. Older versions used this id for everyone without one.`,
  sharedUserAdvice: (user: string) =>
    `Without a speaker's id, a conversation now has a user of its own, who recalls nothing of "${user}". Where that is one person, pass from: { id: "${user}" } to go on as before. "promptstrata memory forget --conversation NAME" deletes a conversation with its memories.`,
  deadJobs: "Jobs that failed for good:",
  deadAdvice: "Their turns are kept; only the background work is missing. Fix the cause. New turns are not affected.",
  failedReceipts: "Background work that failed in the last seven days:",
  receiptAdvice:
    "timeout and failed: check the model's server. parse-error: the model's answer could not be read; another model may help.",
  backedUp: (file: string) => `Wrote a backup to ${file}.`,
  lost: "lost:",
  repaired: (rows: number, file: string) => `Moved ${rows} damaged rows to ${file}. Everything else can be used.`,
  nothingDamaged: "No row is damaged, so no file was written.",
  noBackup: "Only the embedded store can be backed up here. For PostgreSQL, use pg_dump.",
  superseded: "superseded",
  /** The names of a memory's fields, in the order in which they are printed. */
  fields: ["id", "kind", "text", "speaker", "conversation", "time", "importance", "based on", "untrusted", "superseded by"],
  scopes: {
    user: (user: string) => `everything about the user "${user}"`,
    conversation: (conversation: string) => `the conversation "${conversation}"`,
    all: (agent: string) => `everything that ${agent} has stored`,
  },
}

const zh: StoreWords = {
  continues: (messages) => `接着之前的 ${messages} 条消息继续。用 --no-store 会重新开始，且不保存。`,
  noStore: (place) => `${place} 中还没有存储。第一次聊天时会创建。`,
  storeOff: "这个命令需要存储。请去掉 --no-store，并且不要把 PROMPTSTRATA_STORE 设为 none。",
  noEvents: (agent) => `${agent}还没有记下任何事件。`,
  noContext: (agent) => `${agent}不记录事件：配置中没有 [events] 表。“promptstrata memory list” 会列出记忆。`,
  memoryColumns: ["编号", "时间 (UTC)", "重要性", "类别", "说话者", "会话", "内容"],
  foundColumns: ["得分", "原因", "编号", "内容"],
  userColumns: ["名称", "内容", "置信度", "时间 (UTC)", "会话"],
  receiptColumns: ["时间 (UTC)", "类别", "结果", "次数", "用户", "说明"],
  workColumns: ["时间 (UTC)", "类别", "结果", "次数", "毫秒", "词元", "用户", "会话", "说明"],
  deadColumns: ["类别", "用户", "会话", "次数", "错误"],
  noWork: "还没有后台工作。",
  otherAgents: (agents) => `存储中还有其他角色的内容：${agents}。请用 --profile 指定配置。`,
  noMemories: (agent) => `${agent}还没有任何记忆。`,
  memoryOff: (agent) => `${agent}不保留记忆：配置的 [plugins] enabled 中没有 "memory"。`,
  nothingFound: "没有找到记忆。",
  noMemory: (id) => `没有编号为 ${id} 的记忆。“promptstrata memory list” 会列出编号。`,
  nothingKnown: (user) => `还没有关于用户“${user}”的资料。`,
  earlier: "以前的内容：",
  forgets: (scope, rows) => `将永久删除${scope}：${rows}。`,
  sure: "删除吗？[y/N]",
  needsYes: "没有删除。没有终端可供确认，请使用 --yes。",
  notForgotten: "没有删除。",
  nothingToForget: "没有可以删除的内容。",
  forgotten: (rows) => `已删除：${rows}。`,
  filesStay: "工作区的文件和备份不属于存储，没有删除。",
  exported: (lines, file) => `已将 ${lines} 行写入 ${file}。`,
  noEnd: (file) => `${file} 没有记录行数的末行：它不完整，或由旧版本写出。已有的内容都导入了。`,
  imported: (rows) => (rows === "" ? "存储中已有全部内容。" : `已导入：${rows}。`),
  sound: "没有发现问题。",
  sharedUser: (user, conversations, count) =>
    `有 ${count} 个会话与终端聊天共用用户“${user}”：${conversations}。旧版本让所有没有编号的说话者共用这个编号。`,
  sharedUserAdvice: (user) =>
    `没有说话者编号的会话现在各有自己的用户，不会再回忆起“${user}”的内容。如果确实是同一个人，传入 from: { id: "${user}" } 可以照旧。“promptstrata memory forget --conversation 名称” 会删除一个会话及其记忆。`,
  deadJobs: "最终失败的任务：",
  deadAdvice: "它们的对话都已保存，只是缺少后台处理。请排除原因。新的对话不受影响。",
  failedReceipts: "最近七天失败的后台工作：",
  receiptAdvice: "timeout 和 failed：请检查模型服务器。parse-error：模型的回答无法解析，可以换一个模型。",
  backedUp: (file) => `已备份到 ${file}。`,
  lost: "丢失：",
  repaired: (rows, file) => `已将 ${rows} 个损坏的行移到 ${file}。其余内容都可以使用。`,
  nothingDamaged: "没有损坏的行，因此没有写文件。",
  noBackup: "这里只能备份嵌入式存储。PostgreSQL 请用 pg_dump。",
  superseded: "已被取代",
  fields: ["编号", "类别", "内容", "说话者", "会话", "时间", "重要性", "依据", "不可信", "被取代为"],
  scopes: {
    user: (user) => `用户“${user}”的全部内容`,
    conversation: (conversation) => `会话“${conversation}”`,
    all: (agent) => `${agent} 保存的全部内容`,
  },
}

/** The words for a locale. */
export const storeWords = byLocale({ en, zh })
