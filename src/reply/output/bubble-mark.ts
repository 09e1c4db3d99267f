/** Ends a bubble (R9). */
export const bubbleMark = "@br"

/** True for a UTF-16 unit of an ASCII word: a mark it touches is none, as in `foo@bridge.com` (R9). */
export function isWordUnit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f || (unit >= 0x61 && unit <= 0x7a)
}
