import { expect, test } from 'vitest'
import { startProgress, timeOf } from './report.ts'

function played(isTTY: boolean) {
  let time = 0
  const output: string[] = []
  const out = { isTTY, columns: 80, write: (text: string) => output.push(text) }
  const progress = startProgress('packages', 4, out, () => time)
  for (let step = 0; step < 4; step += 1) {
    time += 6_000
    progress.advance()
  }
  progress.end()
  return output
}

test('progress is a bar with the remaining time on a console; a log gets occasional lines and the total time', () => {
  const [first] = played(true)
  expect(first).toBe('\r[######                  ] 1 of 4 packages, 18 s left\u001b[K')
  expect(played(false)).toEqual([
    '2 of 4 packages, 12 s left\n',
    '4 of 4 packages, 0 s left\n',
    '4 of 4 packages in 24 s.\n',
  ])
  expect(timeOf(200_000)).toBe('3 min 20 s')
})
