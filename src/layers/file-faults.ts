import type { Entry } from "../core/value.ts"

/** A reference of the answer before that was not opened (R8), as it was written, and why: the name of a condition in `file_faults.md`. */
export interface UnopenedFile {
  readonly written: string
  readonly fault: string
  readonly totalLines?: number
}

/** The entry that `file_faults.md` prints. */
export function fileFaultEntry({ written, fault, totalLines }: UnopenedFile): Entry {
  return {
    [fault]: true,
    file: { text: written, trust: "agent" },
    ...(totalLines === undefined ? {} : { total: { text: String(totalLines), trust: "author" } }),
  }
}
