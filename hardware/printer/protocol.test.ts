import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PrinterLanguage } from '../../contracts/core/profile.ts'
import { statusModelOf, type PrinterState } from '../virtual/simulated-port.ts'
import { createPrinterProtocol } from './printer.ts'

const wellSent = (): Promise<void> => Promise.resolve()
const WELL: PrinterState = { paper: 'ok', coverOpen: false, drawerOpen: false, endsReached: 0, fault: null }

test.each(PrinterLanguage.options)(
  'a %s printer’s status is read correctly on a new connection after any noise on the previous one',
  async (language) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.uint8Array({ maxLength: 40 }), async (noise, again) => {
        const protocol = createPrinterProtocol(language, () => undefined)
        protocol.push(noise)
        protocol.push(again)
        // A new connection discards any message that the noise began.
        protocol.begin()
        const far = statusModelOf(language)
        const condition = await protocol.ask(async (question) => {
          await wellSent()
          for (const answer of far.arrived(question, { ...WELL, coverOpen: true }).answers)
            setImmediate(() => {
              protocol.push(answer)
            })
        })
        expect(condition).toMatchObject({ kind: 'trouble', detail: 'cover open' })
      }),
      { numRuns: 300 },
    )
  },
)
