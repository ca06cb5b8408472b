import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers } from './access.ts'
import { buildScreens } from './build.ts'
import { SCENES } from './scenes.ts'
import { LANGUAGES, openStage, type Stage } from './stage.ts'

/** `npm run access` tries every scene; `npm test` every so-many-eth, so that it stays short. */
const EVERY = process.env['MILEPOST_ACCESS'] === 'all' ? 1 : 9
const chosen = Object.entries(SCENES).filter((_, index) => index % EVERY === 0)

/** Everybody can use every screen: WCAG 2.2 AA in both languages and themes, targets for a finger, and nothing out of reach at 200 %. */
let folder: string
let stage: Stage

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'milepost-access-'))
  await buildScreens(folder)
  stage = await openStage(folder)
}, 120_000)

afterAll(async () => {
  await stage?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(LANGUAGES)('in %s', (language) => {
  test.each(chosen)('%s', async (_name, scene) => {
    expect(await findBarriers(stage, scene, language)).toEqual([])
  })
})
