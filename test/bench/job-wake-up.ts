import { openPostgresStore } from "../../src/adapters/stores/postgres/open-postgres-store.ts"
import type { Job } from "../../src/memory/services/store/job-runner.ts"
import { startPostgres } from "../support/postgres-server.ts"

/**
 * How long after its turn was acknowledged a job begins, in another process' connections, on a PostgreSQL of its own that waits for
 * the disk. Prints p50 and p95 with NOTIFY and without. `node test/bench/job-wake-up.ts [jobs]`.
 */
const rounds = Number(process.argv[2] ?? 200)
const limitMs = 50

const server = await startPostgres({ durable: true })
try {
  const [listening, polling] = [await measure({ listen: true }), await measure({ listen: false })]
  console.log(`wake-up of ${rounds} jobs, from the acknowledged turn to the job's begin:`)
  console.log(`with NOTIFY       p50 ${at(listening, 0.5)} ms, p95 ${at(listening, 0.95)} ms (must be at most ${limitMs})`)
  console.log(`by polling (2 s)  p50 ${at(polling, 0.5)} ms, p95 ${at(polling, 0.95)} ms`)
} finally {
  await server.stop()
}

async function measure({ listen }: { readonly listen: boolean }): Promise<readonly number[]> {
  const agent = `listen ${listen}`
  const key = { agent, conversation: "c", audience: "private", user: "u" } as const
  const [web, worker] = await Promise.all([
    openPostgresStore({ url: server.url }),
    openPostgresStore({ url: server.url, jobs: { listen } }),
  ])
  let began = Promise.withResolvers<number>()
  await worker.jobs.start({ work: async () => began.resolve(performance.now()) }, { agent })
  await worker.jobs.idle()
  const waits: number[] = []
  const count = listen ? rounds : Math.min(rounds, 10)
  for (let version = 0; version < count; version++) {
    began = Promise.withResolvers<number>()
    const job: Job = { id: `${agent} ${version}`, kind: "work", key, turnId: `${version}`, atMs: 0, payload: {} }
    await web.commit(key, { expectVersion: version, append: [], state: {}, jobs: [job] })
    const acknowledged = performance.now()
    waits.push((await began.promise) - acknowledged)
  }
  await Promise.all([web.close(), worker.close()])
  return waits.sort((a, b) => a - b)
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)
}
