import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'
import { PROFILE_SCHEMA } from '../../../contracts/core/profile-schema.ts'
import { packBundle } from '../bundle.ts'
import type { Signer } from '../keys.ts'
import { listOf } from './bundle-content.ts'
import { installProgram, type Files } from './release-folder.ts'
import { sealTrust } from '../trust.ts'
import { firstState, SlotsState } from '../updates/slots-state.ts'

const at = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url))
export const LANE = { store: '4417', lane: '01' } as const
export const PIN = '24680135'
/** First PIN set by the installer; the person must change it at the first sign-in. */
export const FIRST_PIN = '97531864'

const STARTER = `#!/bin/sh
state=$(dirname "$0")/slots/state.json
if ! grep -q '"good":"[ab]".*}$' "$state" 2>/dev/null; then state=$(dirname "$0")/slots/state.kept.json; fi
slot=a
if grep -q '"good":"b"' "$state" 2>/dev/null; then slot=b; fi
exec ${process.execPath} "$(dirname "$0")/slots/$slot/launcher/main.js" "$@"
`

/**
 * Returns the example store's profile without devices and with unreachable services, so that the calls of every sale
 * wait in the queue.
 */
function profileOf(updatesUrl: string): string {
  const given = parse(readFileSync(at('stores/example.yaml'), 'utf8')) as Record<string, object>
  const nowhere = 'https://127.0.0.1:9'
  return stringify({
    ...given,
    locales: { default: 'en-CA' },
    lanes: [{ id: LANE.lane, deviceId: 'Q417-01', devices: {} }],
    endpoints: { offers: nowhere, issuance: nowhere, cash: nowhere, token: { url: nowhere, clientId: 'made-up' } },
    issuance: { record: 'all' },
    updates: { url: updatesUrl },
  })
}

export function installLane(
  folder: string,
  { files, sealed, signer, updatesUrl }: { files: Files; sealed: Uint8Array; signer: Signer; updatesUrl: string },
): InstalledLane {
  const root = join(folder, 'root')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(root, 'slots', 'a'), { recursive: true })
  installProgram(join(root, 'slots', 'a'), files, sealed)
  writeFileSync(join(root, 'milepost'), STARTER, { mode: 0o755 })
  mkdirSync(join(root, 'store'))
  writeFileSync(join(root, 'store', 'trust.keys'), sealTrust(listOf(1, [signer]), signer))
  writeFileSync(
    join(root, 'store', 'store.bundle'),
    packBundle(
      {
        manifest: {
          store: { id: LANE.store, name: 'Northstar' },
          mode: 'production',
          lanes: [LANE.lane],
          profileSchema: PROFILE_SCHEMA,
          sequence: 1,
          madeAt: '2026-11-25T12:00:00Z',
          activeFrom: null,
          expiresAt: null,
        },
        files: new Map([
          ['profile.yaml', Buffer.from(profileOf(updatesUrl))],
          ['example-catalog.csv', readFileSync(at('stores/example-catalog.csv'))],
        ]),
      },
      signer,
    ),
  )
  return openLane(folder)
}

export function copyLane(from: string, to: string): InstalledLane {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
  chmodSync(join(to, 'data'), 0o700)
  return openLane(to)
}

export interface Running {
  readonly child: ChildProcess
  readonly link: () => Promise<string>
  readonly output: () => string
  readonly untilOutput: (text: string) => Promise<void>
  readonly ended: Promise<number | null>
  readonly kill: () => Promise<void>
}
export type InstalledLane = ReturnType<typeof openLane>

export function openLane(folder: string) {
  const [root, data] = [join(folder, 'root'), join(folder, 'data')]
  const starter = join(root, 'milepost')
  const place = ['--lane', LANE.lane, '--data', data]

  return {
    folder,
    root,
    data,
    database: join(data, 'terminal.db'),
    state: (): SlotsState => {
      const file = join(root, 'slots', 'state.json')
      return existsSync(file) ? SlotsState.parse(JSON.parse(readFileSync(file, 'utf8'))) : firstState('a')
    },

    async command(
      args: readonly string[],
      input = '',
    ): Promise<{ readonly code: number | null; readonly output: string }> {
      const child = spawn(starter, [...args, ...place], { stdio: ['pipe', 'pipe', 'pipe'] })
      child.stdin.end(input)
      const { ended, output } = follow(child)
      return { code: await ended, output: output() }
    },

    run(...commands: (readonly string[])[]): Running {
      const line = commands.map((args) => [starter, ...args, ...place].map(quoted).join(' ')).join(' ; ')
      return follow(spawn('/bin/sh', ['-c', line], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] }))
    },

    start: (): Running =>
      follow(spawn(starter, ['start', '--no-window', ...place], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })),
  }
}

const quoted = (argument: string): string => `'${argument.replaceAll("'", `'\\''`)}'`

function follow(child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }): Running {
  let output = ''
  const links: string[] = []
  const listeners = new Set<() => void>()
  const onLine = (line: string): void => {
    output += `${line}\n`
    const link = /ready; open (http:\S+)/.exec(line)?.[1]
    if (link !== undefined) links.push(link)
    for (const listener of listeners) listener()
  }
  createInterface({ input: child.stdout }).on('line', onLine)
  createInterface({ input: child.stderr }).on('line', onLine)
  const ended = once(child, 'close').then(([code]: unknown[]) => (typeof code === 'number' ? code : null))
  let isOver = false
  void ended.then(() => {
    isOver = true
    for (const listener of listeners) listener()
  })
  const nextLine = (): Promise<void> =>
    new Promise((resolve) => {
      const listener = (): void => {
        listeners.delete(listener)
        resolve()
      }
      listeners.add(listener)
    })
  let consumed = 0
  return {
    child,
    output: () => output,
    ended,
    async untilOutput(text) {
      while (!output.includes(text) && !isOver) await nextLine()
    },
    async link() {
      for (;;) {
        const next = links[consumed]
        if (next !== undefined) {
          consumed += 1
          return next
        }
        if (isOver) throw new Error(`it has ended:\n${output}`)
        await nextLine()
      }
    },
    async kill() {
      if (child.pid !== undefined) for (const pid of [child.pid, ...descendants(child.pid)]) killNow(pid)
      await ended
    },
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

function descendants(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    return children.flatMap((each) => [each, ...descendants(each)])
  } catch {
    return []
  }
}
