/**
 * Bytes of a wire for the eyes of an installer: how a message is framed, and nothing of what it says. Every digit and
 * every letter is masked, also with the parity bit that a wrongly set port leaves on them: a track holds a card number,
 * a date and a name. A letter right after `%`, `;`, `+` or `]` stays: it says the track's format, that a track failed,
 * or the symbology.
 */
export interface MaskedBytes {
  /** Two signs a byte, separated by spaces. A digit is `3#`, a masked letter `--`. */
  readonly hex: string
  /** A digit is `#`, a masked letter `a`, a control character its name in angle brackets, what is no ASCII `¤`. */
  readonly text: string
}

const SHOWN_AFTER = '%;+]'
const NAMES = [
  'NUL',
  'SOH',
  'STX',
  'ETX',
  'EOT',
  'ENQ',
  'ACK',
  'BEL',
  'BS',
  'TAB',
  'LF',
  'VT',
  'FF',
  'CR',
  'SO',
  'SI',
  'DLE',
  'DC1',
  'DC2',
  'DC3',
  'DC4',
  'NAK',
  'SYN',
  'ETB',
  'CAN',
  'EM',
  'SUB',
  'ESC',
  'FS',
  'GS',
  'RS',
  'US',
]
const DEL = 0x7f

/** One mask for one wire: it remembers the sign before, for messages arrive in pieces. */
export function createMask(): (bytes: Uint8Array) => MaskedBytes {
  let before = ''
  function one(byte: number): MaskedBytes {
    const sign = String.fromCharCode(byte & 0x7f)
    const high = byte > DEL
    const shown = !high && SHOWN_AFTER.includes(before) && before !== ''
    before = high ? '' : sign
    if (/\d/.test(sign)) return { hex: `${high ? 'b' : '3'}#`, text: '#' }
    if (/[a-z]/i.test(sign) && !shown) return { hex: '--', text: 'a' }
    const hex = byte.toString(16).padStart(2, '0')
    if (high) return { hex, text: '¤' }
    if (byte === DEL) return { hex, text: '<DEL>' }
    const name = NAMES[byte]
    return { hex, text: name === undefined ? sign : `<${name}>` }
  }
  return (bytes) => {
    const masked = Array.from(bytes, one)
    return { hex: masked.map(({ hex }) => hex).join(' '), text: masked.map(({ text }) => text).join('') }
  }
}
