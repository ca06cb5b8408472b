import type { Scenario, OneTimeScenario, VirtualRole } from '../../contracts/operations/training.ts'
import type { ByteConnection, PrinterConnection, PrinterLanguage } from '../../contracts/core/profile.ts'
import { openFarEnd, type FarEnd } from './far-end.ts'
import { CHATTER, HALF_A_SCAN, HALF_A_SWIPE, identified, NOISE, track2Swipe, UNREADABLE_SWIPE } from './messages.ts'
import { type VirtualLineDisplay, openVirtualLineDisplay } from './virtual-line-display.ts'
import { type VirtualPrinter, openVirtualPrinter } from './virtual-printer.ts'

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

interface Ends {
  readonly cardReader: FarEnd
  readonly scanner: FarEnd
  readonly printer: VirtualPrinter
  readonly display: VirtualLineDisplay
}

const ALL_WELL = {
  paper: 'ok',
  coverOpen: false,
  drawerOpen: false,
  drawerHeld: false,
  answers: true,
  identifies: true,
  fault: null,
  stopsAfter: null,
  breakAfterBytes: null,
} as const

/** What happens at the far ends in each scenario. */
const PLAYS: Readonly<Record<Scenario, (ends: Ends) => unknown>> = {
  'paper-out': ({ printer }) => (printer.paper = 'out'),
  'paper-ok': ({ printer }) => (printer.paper = 'ok'),
  'cover-open': ({ printer }) => (printer.coverOpen = true),
  'cover-closed': ({ printer }) => (printer.coverOpen = false),
  'printer-off': ({ printer }) => printer.farEnd.unplug(),
  'printer-on': ({ printer }) => printer.farEnd.plug(),
  'printer-silent': ({ printer }) => (printer.answers = false),
  'printer-talks': ({ printer }) => (printer.answers = true),
  'paper-out-during-job': ({ printer }) => (printer.stopsAfter = { lines: LINES_BEFORE_STOP, why: 'paper-out' }),
  'cover-open-during-job': ({ printer }) => (printer.stopsAfter = { lines: LINES_BEFORE_STOP, why: 'cover-open' }),
  'printer-unplugged-during-job': ({ printer }) => (printer.breakAfterBytes = BYTES_BEFORE_BREAK),
  'drawer-open': ({ printer }) => (printer.drawerOpen = true),
  'drawer-closed': ({ printer }) => (printer.drawerOpen = false),
  'drawer-held': ({ printer }) => (printer.drawerHeld = true),
  'drawer-free': ({ printer }) => (printer.drawerHeld = false),
  'line-display-unplugged': ({ display }) => display.farEnd.unplug(),
  'line-display-plugged': ({ display }) => display.farEnd.plug(),
  'card-reader-unplugged': ({ cardReader }) => cardReader.unplug(),
  'card-reader-plugged': ({ cardReader }) => cardReader.plug(),
  'scanner-unplugged': ({ scanner }) => scanner.unplug(),
  'scanner-plugged': ({ scanner }) => scanner.plug(),
  'swipe-unreadable': ({ cardReader }) => cardReader.send(UNREADABLE_SWIPE),
  'card-reader-noise': ({ cardReader }) => cardReader.send(NOISE),
  'card-reader-unplugged-during-swipe': ({ cardReader }) => {
    cardReader.send(HALF_A_SWIPE)
    return cardReader.unplug()
  },
  'scanner-unplugged-during-scan': ({ scanner }) => {
    scanner.send(HALF_A_SCAN)
    return scanner.unplug()
  },
  'scanner-chatters': ({ scanner }) => scanner.send(CHATTER),
  'all-well': async (ends) => {
    await Promise.all(wiresOf(ends).map((end) => end.plug()))
    Object.assign(ends.printer, ALL_WELL)
  },
}

const wiresOf = ({ cardReader, scanner, printer, display }: Ends): FarEnd[] => [
  cardReader,
  scanner,
  printer.farEnd,
  display.farEnd,
]

/** Who hears that something changed, or that a paper came out. */
class BenchNews {
  isClosed = false
  private isTelling = false
  private waiting: ((paper: string) => void)[] = []
  private readonly onChange: () => void

  constructor(onChange: () => void) {
    this.onChange = onChange
  }

  /** Once for all that changes in one go. */
  changed(): void {
    if (this.isTelling || this.isClosed) return
    this.isTelling = true
    setImmediate(() => {
      this.isTelling = false
      if (!this.isClosed) this.onChange()
    })
  }

  cut(paper: string): void {
    const waiters = this.waiting
    this.waiting = []
    for (const notify of waiters) notify(paper)
    this.changed()
  }

  nextPaper(): Promise<string> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
    })
  }
}

/**
 * The far ends of virtual wires, for training mode and tests. The drivers on the near end are the production drivers.
 */
export class VirtualBench {
  private readonly ends: Ends
  private readonly news: BenchNews

  constructor(ends: Ends, news: BenchNews) {
    this.ends = ends
    this.news = news
  }

  /** To put in the place of `{ kind: 'virtual' }` in the profile. */
  get connections(): {
    readonly cardReader: ByteConnection
    readonly scanner: ByteConnection
    readonly printer: PrinterConnection
    readonly lineDisplay: ByteConnection
  } {
    const { cardReader, scanner, printer, display } = this.ends
    return {
      cardReader: cardReader.connection,
      scanner: scanner.connection,
      printer: printer.farEnd.connection,
      lineDisplay: display.farEnd.connection,
    }
  }

  /** Sends the track-2 bytes of this number over the virtual reader's wire. */
  swipe(cardNumber: string): void {
    this.send('card-reader', Buffer.from(track2Swipe(cardNumber), 'latin1'))
  }

  /** Sends the code with its AIM identifier and suffix over the virtual scanner's wire. */
  scan(code: string): void {
    this.send('scanner', Buffer.from(identified(code), 'latin1'))
  }

  /** Sends these very bytes from the far end of a wire. */
  send(wire: 'card-reader' | 'scanner', bytes: Uint8Array): void {
    const { cardReader, scanner } = this.ends
    const end = wire === 'scanner' ? scanner : cardReader
    end.send(bytes)
  }

  async play(scenario: Scenario): Promise<void> {
    await PLAYS[scenario](this.ends)
    this.news.changed()
  }

  get state(): BenchState {
    const { cardReader, scanner, printer, display } = this.ends
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
      waiting: [
        ...(printer.stopsAfter === null ? [] : [`${printer.stopsAfter.why}-during-job` as const]),
        ...(printer.breakAfterBytes === null ? [] : ['printer-unplugged-during-job' as const]),
      ],
    }
  }

  /** Documents that were cut since the bench was opened, oldest first, as text. */
  get documents(): readonly string[] {
    return this.ends.printer.roll.cut
  }

  /** The next paper that is cut and written to its file. */
  nextPaper(): Promise<string> {
    return this.news.nextPaper()
  }

  get drawerKicks(): number {
    return this.ends.printer.drawerKicks
  }

  /** What the customer's line display shows: twenty characters a line. */
  get display(): readonly [string, string] {
    return this.ends.display.lines
  }

  /** Resolves when the display shows a text that holds this. */
  displayed(text: string): Promise<readonly [string, string]> {
    return this.ends.display.until(text)
  }

  async close(): Promise<void> {
    this.news.isClosed = true
    await Promise.all(wiresOf(this.ends).map((end) => end.unplug()))
    await this.ends.printer.roll.written().catch(() => undefined)
  }
}

/**
 * Virtual far ends on loopback for the production drivers: a card reader, a scanner, a printer with a drawer, a line
 * display.
 */
export async function openVirtualBench({
  paperFolder,
  printerLanguage = 'esc-pos',
  onChange = () => undefined,
}: {
  /** Where each paper that the virtual printer cuts goes, as NNNN.txt. Made when it is not there. */
  readonly paperFolder: string
  readonly printerLanguage?: PrinterLanguage
  /** Something of `state`, `documents` or `display` is another than before. */
  readonly onChange?: () => void
}): Promise<VirtualBench> {
  const news = new BenchNews(onChange)
  const changed = (): void => news.changed()
  const printer = await openVirtualPrinter(paperFolder, printerLanguage, (paper) => news.cut(paper), changed)
  const [cardReader, scanner, display] = await Promise.all([
    openFarEnd(),
    openFarEnd(),
    openVirtualLineDisplay(changed),
  ])
  return new VirtualBench({ cardReader, scanner, printer, display }, news)
}
