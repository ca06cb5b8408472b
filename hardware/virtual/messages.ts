/** Returns the longitudinal redundancy character of track 2: the XOR of its 4-bit values (ISO/IEC 7811-2). */
function track2Lrc(track: string): string {
  let value = 0
  for (const character of track) value ^= character.charCodeAt(0) & 0x0f
  return String.fromCharCode(0x30 + value)
}

/**
 * Builds track 2 of a card with this number: expiry, service code, zeros; LRC and CR as an RS-232 reader sends them.
 * Throws a RangeError unless the number has 8 to 19 digits.
 */
export function track2Swipe(cardNumber: string): string {
  if (!/^\d{8,19}$/.test(cardNumber)) throw new RangeError('a card number has 8 to 19 digits')
  const track = `;${cardNumber}=4912101${'0'.repeat(8)}?`
  return `${track}${track2Lrc(track)}\r`
}

/**
 * Builds a code as a scanner sends it, with its symbology identifier and CR. A code with an identifier, and track data,
 * get only the CR.
 */
export function identified(code: string): string {
  if (code.startsWith(']') || code.startsWith(';') || code.startsWith('%')) return `${code}\r`
  if (/^\d{13}$/.test(code)) return `]E0${code}\r`
  if (/^\d{12}$/.test(code)) return `]E00${code}\r`
  if (/^\d{8}$/.test(code)) return `]E4${code}\r`
  return `]C0${code}\r`
}

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')
export const UNREADABLE_SWIPE = latin1('%E?;E?\r')
export const NOISE = latin1('\x00\x7fxq\x93\xfe\x80~~')
export const HALF_A_SWIPE = latin1(';80000000011=49')
export const HALF_A_SCAN = latin1(']E0062845')
export const CHATTER = latin1('\x00\x7fxq\x93\xfe\x80~'.repeat(512))
