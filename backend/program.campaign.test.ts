import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../packages/lab/rig/process.ts'
import { temporaryFolder } from './core/http/testing.ts'

/** Sends SIGTERM right after the backend writes its first line, so that the stop always comes at the same moment. */
const STOP_AT_FIRST_LINE = `
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (...line) => {
    const written = write(...line)
    process.kill(process.pid, 'SIGTERM')
    return written
  }`

test('a stop request at the moment when the backend becomes ready still closes it with a backup', async () => {
  const data = join(temporaryFolder(), 'data')
  const {
    code,
    stdout: output,
    stderr: complained,
  } = await run(
    [
      `--import=data:text/javascript,${encodeURIComponent(STOP_AT_FIRST_LINE)}`,
      join(import.meta.dirname, 'main.ts'),
      '--data',
      data,
      '--profile',
      join(import.meta.dirname, '../stores/example.yaml'),
    ],
    { env: { PATH: process.env['PATH'], MILEPOST_CLIENT_SECRET: 's3cret' } },
  )
  expect({ code, complained }).toMatchObject({ code: 0 })
  expect(output).toContain('launchUrl')
  expect(readdirSync(join(data, 'backups'))).toEqual([
    expect.stringMatching(/^closing-/),
    'last-backup.json',
    'proofs.json',
  ])
})
