/**
 * The key that seals collector numbers, when the shell hands it over from the operating system's key store: base64 in
 * MILEPOST_SEAL_KEY. Null when there is none; the data folder then keeps its own. Its length is checked where the
 * folder is claimed.
 */
export function readSealKey(environment: NodeJS.ProcessEnv): Uint8Array | null {
  const given = environment['MILEPOST_SEAL_KEY']
  return given ? Buffer.from(given, 'base64') : null
}
