import { afterAll, beforeAll } from 'vitest'
import { BUILT } from './build.ts'
import { openStage, type Stage } from './stage.ts'

/** A stage with the built screens, for the tests of one file. Call it once at the top; it is there when they run. */
export function useStage(): () => Stage {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(BUILT)
  }, 120_000)
  afterAll(async () => {
    await stage?.close()
  })
  return () => stage
}
