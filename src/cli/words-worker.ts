/** What `worker` says. */
export interface WorkerWords {
  readonly working: (agent: string, where: string) => string
  readonly noStore: string
  readonly done: string
  readonly failed: string
  readonly draining: (seconds: number) => string
  readonly ended: (done: number, failed: number) => string
}

const en: WorkerWords = {
  working: (agent, where) =>
    `Doing the background work of ${agent} from ${where}. SIGTERM lets what runs come to its end; Ctrl-C gives it back at once.`,
  noStore:
    "A worker needs a store that others write to: set --store or PROMPTSTRATA_STORE, such as postgres://user@host/database.",
  done: "done",
  failed: "failed",
  draining: (seconds) => `Takes no more jobs and waits at most ${seconds} s for those that run.`,
  ended: (done, failed) => `Ended. Jobs done: ${done}, tries that failed: ${failed}. What is left waits for the next worker.`,
}

const zh: WorkerWords = {
  working: (agent, where) => `正在处理${agent}的后台任务，来自 ${where}。SIGTERM 会等正在运行的任务结束；Ctrl-C 立即把它们放回。`,
  noStore: "worker 需要一个有人写入的存储：请设置 --store 或 PROMPTSTRATA_STORE，例如 postgres://user@host/database。",
  done: "完成",
  failed: "失败",
  draining: (seconds) => `不再接新任务，最多等待 ${seconds} 秒让正在运行的任务结束。`,
  ended: (done, failed) => `已结束。完成任务 ${done} 个，失败 ${failed} 次。剩下的留给下一个 worker。`,
}

/** The words for a locale: Chinese for `zh*`, else English. */
export function workerWords(locale: string): WorkerWords {
  return locale.startsWith("zh") ? zh : en
}
