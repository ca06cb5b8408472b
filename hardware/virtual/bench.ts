import type { Scenario, OneTimeScenario, VirtualRole } from '../../contracts/operations/training.ts'
import type { ByteConnection, PrinterConnection, PrinterLanguage } from '../../contracts/core/profile.ts'
import { openFarEnd, type FarEnd } from './far-end.ts'
import { CHATTER, HALF_A_SCAN, HALF_A_SWIPE, identified, NOISE, track2Swipe, UNREADABLE_SWIPE } from './messages.ts'
import { openVirtualLineDisplay } from './virtual-line-display.ts'
import { openVirtualPrinter } from './virtual-printer.ts'

export interface VirtualBenchOptions {
  /** Where each paper that the virtual printer cuts goes, as NNNN.txt. Made when it is not there. */
  readonly paperFolder: string
  /** What the virtual printer speaks. ESC/POS unless said otherwise. */
  readonly printerLanguage?: PrinterLanguage
  /** Something of `state`, `documents` or `display` is another than before. */
  readonly onChange?: () => void
}

/** How the far ends are at this moment. */
export interface BenchState {
  readonly plugged: Readonly<Record<VirtualRole, boolean>>
  readonly printer: {
    readonly paper: 'ok' | 'out'
    readonly cover: 'open' | 'closed'
    readonly drawer: 'open' | 'closed'
    readonly drawerHeld: boolean
    readonly answers: boolean
  }
  /** What waits for the next job. */
  readonly waiting: readonly OneTimeScenario[]
}

/**
 * The far ends of virtual wires, for training mode and tests. The drivers on the near end are the production drivers.
 */
export interface VirtualBench {
  /** To put in the place of `{ kind: 'virtual' }` in the profile. */
  readonly connections: {
    readonly cardReader: ByteConnection
    readonly scanner: ByteConnection
    readonly printer: PrinterConnection
    readonly lineDisplay: ByteConnection
  }
  /** Sends the track-2 bytes of this number over the virtual reader's wire. */
  swipe(cardNumber: string): void
  /** Sends the code with its AIM identifier and suffix over the virtual scanner's wire. */
  scan(code: string): void
  play(scenario: Scenario): Promise<void>
  readonly state: BenchState
  /** Sends these very bytes from the far end of a wire. */
  send(wire: 'card-reader' | 'scanner', bytes: Uint8Array): void
  /** Documents that were cut since the bench was opened, oldest first, as text. */
  readonly documents: readonly string[]
  /** The next paper that is cut and written to its file. */
  nextPaper(): Promise<string>
  readonly drawerKicks: number
  /** What the customer's line display shows: twenty characters a line. */
  readonly display: readonly [string, string]
  /** Resolves when the display shows a text that holds this. */
  displayed(text: string): Promise<readonly [string, string]>
  close(): Promise<void>
}

/** Which far end plays a scenario. */
export const ONE_TIME_SCENARIOS = {
  'paper-out-during-job': 'printer',
  'cover-open-during-job': 'printer',
  'printer-unplugged-during-job': 'printer',
  'card-reader-unplugged-during-swipe': 'card-reader',
  'swipe-unreadable': 'card-reader',
  'card-reader-noise': 'card-reader',
  'scanner-unplugged-during-scan': 'scanner',
  'scanner-chatters': 'scanner',
} as const satisfies Record<OneTimeScenario, VirtualRole>

/** Lines that still come out before paper or cover stops a job. */
const LINES_BEFORE_STOP = 2
/** Past the three questions for status (nine bytes), and into the job. */
const BYTES_BEFORE_BREAK = 60

/**
 * Virtual far ends on loopback for the production drivers: a card reader, a scanner, a printer with a drawer, a line
 * display.
 */
export async function openVirtualBench({
  paperFolder,
  printerLanguage = 'esc-pos',
  onChange,
}: VirtualBenchOptions): Promise<VirtualBench> {
  let waiting: ((paper: string) => void)[] = []
  let closed = false
  let telling = false
  /** Once for all that changes in one go. */
  function changed(): void {
    if (telling || closed) return
    telling = true
    setImmediate(() => {
      telling = false
      if (!closed) onChange?.()
    })
  }

  const printer = await openVirtualPrinter({
    paperFolder,
    language: printerLanguage,
    onChange: changed,
    onCut(paper) {
      const waiters = waiting
      waiting = []
      for (const notify of waiters) notify(paper)
      changed()
    },
  })
  const [cardReader, scanner, display] = await Promise.all([
    openFarEnd(),
    openFarEnd(),
    openVirtualLineDisplay(changed),
  ])
  const ends = {
    'card-reader': cardReader,
    scanner,
    printer: printer.farEnd,
    'line-display': display.farEnd,
  } as const satisfies Record<VirtualRole, FarEnd>

  async function allWell(): Promise<void> {
    await Promise.all(Object.values(ends).map((end) => end.plug()))
    Object.assign(printer, {
      paper: 'ok',
      coverOpen: false,
      drawerOpen: false,
      drawerHeld: false,
      answers: true,
      identifies: true,
      fault: null,
      stopsAfter: null,
      breakAfterBytes: null,
    })
  }

  async function play(scenario: Scenario): Promise<void> {
    switch (scenario) {
      case 'paper-out':
        printer.paper = 'out'
        break
      case 'paper-ok':
        printer.paper = 'ok'
        break
      case 'cover-open':
        printer.coverOpen = true
        break
      case 'cover-closed':
        printer.coverOpen = false
        break
      case 'printer-off':
        await ends.printer.unplug()
        break
      case 'printer-on':
        await ends.printer.plug()
        break
      case 'printer-silent':
        printer.answers = false
        break
      case 'printer-talks':
        printer.answers = true
        break
      case 'paper-out-during-job':
        printer.stopsAfter = { lines: LINES_BEFORE_STOP, why: 'paper-out' }
        break
      case 'cover-open-during-job':
        printer.stopsAfter = { lines: LINES_BEFORE_STOP, why: 'cover-open' }
        break
      case 'printer-unplugged-during-job':
        printer.breakAfterBytes = BYTES_BEFORE_BREAK
        break
      case 'drawer-open':
        printer.drawerOpen = true
        break
      case 'drawer-closed':
        printer.drawerOpen = false
        break
      case 'drawer-held':
        printer.drawerHeld = true
        break
      case 'drawer-free':
        printer.drawerHeld = false
        break
      case 'line-display-unplugged':
        await ends['line-display'].unplug()
        break
      case 'line-display-plugged':
        await ends['line-display'].plug()
        break
      case 'card-reader-unplugged':
        await cardReader.unplug()
        break
      case 'card-reader-plugged':
        await cardReader.plug()
        break
      case 'scanner-unplugged':
        await scanner.unplug()
        break
      case 'scanner-plugged':
        await scanner.plug()
        break
      case 'swipe-unreadable':
        cardReader.send(UNREADABLE_SWIPE)
        break
      case 'card-reader-noise':
        cardReader.send(NOISE)
        break
      case 'card-reader-unplugged-during-swipe':
        cardReader.send(HALF_A_SWIPE)
        await cardReader.unplug()
        break
      case 'scanner-unplugged-during-scan':
        scanner.send(HALF_A_SCAN)
        await scanner.unplug()
        break
      case 'scanner-chatters':
        scanner.send(CHATTER)
        break
      case 'all-well':
        await allWell()
        break
    }
    changed()
  }

  function oneTimeWaiting(): OneTimeScenario[] {
    return [
      ...(printer.stopsAfter === null ? [] : [`${printer.stopsAfter.why}-during-job` as const]),
      ...(printer.breakAfterBytes === null ? [] : ['printer-unplugged-during-job' as const]),
    ]
  }

  return {
    connections: {
      cardReader: cardReader.connection,
      scanner: scanner.connection,
      printer: printer.farEnd.connection,
      lineDisplay: display.farEnd.connection,
    },
    swipe(cardNumber) {
      cardReader.send(Buffer.from(track2Swipe(cardNumber), 'latin1'))
    },
    scan(code) {
      scanner.send(Buffer.from(identified(code), 'latin1'))
    },
    play,
    get state(): BenchState {
      return {
        plugged: {
          'card-reader': cardReader.plugged,
          scanner: scanner.plugged,
          printer: printer.farEnd.plugged,
          'line-display': display.farEnd.plugged,
        },
        printer: {
          paper: printer.paper,
          cover: printer.coverOpen ? 'open' : 'closed',
          drawer: printer.drawerOpen ? 'open' : 'closed',
          drawerHeld: printer.drawerHeld,
          answers: printer.answers,
        },
        waiting: oneTimeWaiting(),
      }
    },
    send(wire, bytes) {
      ends[wire].send(bytes)
    },
    get documents() {
      return printer.roll.cut
    },
    nextPaper: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
      }),
    get drawerKicks() {
      return printer.drawerKicks
    },
    get display() {
      return display.lines
    },
    displayed: (text) => display.until(text),
    async close() {
      closed = true
      await Promise.all(Object.values(ends).map((end) => end.unplug()))
      await printer.roll.written().catch(() => undefined)
    },
  }
}
