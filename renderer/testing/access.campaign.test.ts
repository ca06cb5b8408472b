import { describe, expect, test } from 'vitest'
import { findBarriers } from './access.ts'
import { SCENES } from './scenes.ts'
import { LANGUAGES } from './stage.ts'
import { useStage } from './use-stage.ts'

/** `npm run access` tries every scene, as a whole campaign does; a short campaign a few of them. */
const EVERY = process.env['MILEPOST_CAMPAIGN'] === '1' ? 1 : 47
const chosen = Object.entries(SCENES).filter((_, index) => index % EVERY === 0)

/**
 * Everybody can use every screen: WCAG 2.2 AA in both languages and themes, targets for a finger, and nothing out of
 * reach at 200 %.
 */
const stage = useStage()

describe.each(LANGUAGES)('in %s', (language) => {
  test.each(chosen)('%s', async (_name, scene) => {
    expect(await findBarriers(stage(), scene, language)).toEqual([])
  })
})
