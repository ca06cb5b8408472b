import type { Page } from '@playwright/test'
import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'

const ENROL = 'POST /api/enrolment'
const CODE = 'K7Q2M-4X0TR-N8WZ3-05KDB'
const [DONE, BARE] = [
  { codeId: 'K7Q2M', secret: true, people: 6, clockAheadMinutes: null, restarts: false },
  { codeId: 'K7Q2M', secret: false, people: 0, clockAheadMinutes: -12, restarts: false },
]

type Refusal = keyof typeof english & `enrolment-${string}`
type Detail = readonly [path: string, message: string]

/** A lane on which nothing stands yet. */
const atNewLane = (fixture: ScreenFixture): ScreenFixture => ({
  person: null,
  ...fixture,
  set: (terminal, say) => {
    terminal.state.mode = 'production'
    terminal.state.toEnrol = true
    fixture.set?.(terminal, say)
  },
})

export async function typeCode(page: Page): Promise<void> {
  const field = (name: RegExp) => page.getByRole('textbox', { name })
  await field(/^Code$/).fill(CODE)
  await field(/^Service$/).fill('store.example:8443')
  await field(/^(Server check|Vérification du serveur)$/).fill('0MXK-8R77-ATGX-DWZN')
}
export const pressEnrol = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^(Enrol lane|Inscrire la caisse)$/ }).click()

const answered = (status: number, body: unknown): ScreenFixture =>
  atNewLane({
    ...(status < 400 ? {} : { refused: true }),
    set: ({ state }) => {
      state.answers[ENROL] = { status, body }
    },
    act: async (page) => {
      await typeCode(page)
      await pressEnrol(page)
      await page.getByRole(status < 400 ? 'heading' : 'alert', status < 400 ? { level: 2 } : {}).waitFor()
    },
  })

const refused = (status: number, code: Refusal, ...details: readonly Detail[]): ScreenFixture =>
  answered(status, {
    code,
    messages: { 'en-CA': english[code], 'fr-CA': french[code] },
    correlationId: 'c',
    details: details.map(([path, message]) => ({ path, message })),
  })

/** The first screen of a lane that is to be enrolled. */
export const ENROLMENT: ScreenFixtures = {
  enrol: atNewLane({
    act: async (page) => {
      await page.getByRole('textbox').first().waitFor()
    },
  }),
  'enrol-asking': atNewLane({
    act: async (page) => {
      await page.route(/\/api\/enrolment$/, (route) =>
        route.request().method() === 'POST'
          ? undefined
          : route.fulfill({ json: { offered: true, step: 'storing', interrupted: null } }),
      )
      await typeCode(page)
      await pressEnrol(page)
      await page.getByRole('heading', { name: /^(Saving|Enregistrement)/ }).waitFor()
    },
  }),
  'enrol-wrong': refused(403, 'enrolment-wrong', ['triesLeft', '2'], ['clockAheadMinutes', '35']),
  'enrol-other-lane': refused(403, 'enrolment-other-lane', ['store', '4417'], ['lane', '03']),
  'enrol-certificate': refused(403, 'enrolment-certificate'),
  'enrol-no-network': refused(403, 'enrolment-no-network'),
  'enrol-done': answered(200, DONE),
  'enrol-done-bare': answered(200, BARE),
  'enrol-skipped': atNewLane({
    act: async (page) => {
      await page.getByRole('button', { name: /^(Skip|Passer)/ }).click()
      await page.getByRole('button', { name: /^(Enrol this lane|Inscrire cette caisse)$/ }).waitFor()
    },
  }),
}
