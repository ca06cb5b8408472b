import { expect, test } from 'vitest'
import { testContext } from '../../packages/lab/testing/lane-context.ts'
import { systemClock } from './clock.ts'
import { testLog } from './http/testing.ts'
import { onStart, onStop, runLater, startComponents, stopComponents } from './lifecycle.ts'

test('a component that fails to stop does not prevent the others from stopping', async () => {
  const { log, lines } = testLog()
  const ctx = testContext({ log })
  const stopped: string[] = []
  onStop(ctx, () => {
    throw new Error('broken')
  })
  onStop(ctx, () => Promise.reject(new Error('broken later')))
  onStop(ctx, () => stopped.push('timer'))
  await stopComponents(ctx)
  expect(stopped).toEqual(['timer'])
  expect(lines().match(/a component did not stop cleanly/g)).toHaveLength(2)
})

test('a component created after the start is started at once, and no timer starts after the stop', async () => {
  let timers = 0
  const after = () => {
    timers += 1
    return () => undefined
  }
  const ctx = testContext({ clock: { ...systemClock, after } })
  const begun: string[] = []
  onStart(ctx, () => begun.push('work'))
  onStart(ctx, () => begun.push('watch'), 'watch')
  startComponents(ctx, 'watch')
  startComponents(ctx, 'work')
  onStart(ctx, () => begun.push('late'))
  expect(begun).toEqual(['watch', 'work', 'late'])
  runLater(ctx, 0, () => begun.push('before the stop'))
  await stopComponents(ctx)
  runLater(ctx, 0, () => begun.push('after the stop'))
  expect(timers).toBe(1)
})
