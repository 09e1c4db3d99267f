/** What the commands around the store say. */
export interface StoreWords {
  /** Stands at the beginning of a conversation that goes on. */
  readonly goesOn: (messages: number) => string
  readonly noStore: (where: string) => string
  readonly storeOff: string
  readonly memoryColumns: readonly string[]
  readonly foundColumns: readonly string[]
  readonly userColumns: readonly string[]
  readonly receiptColumns: readonly string[]
  readonly workColumns: readonly string[]
  readonly noWork: string
  readonly deadColumns: readonly string[]
  readonly noMemories: string
  readonly nothingFound: string
  readonly noMemory: (id: string) => string
  readonly nothingKnown: (user: string) => string
  readonly heldBefore: string
  readonly forgets: (scope: string, rows: string) => string
  readonly sure: string
  readonly needsYes: string
  readonly notForgotten: string
  readonly nothingToForget: string
  readonly forgotten: (rows: string) => string
  readonly filesStay: string
  readonly exported: (lines: number, file: string) => string
  readonly imported: (rows: string) => string
  readonly sound: string
  readonly deadJobs: string
  readonly failedReceipts: string
  readonly receiptAdvice: string
  readonly deadAdvice: string
  readonly backedUp: (file: string) => string
  readonly noBackup: string
  readonly superseded: string
  /** Fields of one memory, in the order in which they are printed. */
  readonly fields: Readonly<
    Record<"id" | "kind" | "text" | "who" | "where" | "when" | "importance" | "sources" | "untrusted" | "supersededBy", string>
  >
  readonly scopes: {
    readonly user: (user: string) => string
    readonly conversation: (conversation: string) => string
    readonly all: (agent: string) => string
  }
}

const en: StoreWords = {
  goesOn: (messages) => `Goes on after ${messages} messages. --no-store begins anew and keeps nothing.`,
  noStore: (where) => `There is no store in ${where} yet: it is made by the first chat.`,
  storeOff:
    "Without a store there is nothing to look at: leave out --no-store, and set PROMPTSTRATA_STORE to something else than none.",
  memoryColumns: ["ID", "WHEN (UTC)", "IMP.", "KIND", "WHO", "WHERE", "TEXT"],
  foundColumns: ["SCORE", "WHY", "ID", "TEXT"],
  userColumns: ["NAME", "VALUE", "SURE", "WHEN (UTC)", "WHERE"],
  receiptColumns: ["WHEN (UTC)", "KIND", "OUTCOME", "TRY", "WHO", "MESSAGE"],
  workColumns: ["WHEN (UTC)", "KIND", "OUTCOME", "TRY", "MS", "TOKENS", "WHO", "WHERE", "MESSAGE"],
  noWork: "No background work was done yet.",
  deadColumns: ["KIND", "WHO", "CONVERSATION", "TRIES", "ERROR"],
  noMemories: "Nothing is remembered yet.",
  nothingFound: "Nothing was found.",
  noMemory: (id) => `There is no memory ${id}. "promptstrata memory list" shows their ids.`,
  nothingKnown: (user) => `Nothing is known of ${user}.`,
  heldBefore: "Before that:",
  forgets: (scope, rows) => `This deletes ${scope} for good: ${rows}.`,
  sure: "Delete it? [y/N]",
  needsYes: "Nothing was deleted: nobody is there to ask. Say --yes to delete without a question.",
  notForgotten: "Nothing was deleted.",
  nothingToForget: "There is nothing of that to delete.",
  forgotten: (rows) => `Deleted: ${rows}.`,
  filesStay: "Files of the workspace and backups are not part of the store and stay.",
  exported: (lines, file) => `Wrote ${lines} lines to ${file}.`,
  imported: (rows) => `Imported: ${rows}.`,
  sound: "Nothing is wrong.",
  deadJobs: "Jobs that failed for good:",
  failedReceipts: "Background work that failed in the last seven days:",
  receiptAdvice:
    "A timeout or a failure is mostly the model's server; parse-error means its answer could not be read: another model may help.",
  deadAdvice: "Their turns are kept; only what should have followed is missing. Mend the cause; new turns are not affected.",
  backedUp: (file) => `Wrote a backup to ${file}.`,
  noBackup: "Only the embedded store is backed up here; PostgreSQL has pg_dump.",
  superseded: "superseded",
  fields: {
    id: "id",
    kind: "kind",
    text: "text",
    who: "who",
    where: "where",
    when: "when",
    importance: "importance",
    sources: "rests on",
    untrusted: "untrusted",
    supersededBy: "superseded by",
  },
  scopes: {
    user: (user) => `everything of the user ${user}`,
    conversation: (conversation) => `the conversation ${conversation}`,
    all: (agent) => `everything that ${agent} keeps`,
  },
}

const zh: StoreWords = {
  goesOn: (messages) => `接着之前的 ${messages} 条消息继续。--no-store 重新开始，且不保存。`,
  noStore: (where) => `${where} 中还没有存储：第一次聊天时会创建。`,
  storeOff: "没有存储，无可查看：请去掉 --no-store，并且不要把 PROMPTSTRATA_STORE 设为 none。",
  memoryColumns: ["编号", "时间 (UTC)", "重要性", "类别", "谁", "哪里", "内容"],
  foundColumns: ["得分", "原因", "编号", "内容"],
  userColumns: ["名称", "内容", "把握", "时间 (UTC)", "哪里"],
  receiptColumns: ["时间 (UTC)", "类别", "结果", "次数", "谁", "说明"],
  workColumns: ["时间 (UTC)", "类别", "结果", "次数", "毫秒", "词元", "谁", "哪里", "说明"],
  noWork: "还没有做过后台工作。",
  deadColumns: ["类别", "谁", "会话", "次数", "错误"],
  noMemories: "还没有任何记忆。",
  nothingFound: "没有找到。",
  noMemory: (id) => `没有编号为 ${id} 的记忆。“promptstrata memory list” 会列出编号。`,
  nothingKnown: (user) => `对 ${user} 还一无所知。`,
  heldBefore: "此前：",
  forgets: (scope, rows) => `将永久删除${scope}：${rows}。`,
  sure: "删除吗？[y/N]",
  needsYes: "没有删除：无人可问。要直接删除，请加 --yes。",
  notForgotten: "没有删除。",
  nothingToForget: "没有可以删除的内容。",
  forgotten: (rows) => `已删除：${rows}。`,
  filesStay: "工作区的文件和备份不属于存储，仍然保留。",
  exported: (lines, file) => `已将 ${lines} 行写入 ${file}。`,
  imported: (rows) => `已导入：${rows}。`,
  sound: "一切正常。",
  deadJobs: "最终失败的任务：",
  failedReceipts: "最近七天失败的后台工作：",
  receiptAdvice: "timeout 或 failed 多半是模型服务器的问题；parse-error 表示读不懂模型的回答，可以换一个模型。",
  deadAdvice: "它们的对话都已保存，只是缺少之后的处理。请排除原因；新的对话不受影响。",
  backedUp: (file) => `已备份到 ${file}。`,
  noBackup: "这里只备份嵌入式存储；PostgreSQL 请用 pg_dump。",
  superseded: "已被取代",
  fields: {
    id: "编号",
    kind: "类别",
    text: "内容",
    who: "谁",
    where: "哪里",
    when: "时间",
    importance: "重要性",
    sources: "依据",
    untrusted: "不可信",
    supersededBy: "被取代",
  },
  scopes: {
    user: (user) => `用户 ${user} 的一切`,
    conversation: (conversation) => `会话 ${conversation}`,
    all: (agent) => `${agent} 保存的一切`,
  },
}

/** The words for a locale: Chinese for `zh*`, else English. */
export function storeWords(locale: string): StoreWords {
  return locale.startsWith("zh") ? zh : en
}
