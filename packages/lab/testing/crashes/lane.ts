import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { claimDataFolder } from '../../../../backend/core/program/data-folder.ts'
import type { StorePlace } from '../../../../backend/store/channel.ts'
import { keepDevice } from '../enrolled.ts'
import { openWindow, TerminalGoneError, type Window } from '../window.ts'
import type { Shop } from './shop.ts'

/** Where a lane is to die: at the so-many-eth time that it passes this step. */
export interface Death {
  readonly step: string
  readonly occurrence: number
}

/** One lane of the shop: a data folder, and a backend process on it that can be killed and started again. */
export interface CrashingLane {
  readonly data: string
  /** Of the process that runs now. */
  readonly window: Window
  /** The window that follows this one, as soon as the backend runs again. */
  following(window: Window): Promise<Window>
  /** Starts the backend; somebody is signed in when it resolves. */
  start(): Promise<void>
  /**
   * Starts the backend and resolves when it has died where `dieAt` said; throws when it lives when `living` resolves.
   */
  startToDie(living: (window: Window) => Promise<void>): Promise<void>
  /** From now on it dies there; null takes the order back. */
  dieAt(death: Death | null): void
  /** Resolves when the process was killed; rejects when it ended in another way. */
  death(): Promise<void>
  /** Kills it from outside, wherever it is. */
  kill(): Promise<void>
  /** Every step that was passed since the last `forgetSteps`, oldest first. */
  steps(): string[]
  forgetSteps(): void
  stop(): Promise<void>
}

const ROOT = join(import.meta.dirname, '../../../..')
const PROGRAM = join(ROOT, 'build/crash-program/packages/lab/testing/crash-process.js')
// It starts in two thirds of the time of its sources.
execFileSync(process.execPath, [...process.execArgv, 'scripts/build.ts', '--crash-program', '--stale'], {
  cwd: ROOT,
  stdio: 'inherit',
})

/** `ofStore`: which lane of the profile it is, as one that was enrolled with this store’s server. */
export function prepareLane(
  shop: Shop,
  name: string,
  ofStore?: { readonly laneId: string; readonly place: StorePlace },
): CrashingLane {
  const folder = shop.folder(name)
  const data = join(folder, 'data')
  if (ofStore) {
    const made = claimDataFolder(data, null, null)
    keepDevice(data, made.masterKey, ofStore.place)
    made.release()
  }
  const stepsFile = join(folder, 'steps')
  const orderFile = join(folder, 'order')
  let child: ChildProcess
  let exited: Promise<unknown[]>
  let said = ''
  let window: Window | undefined
  let looking: ((window: Window) => void)[] = []

  /** Resolves with the ready line, or with null when it died before that. */
  async function launch(): Promise<{ url: string; launchUrl: string } | null> {
    const { url, tokenUrl, clientId, clientSecret, memberSignInUrl, revocationUrl, issuer } = shop.central
    const started = spawn(
      process.execPath,
      [
        PROGRAM,
        '--profile',
        shop.profile,
        '--data',
        data,
        '--central-json',
        JSON.stringify({ url, tokenUrl, clientId, memberSignInUrl, revocationUrl, issuer }),
        '--log-level',
        'error',
        '--exit-with-stdin',
        ...(ofStore ? ['--lane', ofStore.laneId] : []),
      ],
      {
        stdio: ['pipe', 'pipe', 'pipe'],
        // What was compiled once need not be compiled at every start.
        env: {
          ...process.env,
          MILEPOST_CLIENT_SECRET: clientSecret,
          CRASH_STEPS: stepsFile,
          CRASH_ORDER: orderFile,
          NODE_COMPILE_CACHE: shop.folder('compiled'),
        },
      },
    )
    child = started
    exited = once(started, 'exit')
    said = ''
    started.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const line = await Promise.race([once(createInterface({ input: started.stdout }), 'line'), exited.then(() => null)])
    return line === null ? null : (JSON.parse(String(line[0])) as { url: string; launchUrl: string })
  }

  /**
   * A window of the process that has said that it is ready; the one of an earlier process still knows who is signed in.
   */
  async function look(ready: { url: string; launchUrl: string }): Promise<Window> {
    const known = window?.key
    const opened = await openWindow(ready.url, known === undefined ? { launchUrl: ready.launchUrl } : { key: known })
    // A start signs everybody out.
    await opened.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
    window = opened
    const told = looking
    looking = []
    for (const notify of told) notify(opened)
    return opened
  }

  async function death(): Promise<void> {
    const [code, signal] = await exited
    if (signal !== 'SIGKILL')
      throw new Error(`the backend was to be killed, and ended with ${String(code ?? signal)}: ${said}`)
    window?.close()
  }

  return {
    data,
    get window() {
      if (!window) throw new Error('the lane has not been started')
      return window
    },
    following: async (gone) =>
      window && window !== gone
        ? window
        : new Promise((resolve) => {
            looking.push(resolve)
          }),
    async start() {
      const ready = await launch()
      if (!ready) throw new Error(`the backend did not start: ${said}`)
      await look(ready)
    },
    async startToDie(living) {
      const ready = await launch()
      const lived =
        ready &&
        (await look(ready)
          .then(living)
          .then(
            () => true,
            (error: unknown) => {
              if (error instanceof TerminalGoneError) return false
              throw error
            },
          ))
      if (lived) throw new Error('the backend has not died at its start')
      await death()
    },
    dieAt(death) {
      if (!death) return rmSync(orderFile, { force: true })
      // In one piece: the backend may read it at any moment.
      writeFileSync(`${orderFile}.new`, JSON.stringify(death))
      renameSync(`${orderFile}.new`, orderFile)
    },
    death,
    async kill() {
      child.kill('SIGKILL')
      await death()
    },
    steps: () =>
      existsSync(stepsFile)
        ? readFileSync(stepsFile, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
        : [],
    forgetSteps: () => {
      rmSync(stepsFile, { force: true })
    },
    async stop() {
      window?.close()
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin?.end()
      await exited
    },
  }
}
