import { afterAll, beforeAll } from 'vitest'
import { BUILT } from './build.ts'
import { openFixtureBrowser, type FixtureBrowser, type Prepare } from './fixture-browser.ts'

/**
 * Opens a browser with the built screens for the tests of one file. Call this once at the top; the returned function
 * gives the browser in the tests.
 */
export function useFixtureBrowser(prepare?: Prepare): () => FixtureBrowser {
  let fixtureBrowser: FixtureBrowser
  beforeAll(async () => {
    fixtureBrowser = await openFixtureBrowser(BUILT, prepare)
  }, 120_000)
  afterAll(async () => {
    await fixtureBrowser?.close()
  })
  return () => fixtureBrowser
}
