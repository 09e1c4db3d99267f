import { expect, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { plainProfile, run } from "./run.ts"

const key = { agent: "plain", conversation: "terminal", audience: "private", user: "user" } as const
const env = { PROMPTSTRATA_STORE: "" }

test("M19 memory receipts --retry gives each turn that stands as failed a job, and says who does it", async () => {
  const data = tempFolder()
  const store = await openStore(data)
  const place = { turnId: "t1", turn: 0, untrusted: false, fromMs: 1, untilMs: 2 }
  const begun = { key, turnId: "t1", attempt: 1, startedMs: 1, durationMs: 1 }
  await store.receipts.put({ ...begun, kind: "importance", outcome: "failed", value: { unjudged: [place] } })
  await store.close()
  const retry = (...more: string[]) =>
    run(["memory", "receipts", "--retry", "--profile", plainProfile, "--store", data, ...more], { env })
  expect((await retry("--user", "ann")).stderr).toBe("There are no words that could not be judged.\n")
  expect((await retry()).stderr).toBe('Turns to be judged again: 1. The next chat or "promptstrata worker" does it.\n')
  const again = await openStore(data)
  const jobs: unknown[] = []
  for await (const line of again.export({ agent: "plain" }))
    jobs.push(...[JSON.parse(line)].filter(({ table }) => table === "job"))
  await again.close()
  expect(jobs).toMatchObject([{ job: { kind: "memory", turnId: "t1", key, payload: { ...place, again: true } } }])
})
