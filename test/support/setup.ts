import fc from "fast-check"
import { expectScriptsDone } from "../../src/testing/scripted-model.ts"

// Test files share loaded modules: scripted models that the file before this one left unasked are none of this file's.
try {
  expectScriptsDone()
} catch {
  // That file does not ask for its scripts to be done.
}

// Drawn cases are the same in every run, so that no run fails by chance; soak runs draw others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED || 1) })
