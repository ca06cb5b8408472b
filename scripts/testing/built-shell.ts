import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach } from 'vitest'
import type { StandInRequest, StandInScenario, StandInEvent } from '../../electron/testing/stand-in-messages.ts'
import { APP, buildPrograms } from '../build-app.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const at = (...parts: string[]): string => path.join(root, ...parts)

let data: string | null = null
const children: ChildProcess[] = []
export const buildShell = (): Promise<void> => buildPrograms(APP, { onlyWhenStale: true, log: () => {} })
export function dataOfShell(): string {
  data ??= mkdtempSync(path.join(tmpdir(), 'milepost-shell-'))
  return data
}
afterEach(async () => {
  await Promise.all(
    children.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'close')
      child.kill('SIGKILL')
      await gone
    }),
  )
  if (data !== null) rmSync(data, { recursive: true, force: true, maxRetries: 5 })
  data = null
})

export interface Shell {
  readonly child: ChildProcess
  readonly events: readonly StandInEvent[]
  next<Kind extends StandInEvent['type']>(kind: Kind, skip?: number): Promise<Extract<StandInEvent, { type: Kind }>>
  request(request: StandInRequest): void
  readonly ended: Promise<{ code: number | null; output: string; errors: string }>
}
export function startShell(
  scenario: StandInScenario,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Shell {
  const child = fork(
    at('build', 'app', 'electron', 'main.js'),
    ['build/app', '--profile', at('stores', 'training.yaml'), '--data', dataOfShell(), ...args],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: ['--import', at('electron', 'testing', 'use-electron-stand-in.ts')],
      env: { ...process.env, STAND_IN_SCENARIO: JSON.stringify(scenario), ...env },
    },
  )
  children.push(child)
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('no pipes')
  const outputs = Promise.all([text(stdout), text(stderr)])
  const events: StandInEvent[] = []
  const looks = new Set<() => void>()
  child.on('message', (message) => {
    events.push(message as StandInEvent)
    for (const look of looks) look()
  })
  const ended = once(child, 'close').then(async ([code]) => {
    const [output, errors] = await outputs
    return { code: code as number | null, output, errors }
  })
  return {
    child,
    events,
    ended,
    request: (request) => {
      child.send(request)
    },
    next: (kind, skip = 0) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = events.filter((one): one is Extract<StandInEvent, { type: typeof kind }> => one.type === kind)[
            skip
          ]
          if (found === undefined) return
          looks.delete(look)
          resolve(found)
        }
        looks.add(look)
        look()
        void ended.then(({ code, errors }) =>
          reject(new Error(`ended (${code}) without report ${kind} ${skip}: ${errors}\n${JSON.stringify(events)}`)),
        )
      }),
  }
}
