import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { buildScreens } from './build.ts'
import { openStage, type Stage } from './stage.ts'

/** A stage with the screens as the sources are now, for the tests of one file. Call it once at the top; it is there when they run. */
export function useStage(): () => Stage {
  let folder: string
  let stage: Stage
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'milepost-stage-'))
    await buildScreens(folder)
    stage = await openStage(folder)
  }, 120_000)
  afterAll(async () => {
    await stage?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => stage
}
