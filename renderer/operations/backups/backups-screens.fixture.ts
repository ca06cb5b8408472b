import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import { BACKUPS } from './backups.fixture.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

/** The page of the backups with another answer. */
const backups = (answer: object): ScreenFixture => ({
  path: '/manager/backups',
  person: SAM,
  set: ({ state }) => {
    state.answers['GET /api/backups'] = ok({ ...BACKUPS, ...answer })
  },
})

export const OF_BACKUPS: ScreenFixtures = {
  backups: { path: '/manager/backups', person: SAM },
  'backups-empty': backups({
    backups: [],
    preview: null,
    restored: null,
    copies: { folder: null, state: 'off', lastAt: null, lastFile: null, detail: null },
  }),
  'backups-working': {
    ...backups({ work: { kind: 'backup', phase: 'copying', name: null, share: 0.4 } }),
    // It asks again and again, so that the network is never idle.
    act: async (page) => {
      await page.getByRole('progressbar').waitFor()
    },
  },
  'backups-failed': {
    path: '/manager/backups',
    person: SAM,
    refused: true,
    set: ({ state }) => {
      state.answers['GET /api/backups'] = {
        status: 403,
        body: {
          code: 'manager-required',
          messages: { 'en-CA': english['manager-required'], 'fr-CA': french['manager-required'] },
          correlationId: 'c',
        },
      }
    },
  },
  'backups-restore': {
    path: '/manager/backups',
    person: SAM,
    act: async (page) => {
      await page
        .getByRole('button', { name: /closing-20261120-211204/ })
        .last()
        .click()
      await page.getByRole('dialog').getByRole('table').waitFor()
      await page.getByRole('dialog').locator('summary').first().click()
    },
  },
  'queue-corrections': {
    path: '/manager/queue',
    person: SAM,
    act: async (page) => {
      await page.getByRole('button', { name: /^Corrections/ }).click()
      await page.getByRole('dialog').getByRole('table').waitFor()
    },
  },
}
