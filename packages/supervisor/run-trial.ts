import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { startOf } from '../delivery/updates/program-files.ts'
import type { Slots } from '../delivery/updates/slots.ts'
import type { SlotName, WhyRefused } from '../delivery/updates/slots-state.ts'
import type { Exit } from './service.ts'

/** Environment variable of a program under supervision, which leaves restarts to its parent. */
export const SUPERVISED = 'MILEPOST_UNDER_ANOTHER'

export interface TrialOptions {
  readonly slots: Slots
  readonly slot: SlotName
  readonly args: readonly string[]
  readonly stopRequested: Promise<unknown>
  readonly patienceMs?: number | undefined
  readonly stopMs?: number | undefined
}

/**
 * The result of a trial. `failed`: the program ended before it was confirmed, so the next decision is due. `ended`: it
 * was confirmed or was closed normally.
 */
export type TrialEnd =
  | { readonly kind: 'failed'; readonly why: WhyRefused }
  | { readonly kind: 'ended'; readonly exit: Exit }

const LOOK_MS = 500
const PATIENCE_MS = 300_000
/** A stop timeout longer than that of a terminal for its own processes. */
const STOP_MS = 30_000

/**
 * Runs the program of a trial slot with this process’s input and output until the program ends. The good version
 * supervises it: a version that does not start, hangs, or crashes before it is confirmed is ended and has failed.
 */
export async function runTrial(options: TrialOptions): Promise<TrialEnd> {
  const { slots, slot, args, stopRequested, patienceMs = PATIENCE_MS, stopMs = STOP_MS } = options
  const start = startOf(slots.folderOf(slot), slots.platform)
  const child = spawn(start.file, [...start.args, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [SUPERVISED]: '1' },
  })
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  let isStopping = false
  void stopRequested.then(() => {
    isStopping = true
    void endOf(child, exited, stopMs)
  })
  const watch = watchTrial(slots, slot, patienceMs)
  const end = await Promise.race([exited, watch.failed])
  watch.stop()
  const { trial } = slots.state()
  const isTried = trial?.slot === slot
  if (typeof end === 'string') {
    await endOf(child, exited, stopMs)
    return fail(slots, end)
  }
  if (!isTried) return { kind: 'ended', exit: end }
  if (isStopping || (trial.began > 0 && end.code === 0)) {
    tryWrite(() => slots.forgetTry({ byItself: !isStopping }))
    return { kind: 'ended', exit: end }
  }
  return fail(slots, trial.began > 0 ? 'crashed' : 'ended')
}

function fail(slots: Slots, why: WhyRefused): TrialEnd {
  tryWrite(() => slots.noteFailure(why))
  return { kind: 'failed', why }
}

/** Disk errors are ignored, because they must not keep a lane from its good version; the next decision reports them. */
function tryWrite(write: () => void): void {
  try {
    write()
  } catch {
    // Nothing is lost if this write fails: the try was counted when it began.
  }
}

/** Polls the slots’ state file, in which the program on trial records its start and its confirmation. */
function watchTrial(slots: Slots, slot: SlotName, patienceMs: number) {
  const failed = Promise.withResolvers<WhyRefused>()
  const startedAt = performance.now()
  const timer = setInterval(() => {
    const { trial } = slots.state()
    if (trial?.slot !== slot) clearInterval(timer)
    else if (trial.began > 1) failed.resolve('crashed')
    else if (performance.now() - startedAt > patienceMs) failed.resolve('hung')
  }, LOOK_MS)
  return {
    failed: failed.promise,
    stop: () => {
      clearInterval(timer)
    },
  }
}

/** Ends the program on trial gracefully, or kills it and its descendants, which would keep the lane’s database open. */
async function endOf(child: ChildProcess, exited: Promise<Exit>, stopMs: number): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => {
    const { pid } = child
    if (pid === undefined) return
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true })
    for (const each of [...descendants(pid), pid]) end(each)
  }, stopMs)
  await exited
  clearTimeout(timer)
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

/**
 * Returns the descendants of a process, on Linux only. On other systems a backend ends with its standard input by its
 * parent guard.
 */
function descendants(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    return children.flatMap((each) => [...descendants(each), each])
  } catch {
    return []
  }
}
