import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const WRITE = `
  import { createLogCounts } from ${JSON.stringify(new URL('../../contracts/core/log-fields.ts', import.meta.url).href)}
  import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
  let lost = 0
  const counts = createLogCounts()
  const log = createLog('info', { counts, lost: () => (lost += 1) })
  for (let line = 0; line < 2_000; line += 1) log.info({ reason: 'x'.repeat(100) }, 'a line')
  log.error({ err: new Error('card 84201733915 was refused') }, 'a line')
  console.log(JSON.stringify({ lost, info: counts.byLevel.get('info'), masked: counts.masked }))
`

async function writes(stderr: number | 'pipe') {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', WRITE], { stdio: ['ignore', 'pipe', stderr] })
  const lines: string[] = []
  if (child.stderr) createInterface(child.stderr).on('line', (line) => lines.push(line))
  const output: string[] = []
  if (child.stdout) createInterface(child.stdout).on('line', (line) => output.push(line))
  const [code] = await once(child, 'close')
  return { code: Number(code), output: JSON.parse(output[0] ?? '{}'), lines }
}

test('a full disk does not stop the server, and lost log lines are counted', async ({ skip }) => {
  skip(!existsSync('/dev/full'), 'this system has no /dev/full')
  const full = openSync('/dev/full', 'w')
  const { code, output } = await writes(full)
  closeSync(full)
  expect(code).toBe(0)
  expect(output).toMatchObject({ info: 2_000 })
  expect(output.lost).toBeGreaterThan(1_000)
})

test('the log contains every line and no collector number', async () => {
  const { code, output, lines } = await writes('pipe')
  expect(code).toBe(0)
  expect(output).toEqual({ lost: 0, info: 2_000, masked: 1 })
  expect(lines.length).toBe(2_001)
  expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({ err: { message: 'card •••••••3915 was refused' } })
})
