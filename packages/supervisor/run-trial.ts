import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { startOf } from '../delivery/updates/program-files.ts'
import type { Slots } from '../delivery/updates/slots.ts'
import type { SlotName, WhyRefused } from '../delivery/updates/slots-state.ts'
import type { Exit } from './service.ts'

/** A program that runs under one that waits for it: it leaves starting again to that one. */
export const UNDER_ANOTHER = 'MILEPOST_UNDER_ANOTHER'

export interface TrialOptions {
  readonly slots: Slots
  readonly slot: SlotName
  /** As they were given to this program. */
  readonly args: readonly string[]
  /** Resolves when whoever started it asks for its end. */
  readonly askedToEnd: Promise<unknown>
  /** So long may a program take until it has served. Bringing up a large database belongs to it. */
  readonly patienceMs?: number | undefined
  /** And so long until it has ended in order, before it is killed with what it has started. */
  readonly stopMs?: number | undefined
}

/** `failed`: it has ended, unserved; the next decision is due. Else how it ended, served or closed in order. */
export type TrialEnd =
  | { readonly kind: 'failed'; readonly why: WhyRefused }
  | { readonly kind: 'ended'; readonly exit: Exit }

const LOOK_MS = 500
const PATIENCE_MS = 300_000
/** Longer than a terminal gives its parts to end in order. */
const STOP_MS = 30_000

/**
 * Runs the program of a slot that is tried, with the input and output of this one, and waits for its end. The good
 * slot's program watches: one that does not come up, hangs, or goes down before it has served is ended and has failed.
 */
export async function runTrial(options: TrialOptions): Promise<TrialEnd> {
  const { slots, slot, args, askedToEnd, patienceMs = PATIENCE_MS, stopMs = STOP_MS } = options
  const start = startOf(slots.folderOf(slot), slots.platform)
  const child = spawn(start.file, [...start.args, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [UNDER_ANOTHER]: '1' },
  })
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  let isAsked = false
  void askedToEnd.then(() => {
    isAsked = true
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
  if (isAsked || (trial.began > 0 && end.code === 0)) {
    noted(() => slots.forgetTry({ byItself: !isAsked }))
    return { kind: 'ended', exit: end }
  }
  return fail(slots, trial.began > 0 ? 'crashed' : 'ended')
}

function fail(slots: Slots, why: WhyRefused): TrialEnd {
  noted(() => slots.noteFailure(why))
  return { kind: 'failed', why }
}

/** A disk that refuses it keeps no lane from its good program: the next decision meets it again, and says so. */
function noted(write: () => void): void {
  try {
    write()
  } catch {
    // The try was counted when it began.
  }
}

/** What its state file says of it: the program itself notes that it began, and that it served. */
function watchTrial(slots: Slots, slot: SlotName, patienceMs: number) {
  const failed = Promise.withResolvers<WhyRefused>()
  const began = performance.now()
  const timer = setInterval(() => {
    const { trial } = slots.state()
    if (trial?.slot !== slot) clearInterval(timer)
    else if (trial.began > 1) failed.resolve('crashed')
    else if (performance.now() - began > patienceMs) failed.resolve('hung')
  }, LOOK_MS)
  return {
    failed: failed.promise,
    stop: () => {
      clearInterval(timer)
    },
  }
}

/** In order where it listens; else it and what it has started, which would keep the lane's database. */
async function endOf(child: ChildProcess, exited: Promise<Exit>, stopMs: number): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => {
    const { pid } = child
    if (pid === undefined) return
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true })
    for (const each of [...offspring(pid), pid]) end(each)
  }, stopMs)
  await exited
  clearTimeout(timer)
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Elsewhere than on Linux a backend ends with its standard input, as its parent guard asks. */
function offspring(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    return children.flatMap((each) => [...offspring(each), each])
  } catch {
    return []
  }
}
