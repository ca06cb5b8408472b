import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PrinterLanguage } from '../../contracts/core/profile.ts'
import { farStatusOf, type PrinterState } from '../virtual/far-end.ts'
import { createTalk } from './printer.ts'

const wellSent = (): Promise<void> => Promise.resolve()
const WELL: PrinterState = { paper: 'ok', coverOpen: false, drawerOpen: false, endsReached: 0, fault: null }

test.each(PrinterLanguage.options)(
  '%s: whatever noise came before, a status after it is understood',
  async (language) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.uint8Array({ maxLength: 40 }), async (noise, again) => {
        const talk = createTalk(language, () => undefined)
        talk.push(noise)
        talk.push(again)
        // A wire that was lost ends whatever the noise began.
        talk.begin()
        const far = farStatusOf(language)
        const condition = await talk.ask(async (question) => {
          await wellSent()
          for (const answer of far.arrived(question, { ...WELL, coverOpen: true }).answers)
            setImmediate(() => {
              talk.push(answer)
            })
        })
        expect(condition).toMatchObject({ kind: 'trouble', detail: 'cover open' })
      }),
      { numRuns: 300 },
    )
  },
)
