import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/**
 * Makes and forgets some hundred megabytes, a little of which lives for a while; answers the megabytes of the space for
 * new objects.
 */
const WASTE = `
  const { getHeapSpaceStatistics } = await import('node:v8')
  const kept = []
  for (let count = 0; count < 1_000_000; count += 1) kept[count % 50_000] = { count, text: String(count).repeat(3) }
  console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 1024 / 1024)`

const newSpaceAfter = (first: string): number =>
  Number(execFileSync(process.execPath, ['--input-type=module', '--eval', `${first}\n${WASTE}`], { encoding: 'utf8' }))

test('what a burst of short-lived objects takes is not held for good', () => {
  const settings = JSON.stringify(join(import.meta.dirname, 'heap-settings.ts'))
  expect(newSpaceAfter(`await import(${settings})`)).toBeLessThanOrEqual(2)
  // Without the settings it is: else this test would show nothing.
  expect(newSpaceAfter('')).toBeGreaterThan(8)
})
