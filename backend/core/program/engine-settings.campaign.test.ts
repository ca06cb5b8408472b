import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/**
 * Allocates and drops some hundred megabytes, most of it at once and some after a short time. Returns the megabytes of
 * V8's new space right afterwards, and their minimum within two seconds, because a busy machine frees memory late.
 */
const WASTE = `
  const { getHeapSpaceStatistics } = await import('node:v8')
  const retained = []
  for (let count = 0; count < 1_000_000; count += 1) retained[count % 50_000] = { count, text: String(count).repeat(3) }
  const size = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 1024 / 1024
  const after = size()
  let least = after
  for (let look = 0; look < 100 && least > 2; look += 1) {
    for (let count = 0; count < 10_000; count += 1) retained[count] = { count }
    await new Promise((next) => setTimeout(next, 20))
    least = Math.min(least, size())
  }
  console.log(JSON.stringify({ after, least }))`

const newSpaceAfter = (first: string): { after: number; least: number } =>
  JSON.parse(
    execFileSync(process.execPath, [...process.execArgv, '--input-type=module', '--eval', `${first}\n${WASTE}`], {
      encoding: 'utf8',
    }),
  ) as { after: number; least: number }

test('with the program’s engine settings, V8 releases the memory of a burst of short-lived objects', () => {
  const settings = JSON.stringify(join(import.meta.dirname, 'engine-settings.ts'))
  expect(newSpaceAfter(`await import(${settings})`).least).toBeLessThanOrEqual(2)
  expect(newSpaceAfter('').after).toBeGreaterThan(8)
})
