/** A PNG of which only the header is real: enough for everything that does not decode it. `fill` makes its bytes others. */
export function png(width: number, height: number, { bytes = 64, fill = 0 } = {}): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(Math.max(33, bytes)).fill(fill)
  made.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  const view = new DataView(made.buffer)
  view.setUint32(16, width)
  view.setUint32(20, height)
  return made
}
