import { createHash } from "node:crypto"

/** A UUID for any job id: the same one for the same id, as pg-boss takes nothing else. */
export function jobUuid(id: string): string {
  const hex = createHash("sha256").update(JSON.stringify(id)).digest("hex")
  // Version 8, variant 10: a UUID whose bits are its maker's own.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
