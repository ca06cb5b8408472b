import type { ScaleReading } from '../device.ts'

/**
 * The protocols of serial scales. A reply is parsed from bytes whose top bit was removed. `unchanged`: the scale
 * reports no weight because it has not changed since the last one. `refused`: the scale does not know the request.
 */
export type ScaleReply = ScaleReading | { readonly state: 'unchanged' | 'refused' }

export interface ScaleProtocol {
  readonly request: Uint8Array
  /** First and last byte of a reply. `restarts`: the first byte never occurs inside a reply. */
  readonly start: number
  readonly end: number
  readonly restarts: boolean
  /** Returns null for bytes that are not a reply. */
  readonly parse: (content: string) => ScaleReply | null
}

const STX = 0x02
const ETX = 0x03
const LF = 0x0a
const CR = 0x0d

const bare = (state: Exclude<ScaleReading['state'], 'stable' | 'zero'>): ScaleReading => ({ state, weight: null })

function weighed(digits: string, unit: 'kg' | 'lb', isNet: boolean): ScaleReading {
  const [whole = '', fraction = ''] = digits.split('.')
  const thousandths = Number(whole) * 1_000 + Number(fraction.padEnd(3, '0'))
  return {
    state: thousandths === 0 ? 'zero' : 'stable',
    weight: { thousandths, unit, decimals: fraction.length, isNet },
  }
}

const bit = (byte: number, number: number): boolean => ((byte >> number) & 1) === 1

/**
 * Mettler Toledo 8217 (DIVA Service Manual, p. 39, 44, 45). The request `W` has no CR. Pounds have two decimals,
 * kilograms three; `N` marks a net weight. Instead of a weight that is not stable, below zero or above the capacity,
 * the scale sends `?` and a status byte. Bit 6 is always 1.
 */
function parseToledo(content: string): ScaleReply | null {
  const [, digits, net] = /^(\d{2}\.\d{3}|\d{2,3}\.\d{2})(N?)$/.exec(content) ?? []
  if (digits !== undefined) return weighed(digits, /\.\d{3}$/.test(digits) ? 'kg' : 'lb', net === 'N')
  if (content.length !== 2 || content[0] !== '?') return null
  const status = content.charCodeAt(1)
  if (!bit(status, 6)) return null
  if (bit(status, 1)) return bare('over')
  if (bit(status, 2)) return bare('under')
  if (bit(status, 3)) return bare('not-zeroed')
  // Some scales send a weight only once, and then a status without an error until the weight changes.
  return bit(status, 0) ? bare('unstable') : { state: 'unchanged' }
}

const UNITS: Readonly<Record<string, 'kg' | 'lb'>> = { KG: 'kg', LB: 'lb' }

/**
 * NCI SCP-01 and ECR (SCP-02), of Avery Berkel, Brecknell and others (DIVA Service Manual, p. 34). Fields are separated
 * by control characters, whose order varies: weight with its unit, then the status with or without an `S` before it. In
 * ECR mode the status comes alone when there is no valid weight.
 */
function parseNci(content: string): ScaleReply | null {
  // oxlint-disable-next-line no-control-regex -- the separators are control characters
  const fields = content.split(/[\u0000-\u001f]+/).filter((field) => field !== '')
  if (fields.length === 1 && fields[0] === '?') return { state: 'refused' }
  const [weight, status] = fields.length === 1 ? [null, fields[0]] : fields
  if (fields.length > 2 || status === undefined) return null
  const faults = nciStatus(status)
  if (faults === null) return null
  if (faults.state !== null) return bare(faults.state)
  if (weight == null) return null
  const marked = /^[^A-Za-z]*/.exec(weight)?.[0] ?? ''
  if (/^\^+$/.test(marked)) return bare('over')
  if (/^_+$/.test(marked)) return bare('under')
  if (/^-+$/.test(marked)) return bare('not-zeroed')
  const [, sign, digits, unitName = ''] = /^ *(-?) *(\d{1,4}\.\d{2,3}) *([A-Za-z]{2})$/.exec(weight) ?? []
  const unit = UNITS[unitName.toUpperCase()]
  if (digits === undefined || unit === undefined) return null
  return sign === '-' && Number(digits) !== 0 ? bare('under') : weighed(digits, unit, faults.isNet)
}

/**
 * Reads two to four status bytes. Byte 1: motion, at zero, RAM and EEPROM error. Byte 2: under, over, ROM and
 * calibration error. Byte 3: range, net, initial zero error. Bits 4 and 5 are 1.
 */
function nciStatus(
  field: string,
): { readonly state: 'unstable' | 'over' | 'under' | 'not-zeroed' | 'fault' | null; readonly isNet: boolean } | null {
  const bytes = [...field.replace(/^S(?=..)/, '')].map((character) => character.charCodeAt(0))
  const [first, second, third = 0x30] = bytes
  if (first === undefined || second === undefined || bytes.length > 4) return null
  if (bytes.some((byte) => (byte & 0x30) !== 0x30)) return null
  const isNet = bit(third, 2)
  if (bit(first, 2) || bit(first, 3) || bit(second, 2) || bit(second, 3)) return { state: 'fault', isNet }
  if (bit(second, 1)) return { state: 'over', isNet }
  if (bit(second, 0)) return { state: 'under', isNet }
  if (bit(third, 3)) return { state: 'not-zeroed', isNet }
  return { state: bit(first, 0) ? 'unstable' : null, isNet }
}

export const SCALE_PROTOCOLS = {
  'toledo-8217': { request: Uint8Array.of(0x57), start: STX, end: CR, restarts: true, parse: parseToledo },
  nci: { request: Uint8Array.of(0x57, CR), start: LF, end: ETX, restarts: false, parse: parseNci },
} as const satisfies Record<string, ScaleProtocol>

/** Maximum length of a reply in bytes; longer data is noise. */
const LONGEST_REPLY = 32

/** Assembles replies from chunks of bytes. Counts and discards bytes outside replies. */
export class ReplyAssembler {
  private readonly protocol: ScaleProtocol
  private readonly onReply: (content: string) => void
  private content: string | null = null
  /** Number of bytes dropped outside a reply, or in one that was too long or cut off. */
  noiseBytes = 0

  constructor(protocol: ScaleProtocol, onReply: (content: string) => void) {
    this.protocol = protocol
    this.onReply = onReply
  }

  push(bytes: Uint8Array): void {
    for (const raw of bytes) this.pushByte(raw & 0x7f)
  }

  reset(): void {
    this.noiseBytes += this.content?.length ?? 0
    this.content = null
  }

  private pushByte(byte: number): void {
    const { start, end, restarts } = this.protocol
    if (byte === start && (restarts || this.content === null)) {
      this.reset()
      this.content = ''
    } else if (this.content === null) this.noiseBytes += 1
    else if (byte === end) {
      const reply = this.content
      this.content = null
      this.onReply(reply)
    } else if (this.content.length === LONGEST_REPLY) this.reset()
    else this.content += String.fromCharCode(byte)
  }
}
