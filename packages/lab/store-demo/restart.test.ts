import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { findPostgres, NO_POSTGRES } from '../../store-server/db/start-postgres.ts'
import { openPostgres } from '../../store-server/db/postgres.ts'
import { createLog } from '../../store-server/log.ts'
import { startDemoPostgres } from './store.ts'

const DATABASES = "SELECT datname FROM pg_database WHERE datname = 'milepost'"

test.for(['SIGKILL', 'SIGINT'] as const)(
  'the demo restarts PostgreSQL after it was ended by %s',
  async (signal, { skip }) => {
    skip(findPostgres() === null, NO_POSTGRES)
    const folder = mkdtempSync(path.join(tmpdir(), 'milepost-demo-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    // PostgreSQL’s user must be able to enter this folder.
    chmodSync(folder, 0o755)
    const lines: string[] = []
    const postgres = await startDemoPostgres({ postgres: path.join(folder, 'postgres') }, (line) => lines.push(line))
    onTestFinished(() => postgres.stop())
    const before = postgres.pid()
    process.kill(before, signal)
    const db = openPostgres({ url: postgres.url('postgres'), log: createLog('silent') })
    onTestFinished(() => db.close())
    await expect.poll(() => db.query(DATABASES).catch(() => null), { timeout: 10_000 }).toMatchObject({ count: 1 })
    await expect.poll(() => postgres.pid()).not.toBe(before)
    expect(lines).toEqual(['PostgreSQL ended and is restarted.'])
  },
)

test('the demo stops when the npm process that started it ends, although the demo gets no signal', async () => {
  const module = new URL('end-request.ts', import.meta.url).href
  const program = `import { untilEndRequested } from '${module}'
    const asked = untilEndRequested(); const stays = setInterval(() => {}, 1000)
    console.log('up'); console.log(await asked); clearInterval(stays)`
  // The shell waits for the program, as when npm runs a script.
  const script = '"$NODE" --input-type=module --eval "$PROGRAM"; true'
  const env = { ...process.env, NODE: process.execPath, PROGRAM: program, npm_lifecycle_event: 'store:demo' }
  const shell = spawn('/bin/sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(shell.stdout)
  await once(lines, 'line')
  const line = once(lines, 'line')
  shell.kill('SIGTERM')
  expect(await line).toEqual(['asked'])
})
