const PATTERNS = {
  responseCode: /"responseCode"\s*:\s*(?:"\s*[^"\s]|\d)/,
  any: /"(?:responseCode|errorCode)"\s*:\s*(?:"\s*[^"\s]|\d)/,
} as const

/** Whether a body names a code that is not empty. A body that breaks off after the code counts too. */
export const namesCode = (which: keyof typeof PATTERNS, bytes: Uint8Array): boolean =>
  PATTERNS[which].test(Buffer.from(bytes).toString('latin1'))
