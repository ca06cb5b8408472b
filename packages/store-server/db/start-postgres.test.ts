import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log.ts'
import { openPostgres } from './postgres.ts'
import { NO_POSTGRES, findPostgres, startPostgres } from './start-postgres.ts'

const START = `
  const { startPostgres } = await import(${JSON.stringify(new URL('./start-postgres.ts', import.meta.url).href)})
  const started = await startPostgres({ fsync: false })
  console.log(JSON.stringify({ pid: started.pid(), socket: new URL(started.url('x')).searchParams.get('host') }))
`
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('PostgreSQL stops when its parent process is killed', async ({ skip }) => {
  skip(findPostgres() === null, NO_POSTGRES)
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', START], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(starter.stdout), 'line')
  const { pid, socket } = JSON.parse(String(line))
  expect(isRunning(pid)).toBe(true)
  starter.kill('SIGKILL')
  await expect.poll(() => isRunning(pid)).toBe(false)
  await expect.poll(() => existsSync(socket)).toBe(false)
})

test('PostgreSQL keeps its databases when it is started again on a given folder', async ({ skip }) => {
  skip(findPostgres() === null, NO_POSTGRES)
  const top = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  chmodSync(top, 0o755)
  const start = () => startPostgres({ folder: path.join(top, 'demo'), fsync: false })
  const first = await start()
  const log = createLog('silent')
  const db = openPostgres({ url: first.url('postgres'), log })
  await db.query('CREATE TABLE stored AS SELECT 7 AS id')
  await db.close()
  await first.stop()
  const again = await start()
  onTestFinished(() => again.stop())
  const later = openPostgres({ url: again.url('postgres'), log })
  onTestFinished(() => later.close())
  expect((await later.query('SELECT id FROM stored')).rows).toEqual([{ id: 7 }])
})
