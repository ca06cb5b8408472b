import type { LaneCheck } from '../../../contracts/operations/lane-check-page.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import { ILL_LANE, laneCheckOf, RUNNING_CHECK } from './lane-check.fixture.ts'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

const checked = (check: LaneCheck | null): ScreenFixture => ({
  path: '/manager/lane-check',
  person: SAM,
  set: ({ state }) => {
    state.answers['GET /api/diagnostics/lane'] = ok({ check })
  },
  act: async (page) => {
    await page.locator('h2').nth(1).waitFor()
    await (
      check === null ? page.getByText(/(Not checked since|Pas vérifiée)/) : page.getByRole('heading', { level: 3 })
    )
      .first()
      .waitFor()
  },
})

/** The check of the lane: before it, while it runs, and how it can end. */
export const LANE_CHECK: ScreenFixtures = {
  'lane-check': checked(ILL_LANE),
  'lane-check-well': checked(laneCheckOf()),
  'lane-check-never': checked(null),
  'lane-check-running': checked(RUNNING_CHECK),
  'lane-check-refused': {
    path: '/manager/lane-check',
    person: SAM,
    refused: true,
    set: ({ state }) => {
      state.answers['GET /api/diagnostics/lane'] = {
        status: 403,
        body: { code: 'manager-required', messages: { 'en-CA': 'Manager only.', 'fr-CA': 'Gérance seulement.' } },
      }
    },
    act: async (page) => {
      await page.getByRole('alert').first().waitFor()
    },
  },
}
