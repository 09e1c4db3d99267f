import { byLocale } from "./by-locale.ts"

/** The words of `worker`. */
export type WorkerWords = Readonly<typeof en>

const en = {
  working: (agent: string, store: string) =>
    `Doing background work of ${agent} from ${store}. SIGTERM waits for running jobs and ends; Ctrl-C ends at once and returns them.`,
  noStore: "A worker needs a store. Set --store or PROMPTSTRATA_STORE, for example to postgres://user@host/database.",
  done: "done",
  failed: "failed",
  draining: (seconds: number) => `Taking no more jobs. Waiting up to ${seconds} s for running jobs.`,
  ended: (done: number, failed: number) =>
    `Ended. Jobs done: ${done}, failed attempts: ${failed}. Remaining jobs wait for the next worker.`,
}

const zh: WorkerWords = {
  working: (agent, store) =>
    `正在处理${agent}的后台任务，存储：${store}。SIGTERM 会等正在运行的任务结束后退出；Ctrl-C 立即退出并放回任务。`,
  noStore: "worker 需要存储。请设置 --store 或 PROMPTSTRATA_STORE，例如 postgres://user@host/database。",
  done: "完成",
  failed: "失败",
  draining: (seconds) => `不再接新任务，最多等待 ${seconds} 秒让正在运行的任务结束。`,
  ended: (done, failed) => `已结束。完成 ${done} 个任务，失败 ${failed} 次。剩下的任务留给下一个 worker。`,
}

/** The words for a locale. */
export const workerWords = byLocale({ en, zh })
