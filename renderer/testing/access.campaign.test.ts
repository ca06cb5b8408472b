import { describe, expect, test } from 'vitest'
import { findBarriers } from './access.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'
import { LANGUAGES } from './fixture-browser.ts'
import { useFixtureBrowser } from './use-fixture-browser.ts'

/** `npm run lab access` tries every fixture, as a whole campaign does; a short campaign a few of them. */
const EVERY = process.env['MILEPOST_CAMPAIGN'] === '1' ? 1 : 47
const chosen = Object.entries(SCREEN_FIXTURES).filter((_, index) => index % EVERY === 0)

/**
 * Everybody can use every screen: WCAG 2.2 AA in both languages and themes, targets for a finger, and nothing out of
 * reach at 200 %.
 */
const fixtureBrowser = useFixtureBrowser()

describe.each(LANGUAGES)('in %s', (language) => {
  test.each(chosen)('%s', async (_name, fixture) => {
    expect(await findBarriers(fixtureBrowser(), fixture, language)).toEqual([])
  })
})
