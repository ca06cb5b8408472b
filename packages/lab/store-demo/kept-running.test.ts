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

test.for(['SIGKILL', 'SIGINT'] as const)('a database that ends by %s is started again', async (signal, { skip }) => {
  skip(findPostgres() === null, NO_POSTGRES)
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-demo-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // Its user, who is not root, has to come through.
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
  expect(lines).toEqual(['PostgreSQL ended, and is started again.'])
})

test('a demo whose npm is ended ends too, though nobody told it', async () => {
  const module = new URL('asked-to-end.ts', import.meta.url).href
  const program = `import { untilDemoIsToEnd } from '${module}'
    const asked = untilDemoIsToEnd(); const stays = setInterval(() => {}, 1000)
    console.log('up'); console.log(await asked); clearInterval(stays)`
  // As npm runs a script: a shell that waits.
  const script = '"$NODE" --input-type=module --eval "$PROGRAM"; true'
  const env = { ...process.env, NODE: process.execPath, PROGRAM: program, npm_lifecycle_event: 'store:demo' }
  const shell = spawn('/bin/sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(shell.stdout)
  await once(lines, 'line')
  const said = once(lines, 'line')
  shell.kill('SIGTERM')
  expect(await said).toEqual(['asked'])
})
