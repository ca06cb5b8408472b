import { describe, expect, test } from 'vitest'
import { findBarriers } from './access.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'
import { LANGUAGES } from './fixture-browser.ts'
import { useFixtureBrowser } from './use-fixture-browser.ts'

/** A campaign, such as `npm run lab access`, tests every fixture; a short run tests one in 47. */
const EVERY = process.env['MILEPOST_CAMPAIGN'] === '1' ? 1 : 47
const chosen = Object.entries(SCREEN_FIXTURES).filter((_, index) => index % EVERY === 0)

/**
 * Tests fixtures of all screens for WCAG 2.2 AA in both languages and themes, touch targets, and content that cannot be
 * reached at 200 % zoom.
 */
const fixtureBrowser = useFixtureBrowser()

describe.each(LANGUAGES)('the screens in %s', (language) => {
  test.each(chosen)('the fixture %s has no accessibility problem', async (_name, fixture) => {
    expect(await findBarriers(fixtureBrowser(), fixture, language)).toEqual([])
  })
})
