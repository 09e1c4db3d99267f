/** A vector as text: 32-bit floats, little-endian, in base64. */
export function vectorToText(values: Float32Array): string {
  const bytes = new Uint8Array(values.length * 4)
  const view = new DataView(bytes.buffer)
  for (const [at, value] of values.entries()) view.setFloat32(at * 4, value, true)
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The vector that {@link vectorToText} wrote, bit for bit. */
export function vectorFromText(text: string): Float32Array {
  const binary = atob(text)
  const view = new DataView(new ArrayBuffer(binary.length))
  for (let at = 0; at < binary.length; at++) view.setUint8(at, binary.charCodeAt(at))
  return Float32Array.from({ length: Math.floor(binary.length / 4) }, (_, at) => view.getFloat32(at * 4, true))
}
