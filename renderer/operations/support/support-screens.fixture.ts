import type { Page } from '@playwright/test'
import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'

const PREVIEW = 'POST /api/support-file/previews'
const openFile = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^(Support file|Fichier de soutien)$/ }).click()

/** The support file on the page of devices, from its button on. */
const support = (then: (page: Page) => Promise<void>, more: Partial<ScreenFixture> = {}): ScreenFixture => ({
  path: '/manager/devices',
  person: SAM,
  act: async (page) => {
    await openFile(page)
    await then(page)
  },
  ...more,
})

const section = (page: Page, name: RegExp) => page.getByRole('dialog').locator('summary').filter({ hasText: name })

/** What a manager sees of the support file before it is saved. */
export const SUPPORT: ScreenFixtures = {
  'support-file': support(async (page) => {
    await section(page, /^(Program|Programme)/)
      .first()
      .waitFor()
  }),
  'support-file-sections': support(async (page) => {
    for (const name of [/^(Devices|Appareils)/, /^(Queue|File)/, /^(Settings|Réglages)/, /^(Program log|Journal du)/]) {
      await section(page, name).click()
    }
  }),
  'support-file-preparing': {
    path: '/manager/devices',
    person: SAM,
    act: async (page) => {
      // The terminal takes its time.
      await page.route(/support-file/, () => undefined)
      await openFile(page)
      await page.getByRole('dialog').getByRole('progressbar').waitFor()
    },
  },
  'support-file-refused': support(
    async (page) => {
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
    {
      refused: true,
      set: ({ state }) => {
        state.answers[PREVIEW] = {
          status: 403,
          body: {
            code: 'support-file-secret',
            messages: { 'en-CA': english['support-file-secret'], 'fr-CA': french['support-file-secret'] },
            correlationId: 'c',
            details: [{ path: '/section', message: 'log' }],
          },
        }
      },
    },
  ),
}
