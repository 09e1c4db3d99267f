import { openStore } from "../../../../../src/adapters/stores/index.ts"
import { PromptStrataError } from "../../../../../src/core/errors.ts"

/** Opens a store in a folder where that fails, and writes the result. */
const { folder } = JSON.parse(process.argv[2] ?? "{}") as { readonly folder: string }
console.log("opening")
await openStore(folder).then(
  () => console.log("opened"),
  (error: unknown) => console.log(`refused ${PromptStrataError.isInstance(error) ? error.code : "untyped"}`),
)
