/** The numbers' bytes, 4 a number, the lowest first, on every machine. */
export function vectorBytes(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 4)
  const view = new DataView(bytes.buffer)
  for (const [at, value] of values.entries()) view.setFloat32(at * 4, value, true)
  return bytes
}

/** The numbers of {@link vectorBytes}. */
export function vectorValues(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float32Array.from({ length: bytes.byteLength >> 2 }, (_, at) => view.getFloat32(at * 4, true))
}
