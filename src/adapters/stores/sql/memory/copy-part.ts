import { bytesChecksum, damagedRow } from "../row-body.ts"
import type { Tables } from "../sql-tables.ts"

/** The bytes of a part. Throws `store` with the row's name if it has another checksum. */
export function readCopyPart(
  row: Pick<Tables["index_copies"], "agent" | "scope" | "copy" | "part" | "checksum" | "bytes">,
): Uint8Array {
  const { bytes, checksum, ...columns } = row
  if (bytesChecksum(bytes) !== checksum) throw damagedRow({ table: "index_copies", columns }, "bytes with another checksum")
  return bytes
}
