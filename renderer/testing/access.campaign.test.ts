import { describe, expect, test } from 'vitest'
import { findBarriers } from './access.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'
import { LANGUAGES } from './fixture-browser.ts'
import { useFixtureBrowser } from './use-fixture-browser.ts'

/** `npm run lab access` tests every fixture, like a whole campaign; a short campaign tests a few. */
const EVERY = process.env['MILEPOST_CAMPAIGN'] === '1' ? 1 : 47
const chosen = Object.entries(SCREEN_FIXTURES).filter((_, index) => index % EVERY === 0)

/**
 * Tests every screen for WCAG 2.2 AA in both languages and themes, touch targets, and content out of reach at 200 %.
 */
const fixtureBrowser = useFixtureBrowser()

describe.each(LANGUAGES)('in %s', (language) => {
  test.each(chosen)('fixture %s is accessible', async (_name, fixture) => {
    expect(await findBarriers(fixtureBrowser(), fixture, language)).toEqual([])
  })
})
