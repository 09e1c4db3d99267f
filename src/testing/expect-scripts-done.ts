interface Script {
  assertDone(): void
}

let made: Script[] = []

/** Has the next `expectScriptsDone` check this script. */
export function expectDoneLater(script: Script): void {
  made.push(script)
}

/**
 * Throws unless every scripted model made since the last call was asked for all of its steps, and for no more. Give it
 * to the test runner once per file: `afterEach(expectScriptsDone)`. Not for tests that run concurrently in one file.
 */
export function expectScriptsDone(): void {
  const scripts = made
  made = []
  for (const script of scripts) script.assertDone()
}
