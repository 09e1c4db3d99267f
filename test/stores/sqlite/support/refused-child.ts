import { PromptStrataError } from "../../../../src/core/errors.ts"
import { openStore } from "../../../../src/stores/index.ts"

/** Opens a store where none can be, and writes how that ended. */
const { folder } = JSON.parse(process.argv[2] ?? "{}") as { readonly folder: string }
console.log("opening")
await openStore(folder).then(
  () => console.log("opened"),
  (error: unknown) => console.log(`refused ${PromptStrataError.isInstance(error) ? error.code : "untyped"}`),
)
