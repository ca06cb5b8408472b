import type { ByteConnection, PrinterConnection, PrinterLanguage } from '../../contracts/profile.ts'
import type { VirtualBench } from '../device.ts'
import { openFarEnd } from './far-end.ts'
import { identified, track2Swipe } from './messages.ts'
import { openVirtualLineDisplay } from './virtual-line-display.ts'
import { openVirtualPrinter } from './virtual-printer.ts'

export interface VirtualBenchOptions {
  /** Where each paper that the virtual printer cuts goes, as NNNN.txt. Made when it is not there. */
  readonly paperFolder: string
  /** What the virtual printer speaks. ESC/POS unless said otherwise. */
  readonly printerLanguage?: PrinterLanguage
}

/** What may happen at a checkout, by name. */
export type Scenario =
  | 'paper-out' | 'paper-ok' | 'paper-out-during-job' | 'printer-off' | 'printer-on' | 'printer-silent' | 'printer-talks' | 'printer-unplugged-during-job'
  | 'cover-open' | 'cover-closed' | 'drawer-closed'
  | 'line-display-unplugged' | 'line-display-plugged'
  | 'card-reader-unplugged' | 'card-reader-plugged' | 'scanner-unplugged' | 'scanner-plugged'
  | 'swipe-unreadable' | 'card-reader-noise'

export interface OpenVirtualBench extends VirtualBench {
  /** To put in the place of `{ kind: 'virtual' }` in the profile. */
  readonly connections: { readonly cardReader: ByteConnection; readonly scanner: ByteConnection; readonly printer: PrinterConnection; readonly lineDisplay: ByteConnection }
  play(scenario: Scenario): Promise<void>
  /** Sends these very bytes from the far end of a wire. */
  send(wire: 'card-reader' | 'scanner', bytes: Uint8Array): void
  /** Papers that were cut since the bench was opened, oldest first, as text. */
  readonly papers: readonly string[]
  /** The next paper that is cut and written to its file. */
  nextPaper(): Promise<string>
  readonly drawerKicks: number
  /** What the customer's line display shows: twenty characters a line. */
  readonly display: readonly [string, string]
  /** Resolves when the display shows a text that holds this. */
  displayed(text: string): Promise<readonly [string, string]>
}

/** Virtual far ends on loopback for the production drivers: a card reader, a scanner, a printer with a drawer, a line display. */
export async function openVirtualBench({ paperFolder, printerLanguage = 'esc-pos' }: VirtualBenchOptions): Promise<OpenVirtualBench> {
  let waiting: ((paper: string) => void)[] = []
  const printer = await openVirtualPrinter({
    paperFolder,
    language: printerLanguage,
    onCut(paper) {
      const waiters = waiting
      waiting = []
      for (const tell of waiters) tell(paper)
    },
  })
  const [cardReader, scanner, display] = await Promise.all([openFarEnd(), openFarEnd(), openVirtualLineDisplay()])
  const ends = { 'card-reader': cardReader, scanner } as const
  const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')

  return {
    connections: { cardReader: cardReader.connection, scanner: scanner.connection, printer: printer.farEnd.connection, lineDisplay: display.farEnd.connection },
    swipe(cardNumber) { cardReader.send(latin1(track2Swipe(cardNumber))) },
    scan(code) { scanner.send(latin1(identified(code))) },
    setPaper(paper) { printer.paper = paper },
    get paper() { return printer.paper },
    async play(scenario) {
      switch (scenario) {
        case 'paper-out': printer.paper = 'out'; break
        case 'paper-ok': printer.paper = 'ok'; break
        case 'paper-out-during-job': printer.runOutAfterLines = 2; break
        case 'printer-off': await printer.farEnd.unplug(); break
        case 'printer-on': await printer.farEnd.plug(); break
        case 'printer-silent': printer.answers = false; break
        case 'printer-talks': printer.answers = true; break
        // Past the three questions for status (nine bytes), and into the job.
        case 'printer-unplugged-during-job': printer.breakAfterBytes = 60; break
        case 'cover-open': printer.coverOpen = true; break
        case 'cover-closed': printer.coverOpen = false; break
        case 'drawer-closed': printer.drawerOpen = false; break
        case 'line-display-unplugged': await display.farEnd.unplug(); break
        case 'line-display-plugged': await display.farEnd.plug(); break
        case 'card-reader-unplugged': await cardReader.unplug(); break
        case 'card-reader-plugged': await cardReader.plug(); break
        case 'scanner-unplugged': await scanner.unplug(); break
        case 'scanner-plugged': await scanner.plug(); break
        case 'swipe-unreadable': cardReader.send(latin1('%E?;E?\r')); break
        case 'card-reader-noise': cardReader.send(latin1('\x00\x7fxq\x93\xfe\x80~~')); break
      }
    },
    send(wire, bytes) { ends[wire].send(bytes) },
    get papers() { return printer.roll.cut },
    nextPaper: () => new Promise((resolve) => { waiting.push(resolve) }),
    get drawerKicks() { return printer.drawerKicks },
    get display() { return display.lines },
    displayed: (text) => display.until(text),
    async close() {
      await Promise.all([cardReader.unplug(), scanner.unplug(), display.farEnd.unplug(), printer.farEnd.unplug()])
      await printer.roll.written().catch(() => undefined)
    },
  }
}
