import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claimDataFolder } from '../../../../backend/core/program/data-folder.ts'
import type { StorePlace } from '../../../../backend/store/channel.ts'
import { centralOption } from '../../rig/central.ts'
import { launch, type LaneReady, type LaunchedProcess } from '../../rig/process.ts'
import { keepDevice } from '../enrolled.ts'
import { openWindow, TerminalGoneError, type Window } from '../../rig/window.ts'
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
  let running: LaunchedProcess<LaneReady> | undefined
  let window: Window | undefined
  let looking: ((window: Window) => void)[] = []

  function launched(): LaunchedProcess<LaneReady> {
    if (!running) throw new Error('the lane has not been started')
    return running
  }
  function launchLane(): Promise<LaneReady> {
    const lane = ofStore ? ['--lane', ofStore.laneId] : []
    const place = ['--profile', shop.profile, '--data', data, ...lane, ...centralOption(shop.central)]
    running = launch<LaneReady>([PROGRAM, ...place, '--log-level', 'error', '--exit-with-stdin'], {
      MILEPOST_CLIENT_SECRET: shop.central.clientSecret,
      CRASH_STEPS: stepsFile,
      CRASH_ORDER: orderFile,
      // What was compiled once need not be compiled at every start.
      NODE_COMPILE_CACHE: shop.folder('compiled'),
    })
    return running.ready
  }

  /**
   * A window of the process that has said that it is ready; the one of an earlier process still knows who is signed in.
   */
  async function look(ready: LaneReady): Promise<Window> {
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
    const { ended, log } = launched()
    const end = await ended
    if (end !== 'SIGKILL') throw new Error(`the backend was to be killed, and ended with ${end}: ${log()}`)
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
      await look(await launchLane())
    },
    async startToDie(living) {
      const ready = await launchLane().catch(() => null)
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
      launched().child.kill('SIGKILL')
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
      const { child, ended } = launched()
      child.stdin.end()
      await ended
    },
  }
}
