import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = path.join(import.meta.dirname, '../../..')

it('a terminal starts with a profile that was rendered from the example chain', async () => {
  const work = mkdtempSync(path.join(tmpdir(), 'milepost-chain-'))
  execFileSync(
    process.execPath,
    [
      ...process.execArgv,
      'packages/delivery/commands/profiles.ts',
      'render',
      'stores/chain',
      '--out',
      path.join(work, 'made'),
    ],
    {
      cwd: ROOT,
    },
  )
  const terminal = spawn(
    process.execPath,
    ['scripts/start.ts', '--no-window', '--profile', path.join(work, 'made', '4417.yaml'), '--lane', '02'].concat([
      '--data',
      path.join(work, 'data'),
    ]),
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(terminal, 'close')
  onTestFinished(async () => {
    terminal.kill('SIGTERM')
    await ended
    rmSync(work, { recursive: true, force: true })
  })
  const output: string[] = []
  for await (const line of createInterface({ input: terminal.stdout })) {
    output.push(line)
    if (line.startsWith('Milepost est prêt')) break
  }
  expect(output.at(-1)).toMatch(/^Milepost est prêt; ouvrez http/)
})
