import type { SessionStore } from "../../../memory/services/store/session-store.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { asideRules, branchRules } from "./branch-rules.ts"
import { blobRules, indexCopyRules, userRules } from "./data-rules.ts"
import { exportRules, forgetRules } from "./export-forget-rules.ts"
import { forgetMemoryRules } from "./forget-memory-rules.ts"
import { type JobStore, jobRules, wakeRules } from "./job-rules.ts"
import { memoryRules, visibilityRules } from "./memory-rules.ts"
import { type OpenedService, runRules, type ServiceCheck, type ServiceConformanceOptions } from "./samples.ts"
import { appendRules, noteRules, sessionRules } from "./session-rules.ts"

const allSessionRules = { ...sessionRules, ...appendRules, ...branchRules, ...noteRules }

/**
 * The rules of a {@link Store}: sessions, memories and who sees them, users, receipts, jobs, export, import, forgetting. They are checks
 * for any test runner: `for (const { name, run } of storeConformance(open)) test(name, run)`. Each check opens the store and uses an agent
 * of its own, so all may share one database. Open it with few attempts for each job and short waits between them.
 */
export function storeConformance(
  open: () => Promise<OpenedService<Store>>,
  options: ServiceConformanceOptions = {},
): readonly ServiceCheck[] {
  const rules = { ...memoryRules, ...visibilityRules, ...indexCopyRules, ...userRules, ...exportRules, ...blobRules }
  const forgetting = { ...forgetRules, ...forgetMemoryRules, ...asideRules }
  return [
    ...runRules<SessionStore>("store sessions", allSessionRules, open, options),
    ...runRules<Store>("store", { ...rules, ...forgetting }, open, options),
    ...runRules<JobStore>("store jobs", jobRules, open, options),
    ...runRules<Store>("wakes", wakeRules, open, options),
  ]
}
