import type { Locator, Page } from '@playwright/test'
import type { ProblemCode } from '../../contracts/core/errors.ts'
import type { ScreenFixture, ScreenFixtures } from '../testing/screen-fixture.ts'

const ENROL = 'POST /api/enrolment'
const CODE = 'K7Q2M-4X0TR-N8WZ3-05KDB'
const atNewLane = (fixture: ScreenFixture): ScreenFixture => ({
  person: null,
  ...fixture,
  set: ({ state }) => {
    state.mode = 'production'
    state.toEnrol = true
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

const enrolling = (more: ScreenFixture, shown: (page: Page) => Locator): ScreenFixture =>
  atNewLane({
    ...more,
    act: async (page) => {
      await typeCode(page)
      await pressEnrol(page)
      await shown(page).waitFor()
    },
  })
const answered = (enrolled: object): ScreenFixture =>
  enrolling({ answers: { [ENROL]: enrolled } }, (page) => page.getByRole('heading', { level: 2 }))
const refused = (code: ProblemCode, details: Readonly<Record<string, string>> = {}): ScreenFixture =>
  enrolling(
    { refusals: { [ENROL]: { code, details: Object.entries(details).map(([path, message]) => ({ path, message })) } } },
    (page) => page.getByRole('alert'),
  )

export const ENROLMENT: ScreenFixtures = {
  enrol: atNewLane({ act: (page) => page.getByRole('textbox').first().waitFor() }),
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
  'enrol-wrong': refused('enrolment-wrong', { triesLeft: '2', clockAheadMinutes: '35' }),
  'enrol-other-lane': refused('enrolment-other-lane', { store: '4417', lane: '03' }),
  'enrol-certificate': refused('enrolment-certificate'),
  'enrol-no-network': refused('enrolment-no-network'),
  'enrol-done': answered({ codeId: 'K7Q2M', secret: true, people: 6 }),
  'enrol-done-bare': answered({ codeId: 'K7Q2M', clockAheadMinutes: -12 }),
  'enrol-skipped': atNewLane({
    act: async (page) => {
      await page.getByRole('button', { name: /^(Skip|Passer)/ }).click()
      await page.getByRole('button', { name: /^(Enrol this lane|Inscrire cette caisse)$/ }).waitFor()
    },
  }),
}
