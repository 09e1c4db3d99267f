import { spawnSync } from "node:child_process"
import { childEnv } from "./child-env.ts"
import { root } from "./source-files.ts"

/** Characters that the subject of a commit may have: more is cut off where logs are shown. */
const maxSubject = 72

/** The subjects of the commits after `since`; undefined in a clone that lacks that history, or in no clone. */
export function subjectsSince(since: string): string[] | undefined {
  const git = (...args: string[]) => spawnSync("git", args, { cwd: root, encoding: "utf8", env: childEnv() })
  if (git("merge-base", "--is-ancestor", since, "HEAD").status !== 0) return undefined
  const log = git("log", "--format=%s", `${since}..HEAD`)
  return log.status === 0 ? log.stdout.split("\n").filter(Boolean) : undefined
}

/** The subjects that are longer than {@link maxSubject}. */
export function longSubjects(subjects: readonly string[]): string[] {
  return subjects.filter((subject) => [...subject].length > maxSubject)
}
