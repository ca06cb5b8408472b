import type { Scenario, OneTimeScenario, VirtualRole } from '../../contracts/operations/training.ts'
import type { ByteConnection, PrinterConnection, PrinterLanguage, ScaleDevice } from '../../contracts/core/profile.ts'
import { openSimulatedPort, type SimulatedPort } from './simulated-port.ts'
import { CHATTER, HALF_A_SCAN, HALF_A_SWIPE, identified, NOISE, track2Swipe, UNREADABLE_SWIPE } from './messages.ts'
import { type VirtualLineDisplay, openVirtualLineDisplay } from './virtual-line-display.ts'
import { type VirtualScale, openVirtualScale } from './virtual-scale.ts'
import { type VirtualPrinter, openVirtualPrinter } from './virtual-printer.ts'

export interface BenchState {
  readonly plugged: Readonly<Record<VirtualRole, boolean>>
  readonly printer: {
    readonly paper: 'ok' | 'out'
    readonly cover: 'open' | 'closed'
    readonly drawer: 'open' | 'closed'
    readonly drawerHeld: boolean
    readonly answers: boolean
  }
  readonly waiting: readonly OneTimeScenario[]
}

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

/**
 * Number of lines that are still printed before missing paper or an open cover stops a job. See
 * docs/decisions/0007-devices-on-real-wires.md.
 */
const LINES_BEFORE_STOP = 2
/**
 * Number of bytes of a job after which the cable is unplugged: more than the three status requests (nine bytes) and
 * fewer than the job.
 */
const BYTES_BEFORE_BREAK = 60

interface VirtualPorts {
  readonly cardReader: SimulatedPort
  readonly scanner: SimulatedPort
  readonly printer: VirtualPrinter
  readonly display: VirtualLineDisplay
  readonly scale: VirtualScale
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

const SCENARIO_ACTIONS: Readonly<Record<Scenario, (ends: VirtualPorts) => unknown>> = {
  'paper-out': ({ printer }) => (printer.paper = 'out'),
  'paper-ok': ({ printer }) => (printer.paper = 'ok'),
  'cover-open': ({ printer }) => (printer.coverOpen = true),
  'cover-closed': ({ printer }) => (printer.coverOpen = false),
  'printer-off': ({ printer }) => printer.port.unplug(),
  'printer-on': ({ printer }) => printer.port.plug(),
  'printer-silent': ({ printer }) => (printer.answers = false),
  'printer-talks': ({ printer }) => (printer.answers = true),
  'paper-out-during-job': ({ printer }) => (printer.stopsAfter = { lines: LINES_BEFORE_STOP, why: 'paper-out' }),
  'cover-open-during-job': ({ printer }) => (printer.stopsAfter = { lines: LINES_BEFORE_STOP, why: 'cover-open' }),
  'printer-unplugged-during-job': ({ printer }) => (printer.breakAfterBytes = BYTES_BEFORE_BREAK),
  'drawer-open': ({ printer }) => (printer.drawerOpen = true),
  'drawer-closed': ({ printer }) => (printer.drawerOpen = false),
  'drawer-held': ({ printer }) => (printer.drawerHeld = true),
  'drawer-free': ({ printer }) => (printer.drawerHeld = false),
  'line-display-unplugged': ({ display }) => display.port.unplug(),
  'line-display-plugged': ({ display }) => display.port.plug(),
  'card-reader-unplugged': ({ cardReader }) => cardReader.unplug(),
  'card-reader-plugged': ({ cardReader }) => cardReader.plug(),
  'scanner-unplugged': ({ scanner }) => scanner.unplug(),
  'scanner-plugged': ({ scanner }) => scanner.plug(),
  'scale-unplugged': ({ scale }) => scale.port.unplug(),
  'scale-plugged': ({ scale }) => scale.port.plug(),
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
    Object.assign(ends.scale, { load: 0, tare: 0, fault: null })
  },
}

const wiresOf = ({ cardReader, scanner, printer, display, scale }: VirtualPorts): SimulatedPort[] => [
  cardReader,
  scanner,
  printer.port,
  display.port,
  scale.port,
]

class BenchNotifier {
  isClosed = false
  private isScheduled = false
  private waiting: ((paper: string) => void)[] = []
  private readonly onChange: () => void

  constructor(onChange: () => void) {
    this.onChange = onChange
  }

  /** Changes in the same iteration of the event loop are reported once. */
  changed(): void {
    if (this.isScheduled || this.isClosed) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
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
 * Virtual devices on the far ends of loopback wires, for training mode and tests. The drivers on the near end are the
 * production drivers.
 */
export class VirtualBench {
  private readonly ends: VirtualPorts
  private readonly notifier: BenchNotifier

  constructor(ends: VirtualPorts, notifier: BenchNotifier) {
    this.ends = ends
    this.notifier = notifier
  }

  /** Connections that the lane uses in place of `{ kind: 'virtual' }` in the profile. */
  get connections(): {
    readonly cardReader: ByteConnection
    readonly scanner: ByteConnection
    readonly printer: PrinterConnection
    readonly lineDisplay: ByteConnection
    readonly scale: ByteConnection
  } {
    const { cardReader, scanner, printer, display, scale } = this.ends
    return {
      cardReader: cardReader.connection,
      scanner: scanner.connection,
      printer: printer.port.connection,
      lineDisplay: display.port.connection,
      scale: scale.port.connection,
    }
  }

  get scale(): VirtualScale {
    return this.ends.scale
  }

  swipe(cardNumber: string): void {
    this.send('card-reader', Buffer.from(track2Swipe(cardNumber), 'latin1'))
  }

  scan(code: string): void {
    this.send('scanner', Buffer.from(identified(code), 'latin1'))
  }

  send(wire: 'card-reader' | 'scanner', bytes: Uint8Array): void {
    const { cardReader, scanner } = this.ends
    const end = wire === 'scanner' ? scanner : cardReader
    end.send(bytes)
  }

  async play(scenario: Scenario): Promise<void> {
    await SCENARIO_ACTIONS[scenario](this.ends)
    this.notifier.changed()
  }

  get state(): BenchState {
    const { cardReader, scanner, printer, display, scale } = this.ends
    return {
      plugged: {
        'card-reader': cardReader.plugged,
        scanner: scanner.plugged,
        printer: printer.port.plugged,
        'line-display': display.port.plugged,
        scale: scale.port.plugged,
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

  get documents(): readonly string[] {
    return this.ends.printer.roll.cut
  }

  nextPaper(): Promise<string> {
    return this.notifier.nextPaper()
  }

  get drawerKicks(): number {
    return this.ends.printer.drawerKicks
  }

  get display(): readonly [string, string] {
    return this.ends.display.lines
  }

  displayed(text: string): Promise<readonly [string, string]> {
    return this.ends.display.until(text)
  }

  async close(): Promise<void> {
    this.notifier.isClosed = true
    await Promise.all(wiresOf(this.ends).map((end) => end.unplug()))
    await this.ends.printer.roll.written().catch(() => undefined)
  }
}

export async function openVirtualBench({
  paperFolder,
  printerLanguage = 'esc-pos',
  scale: scaleSettings = { protocol: 'toledo-8217', unit: 'kg' },
  onChange = () => undefined,
}: {
  readonly paperFolder: string
  readonly printerLanguage?: PrinterLanguage
  readonly scale?: Pick<ScaleDevice, 'protocol' | 'unit'>
  readonly onChange?: () => void
}): Promise<VirtualBench> {
  const notifier = new BenchNotifier(onChange)
  const changed = (): void => notifier.changed()
  const printer = await openVirtualPrinter(paperFolder, printerLanguage, (paper) => notifier.cut(paper), changed)
  const [cardReader, scanner, display, scale] = await Promise.all([
    openSimulatedPort(),
    openSimulatedPort(),
    openVirtualLineDisplay(changed),
    openVirtualScale(scaleSettings, changed),
  ])
  return new VirtualBench({ cardReader, scanner, printer, display, scale }, notifier)
}
