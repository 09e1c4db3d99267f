import { openSqliteStore } from "../../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { applyEffects } from "../../turn-effects.ts"
import { agent } from "./turns.ts"

/** Does jobs until it is killed. It does some twice, fails some after their effects, and writes a line when each begins. */
const { file } = JSON.parse(process.argv[2] ?? "{}") as { readonly file: string }
const store = await openSqliteStore(file, {
  leaseMs: 300,
  pollMs: 20,
  jobs: { waitMs: 1, maxWaitMs: 2, maxAttempts: 1_000 },
  onWarning: () => undefined,
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
// Keeps the process alive until it is killed.
setInterval(() => undefined, 60_000)
