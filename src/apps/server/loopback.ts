/** True for an address that only programs of this computer can reach. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/iu.test(host)
}
