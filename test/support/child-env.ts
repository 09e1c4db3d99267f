/** Variables that a program needs to start at all: where programs, temporary files and compiled code are. */
const needed = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot", "NODE_COMPILE_CACHE"]

/**
 * The environment of a program that a test starts, with `more` of the test's own: English, in UTC, without colours. Nothing else of this
 * process's environment reaches it, such as the machine's language, time zone or keys.
 */
export function childEnv(more: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(needed.map((name) => [name, process.env[name]]))
  const env = { ...kept, LANG: "en_US.UTF-8", TZ: "UTC", NO_COLOR: "1", ...more }
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
}
