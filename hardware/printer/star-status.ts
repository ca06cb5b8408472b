import type { PrinterCondition, PrinterTalk } from './talk.ts'

/**
 * What a Star printer says about itself, in Line mode and in StarPRNT alike: the automatic status block, sent unasked
 * when something changes and at once when ESC ACK SOH asks for it. ETB raises a counter in that block when everything
 * sent before it was processed, so a counter that moved is what confirms a job.
 */
const ASK = Uint8Array.of(0x1b, 0x06, 0x01)
const ETB = Uint8Array.of(0x17)
const STATUS_MS = 400
/** The counter is not always told unasked: it is asked for while the job prints. */
const WATCH_MS = 150
const HEADER_MASK = 0xd1
const HEADER = 0x01
const SHORTEST = 7
/** Blocks shorter than nine bytes have no counter. */
const COUNTER_AT = 7
/** Printer, errors and paper; before them stand the header and the version. */
const CONDITION_FROM = 2

/** Bytes of the block that this header begins; null for a byte that begins none. */
function lengthOf(header: number): number | null {
  if ((header & HEADER_MASK) !== HEADER) return null
  const length = ((header & 0x20) >> 2) | ((header & 0x0e) >> 1)
  return length >= SHORTEST ? length : null
}

/** A whole block, header first. */
export function starCondition(block: readonly number[]): PrinterCondition {
  const [, , printer = 0, errors = 0, more = 0, paper = 0] = block
  const drawerSwitch = (printer & 0x04) === 0 ? 'low' : 'high'
  if ((printer & 0x20) !== 0) return { kind: 'trouble', detail: 'cover open', drawerSwitch }
  if ((paper & 0x08) !== 0) return { kind: 'trouble', detail: 'paper out', drawerSwitch }
  // Head too hot, beyond recovery, cutter, mechanism; receive buffer lost bytes.
  if ((errors & 0x6c) !== 0 || (more & 0x40) !== 0) return { kind: 'trouble', detail: 'printer error', drawerSwitch }
  if ((printer & 0x08) !== 0) return { kind: 'trouble', detail: 'printer offline', drawerSwitch }
  return { kind: 'ready', paperLow: (paper & 0x06) !== 0, drawerSwitch }
}

/** 0 to 31 and over again; null where the block has none. */
function counterOf(block: readonly number[]): number | null {
  const byte = block[COUNTER_AT]
  return byte === undefined ? null : ((byte & 0x60) >> 2) | ((byte & 0x0e) >> 1)
}

/** `owed`: ends of jobs that the printer was sent and has not reached, as far as anybody knows. */
export function createStarTalk(onNews: () => void): PrinterTalk {
  let block: number[] = []
  let known: string | null = null
  let missing = 0
  let counter: number | null = null
  let owed = 0
  const waiting = new Set<(block: readonly number[], lost: boolean) => void>()

  function next<T>(deadlineMs: number, take: (block: readonly number[], lost: boolean) => T | null): Promise<T | null> {
    return new Promise((resolve) => {
      const settle = (value: T | null): void => {
        clearTimeout(timer)
        waiting.delete(listen)
        resolve(value)
      }
      const listen = (whole: readonly number[], lost: boolean): void => {
        const value = take(whole, lost)
        if (value !== null) settle(value)
      }
      const timer = setTimeout(() => { settle(null) }, deadlineMs)
      waiting.add(listen)
    })
  }

  /** True when the counter fell back: the printer was switched off, and what it still owed is lost. */
  function count(now: number | null): boolean {
    const moved = now === null || counter === null ? 0 : (now - counter + 32) % 32
    counter = now
    const lost = moved > owed && owed > 0
    owed = Math.max(0, owed - moved)
    return lost
  }

  return {
    // A Star printer is set up to report, or does not; there is no command that all of them know.
    reportChanges: null,
    watchMs: WATCH_MS,
    begin() {
      missing = 0
      known = null
    },
    push(bytes) {
      for (const byte of bytes) {
        if (missing === 0) {
          const length = lengthOf(byte)
          if (length === null) continue
          block = []
          missing = length
        }
        block.push(byte)
        missing -= 1
        if (missing > 0) continue
        const lost = count(counterOf(block))
        const before = known
        known = block.slice(CONDITION_FROM, COUNTER_AT).join()
        if (waiting.size === 0 && before !== known) onNews()
        for (const listen of waiting) listen(block, lost)
      }
    },
    async ask(write) {
      const answer = next(STATUS_MS, (said) => starCondition(said))
      await write(ASK, STATUS_MS)
      return (await answer) ?? { kind: 'silent' }
    },
    async finish(write, deadlineMs) {
      // The end of an earlier job, printed late, is not the end of this one: every end that is owed must be reached.
      owed += 1
      const reached = next(deadlineMs, (said, lost) => (lost ? 'lost' as const : owed === 0 && counterOf(said) !== null ? 'worked-through' as const : null))
      await write(ETB, deadlineMs)
      const outcome = await reached
      if (outcome === 'worked-through') return outcome
      // A printer that is well and does not count will not begin to.
      if (outcome === null && block.length > 0 && starCondition(block).kind === 'ready') owed = 0
      return null
    },
  }
}
