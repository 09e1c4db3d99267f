import type { AuthoredFileErrors, BudgetErrors } from "./authored-files.ts"
import type { ExtensionErrors, UsageErrors } from "./calls.ts"
import type { FileErrors } from "./files.ts"
import type { StoreErrors } from "./stores.ts"
import type { ModelErrors, ToolErrors, TurnErrors } from "./turns.ts"

/**
 * The fields of `error.evidence` for each `error.code`. A field that is not optional is always there.
 *
 * docs/errors.md is generated from the comments in these interfaces. The comment of a code says when it is thrown; its `@remarks`
 * say what to do.
 */
export interface ErrorEvidence
  extends AuthoredFileErrors,
    BudgetErrors,
    ToolErrors,
    ModelErrors,
    TurnErrors,
    StoreErrors,
    FileErrors,
    ExtensionErrors,
    UsageErrors {}
