import { openPostgresStore } from "../../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import { applyEffects } from "../../turn-effects.ts"

/** Does the jobs of an agent until it is killed. It does some jobs twice and fails some after their effects. */
const { url, agent } = JSON.parse(process.argv[2] ?? "{}") as { readonly url: string; readonly agent: string }

const store = await openPostgresStore({
  url,
  maxConnections: 5,
  onWarning: () => undefined,
  jobs: { waitMs: 0, pollMs: 500, superviseSeconds: 1, timeoutMs: 2_000, maxAttempts: 1_000 },
})
let done = 0
await store.jobs.start(
  {
    async work(job, { attempt }) {
      done += 1
      console.log(`begin ${job.id}`)
      await applyEffects(store, job)
      if (done % 5 === 0) await applyEffects(store, job)
      if (done % 7 === 0 && attempt === 1) throw new Error("It failed after its work was done.")
    },
  },
  { agent },
)
console.log("ready")
