import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const MODULES = [
  'backend',
  'hardware',
  'contracts',
  'electron',
  'packages',
  'scripts',
  'renderer',
  'stores',
  'package.json',
]

it('npm run dev prints a syntax error once, and continues when it is fixed', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-dev-'))
  for (const module of MODULES) cpSync(path.join(root, module), path.join(folder, module), { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const dev = spawn(process.execPath, [path.join(folder, 'scripts', 'dev.ts')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_DATA_HOME: path.join(folder, 'data') },
  })
  const ended = once(dev, 'close')
  onTestFinished(async () => {
    dev.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  let output = ''
  const waiting = new Set<() => void>()
  for (const stream of [dev.stdout, dev.stderr])
    stream.on('data', (bytes: Buffer) => {
      output += bytes.toString()
      for (const look of waiting) look()
    })
  const printed = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(output)) {
          waiting.delete(look)
          resolve()
        }
      }
      waiting.add(look)
      look()
      void ended.then(() => reject(new Error(`ended without printing ${pattern}: ${output}`)))
    })

  await printed(/^Open http/m)
  const file = path.join(folder, 'backend', 'core', 'clock.ts')
  const log = path.join(folder, 'data', 'milepost', 'TRAIN-001-01-dev', 'logs', 'backend.log')
  const times = (text: string): number => text.split('this is no program').length - 1
  const good = readFileSync(file, 'utf8')
  appendFileSync(file, '\nthis is no program\n')
  await printed(/SyntaxError|ERR_INVALID_TYPESCRIPT_SYNTAX/)
  // The log has the error twice, because a restart of the backend failed again; the console still has it once.
  await expect.poll(() => times(readFileSync(log, 'utf8')), { timeout: 20_000 }).toBeGreaterThan(1)
  expect(times(output)).toBe(1)
  expect(output).toContain(file)
  writeFileSync(file, good)
  await printed(/The backend is back\./)
})
