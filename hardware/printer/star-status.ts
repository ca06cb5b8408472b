import type { PrinterLanguage } from '../../contracts/core/profile.ts'
import type { PrinterIdentity } from '../device.ts'
import {
  ANSWER_MS,
  LONGEST_IDENTITY,
  type PrinterCondition,
  type PrinterProtocol,
  type PrinterTrouble,
  type Write,
  createAnswer,
  identityOf,
  identityText,
} from './protocol.ts'

/**
 * Status of a Star printer in Line mode and StarPRNT: the automatic status block, sent unsolicited after a change and
 * immediately as the answer to ESC ACK SOH. ETB increments a counter in that block when everything sent before it was
 * printed, so that the counter confirms a job. The bits: STAR Line Mode Command Specifications (HSP7000, Rev. 0.00),
 * appendix 2, pages 5-7 to 5-11, and the TSP700 programmer's manual, pages 41 to 44. The printer commands: STAR Line
 * Mode Command Specifications, pages 3-54 (ETB), 3-72 (ESC RS E) and 3-87 (ESC # *).
 */
type StarLanguage = Extract<PrinterLanguage, `star-${string}`>

const ESC = 0x1b
const REQUEST_STATUS = Uint8Array.of(ESC, 0x06, 0x01)
const ETB = Uint8Array.of(0x17)
/** Requests model and version: ESC # * LF NUL, answered as ESC # * , text LF NUL. */
const REQUEST_VERSION = Uint8Array.of(ESC, 0x23, 0x2a, 0x0a, 0x00)
/** Requests the serial number: ESC GS ) I 1 0 49 (StarPRNT only); the answer begins with the same bytes. */
const REQUEST_SERIAL_NUMBER = Uint8Array.of(ESC, 0x1d, 0x29, 0x49, 1, 0, 49)
const TEXT_BEGINS = new Set([0x23, 0x1d])
/**
 * Interval of polls while the job prints, in ms: the counter is sent unsolicited only if automatic status is enabled.
 */
const WATCH_MS = 150
/** Masks of a block's bytes: bit 4 is 0 in every byte; bit 0 is 1 only in the first byte. */
const NOT_OF_A_BLOCK = 0x10
const BEGINS_A_BLOCK = 0x01
const SHORTEST = 7
/** Index of the counter in a block; shorter blocks do not contain it. */
const COUNTER_AT = 7
const CONDITION_FROM = 2
/** Bit that is set when an ETB was executed and cleared when the counter was sent. It is not a status change. */
const ETB_DONE = 0x02

/**
 * Returns the length of the block that begins with this byte (7 to 15, in bits 1 to 3 and 5); null if no block begins
 * with it.
 */
function lengthOf(header: number): number | null {
  const length = ((header & 0x20) >> 2) | ((header & 0x0e) >> 1)
  return (header & 0xc0) === 0 && length >= SHORTEST ? length : null
}

export function starCondition(block: readonly number[]): PrinterCondition {
  const [, , printer = 0, errors = 0, more = 0, paper = 0] = block
  const drawerSwitch = (printer & 0x04) === 0 ? 'low' : 'high'
  const trouble = (detail: PrinterTrouble): PrinterCondition => ({ kind: 'trouble', detail, drawerSwitch })
  if ((printer & 0x20) !== 0) return trouble('cover open')
  if ((paper & 0x08) !== 0) return trouble('paper out')
  if ((errors & 0x08) !== 0) return trouble('cutter error')
  if ((errors & 0x40) !== 0) return trouble('print head too hot')
  // Bits of faults: unrecoverable or mechanical error; receive buffer overflow, black mark, paper jam, head up.
  if ((errors & 0x24) !== 0 || (more & 0x4e) !== 0) return trouble('printer error')
  if ((printer & 0x08) !== 0) return trouble('printer offline')
  return { kind: 'ready', paperLow: (paper & 0x06) !== 0, drawerSwitch }
}

const conditionBytes = (block: readonly number[]): string =>
  block
    .slice(CONDITION_FROM, COUNTER_AT)
    .map((byte, index) => (index === 0 ? byte & ~ETB_DONE : byte))
    .join()

const startsAs = (bytes: readonly number[], beginning: Uint8Array): boolean =>
  beginning.every((byte, index) => bytes[index] === byte)

/** Counter of ended jobs, which wraps from 31 to 0; null for a block without one. */
function counterOf(block: readonly number[]): number | null {
  const byte = block[COUNTER_AT]
  return byte === undefined ? null : ((byte & 0x60) >> 2) | ((byte & 0x0e) >> 1)
}

export class StarProtocol implements PrinterProtocol {
  private readonly onChange: () => void
  private readonly language: StarLanguage
  private block: number[] = []
  private latest: readonly number[] = []
  private known: string | null = null
  private missing = 0
  private counter: number | null = null
  private unanswered = 0
  private text: number[] | null = null
  private readonly version = createAnswer<string>()
  private readonly serialNumber = createAnswer<string>()
  private readonly waiting = new Set<(block: readonly number[], lost: boolean) => void>()
  // Star printers are configured to report or not, and ESC ACK SOH must not be used once they do (STAR Line Mode
  // Command Specifications, page 5-11, note 4).
  readonly reportChanges = null
  readonly watchMs = WATCH_MS

  constructor(onChange: () => void, language: StarLanguage) {
    this.onChange = onChange
    this.language = language
  }

  private next<T>(deadlineMs: number, take: (block: readonly number[], lost: boolean) => T | null): Promise<T | null> {
    return new Promise((resolve) => {
      const finish = (value: T | null): void => {
        clearTimeout(timer)
        this.waiting.delete(listen)
        resolve(value)
      }
      const listen = (whole: readonly number[], lost: boolean): void => {
        const value = take(whole, lost)
        if (value !== null) finish(value)
      }
      const timer = setTimeout(() => {
        finish(null)
      }, deadlineMs)
      this.waiting.add(listen)
    })
  }

  /**
   * Counts ended jobs. Returns true if the counter moved by more than the number of unconfirmed jobs: the printer was
   * switched off, which resets the counter, and these jobs are lost.
   */
  private count(now: number | null): boolean {
    const moved = now === null || this.counter === null ? 0 : (now - this.counter + 32) % 32
    this.counter = now
    const lost = moved > this.unanswered && this.unanswered > 0
    this.unanswered = Math.max(0, this.unanswered - moved)
    return lost
  }

  /**
   * Adds a byte to a text answer. Returns false if no text answer is in progress. Without this check, text would be
   * read as status blocks: # can begin one.
   */
  private isText(byte: number): boolean {
    if (this.text === null) {
      if (byte !== ESC) return false
      this.text = [byte]
      this.missing = 0
      return true
    }
    if (this.text.length === 1 && !TEXT_BEGINS.has(byte)) {
      this.text = null
      return false
    }
    const whole = this.text
    this.text.push(byte)
    const ends = byte === 0 && whole.at(-2) === 0x0a
    if (ends || whole.length > LONGEST_IDENTITY) this.text = null
    if (!ends) return true
    if (startsAs(whole, REQUEST_VERSION.subarray(0, 3)))
      this.version.receive(identityText(whole.slice(3)).replace(/^,\s*/, ''))
    if (startsAs(whole, REQUEST_SERIAL_NUMBER.subarray(0, 4)))
      this.serialNumber.receive(/PrSrN=(\w+)/.exec(identityText(whole))?.[1] ?? '')
    return true
  }

  private onBlock(whole: readonly number[]): void {
    this.latest = whole
    const lost = this.count(counterOf(whole))
    const before = this.known
    this.known = conditionBytes(whole)
    if (this.waiting.size === 0 && before !== this.known) this.onChange()
    for (const listen of this.waiting) listen(whole, lost)
  }

  begin(): void {
    this.missing = 0
    this.known = null
    this.text = null
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      // The flow control bytes XON and XOFF may appear anywhere.
      if (this.isText(byte) || (byte & NOT_OF_A_BLOCK) !== 0) continue
      if ((byte & BEGINS_A_BLOCK) !== 0) {
        // A new block may begin before the end of the last one, whose remaining bytes were lost.
        this.block = []
        this.missing = lengthOf(byte) ?? 0
      }
      if (this.missing === 0) continue
      this.block.push(byte)
      this.missing -= 1
      if (this.missing === 0) this.onBlock(this.block)
    }
  }

  async ask(write: Write): Promise<PrinterCondition> {
    const answer = this.next(ANSWER_MS, (block) => starCondition(block))
    await write(REQUEST_STATUS, ANSWER_MS)
    return (await answer) ?? { kind: 'silent' }
  }

  async identify(write: Write): Promise<PrinterIdentity | null> {
    const identity = new Map<keyof PrinterIdentity, string>()
    const model = this.version.next(ANSWER_MS)
    await write(REQUEST_VERSION, ANSWER_MS)
    const text = await model
    if (text === null) return null
    // Splits a Star identity such as "TSP743II Ver3.0"; text without a version is all model.
    const match = /^(.*?)\s*Ver\.?\s*(.+)$/.exec(text)
    identity.set('modelName', match?.[1] ?? text)
    if (match?.[2] !== undefined) identity.set('firmwareRevision', match[2])
    if (this.language === 'star-prnt') {
      const number = this.serialNumber.next(ANSWER_MS)
      await write(REQUEST_SERIAL_NUMBER, ANSWER_MS)
      identity.set('serialNumber', (await number) ?? '')
    }
    return identityOf(identity)
  }

  async finish(write: Write, deadlineMs: number): Promise<'worked-through' | 'paper-out' | null> {
    // All unconfirmed ends are awaited: otherwise the late end of an earlier job would confirm this one.
    this.unanswered += 1
    const reached = this.next(deadlineMs, (block, lost) =>
      lost
        ? ('lost' as const)
        : this.unanswered === 0 && counterOf(block) !== null
          ? ('worked-through' as const)
          : null,
    )
    await write(ETB, deadlineMs)
    const outcome = await reached
    if (outcome === 'worked-through') return outcome
    // A printer that works and has not counted does not support counting, so nothing is awaited from it.
    if (outcome === null && this.latest.length > 0 && starCondition(this.latest).kind === 'ready') this.unanswered = 0
    return null
  }
}
