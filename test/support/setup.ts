import fc from "fast-check"
import { expectScriptsDone } from "../../src/testing/scripted-model.ts"

// Test files share loaded modules: scripted models that the file before this one left unasked are none of this file's.
try {
  expectScriptsDone()
} catch {
  // That file does not ask for its scripts to be done.
}

if (process.env.TEST_SEED) fc.configureGlobal({ seed: Number(process.env.TEST_SEED) })
