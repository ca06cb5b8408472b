import { execFile } from 'node:child_process'
import { closeSync, constants, existsSync, fdatasyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import type { LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { laneDiskSpace } from '../devices/tool/report.ts'
import { outgoingAgent } from '../../../packages/delivery/outgoing.ts'
import { dayIn, finding, reasonOf } from './finding.ts'
import type { ReadLane } from './lane.ts'

const MB = 1_000_000

const ROOM = { enough: 'disk-enough', low: 'disk-low', short: 'disk-short' } as const

export function checkDisk({ dataFolder }: ReadLane): LaneFinding[] {
  const { freeMb, neededMb, state } = laneDiskSpace(dataFolder)
  return [finding(ROOM[state], { free: freeMb, needed: neededMb }), checkDiskSpeed(dataFolder)]
}

/**
 * Median duration of a synced write in ms from which the disk is reported as slow: a payment with miles syncs some five
 * times and should take less than 0.1 s.
 */
const SLOW_MS = 20
const WRITES = 15
const PAGE = Buffer.alloc(4096)
/** Flag of Linux for an unnamed file, which disappears with the process (open(2)). */
const O_TMPFILE = 0o20_200_000

function checkDiskSpeed(dataFolder: string): LaneFinding {
  let there = dataFolder
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there)
  try {
    const ms = Math.round(syncMs(there) * 10) / 10
    return finding(ms > SLOW_MS ? 'disk-slow' : 'disk-fast', { ms })
  } catch (error) {
    return reasonOf(error) === 'EROFS' ? finding('disk-read-only') : finding('disk-speed-unseen')
  }
}

function syncMs(folder: string): number {
  const { descriptor, file } = openNameless(folder)
  try {
    const took = Array.from({ length: WRITES }, (_, index) => {
      const before = performance.now()
      writeSync(descriptor, PAGE, 0, PAGE.byteLength, index * PAGE.byteLength)
      fdatasyncSync(descriptor)
      return performance.now() - before
    }).toSorted((one, other) => one - other)
    return took[Math.floor(took.length / 2)] ?? 0
  } finally {
    closeSync(descriptor)
    if (file !== null) rmSync(file, { force: true })
  }
}

function openNameless(folder: string): { readonly descriptor: number; readonly file: string | null } {
  if (process.platform === 'linux')
    try {
      return { descriptor: openSync(folder, O_TMPFILE | constants.O_RDWR, 0o600), file: null }
    } catch (error) {
      if (!['EOPNOTSUPP', 'EISDIR', 'ENOENT'].includes(reasonOf(error))) throw error
    }
  const file = join(folder, `terminal.check-${process.pid}`)
  return { descriptor: openSync(file, 'wx', 0o600), file }
}

/** Memory in MB that backend, training services and a browser window need in addition to the system. */
const NEEDED_MB = 300

export function checkMemory(): LaneFinding[] {
  const [free, total] = [process.availableMemory(), totalmem()].map((bytes) => Math.floor(bytes / MB))
  if (free === undefined || total === undefined) return []
  return [finding(free < NEEDED_MB ? 'memory-low' : 'memory-enough', { free, total })]
}

export async function checkClock(lane: ReadLane, signal: AbortSignal): Promise<LaneFinding[]> {
  const [synchronised, compared] = await Promise.all([isSynchronised(signal), comparedClock(lane, signal)])
  const years = compared.code === 'clock-unseen' ? checkFileTimes(lane) : []
  return [
    ...(synchronised === null ? [] : [finding(synchronised ? 'clock-in-step' : 'clock-not-in-step')]),
    compared,
    ...years,
  ]
}

/**
 * Difference in ms from which the clock counts as wrong: longer than a lane is ever unused, and shorter than the error
 * of a clock whose battery failed.
 */
const UNUSED_MS = 2 * 365 * 86_400_000

/**
 * Finds a wrong clock without a service: files of the lane (program, bundle, database, backups) are never dated in the
 * future, and some file of a lane in use is less than two years old.
 */
export function checkFileTimes({ bundle, dataFolder, now, timeZone }: ReadLane): LaneFinding[] {
  const times = [
    ...(bundle.kind === 'sold' ? [Date.parse(bundle.sold.manifest.madeAt)] : []),
    ...[join(dataFolder, 'terminal.db'), join(dataFolder, 'backups'), process.argv[1] ?? process.execPath].map(
      (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    ),
  ]
  const newest = Math.max(...times)
  const ahead = now().getTime() - newest
  if (ahead < -86_400_000) return [finding('clock-behind', { day: dayIn(new Date(newest), timeZone) })]
  return ahead > UNUSED_MS ? [finding('clock-far-ahead', { day: dayIn(new Date(newest), timeZone) })] : []
}

async function isSynchronised(signal: AbortSignal): Promise<boolean | null> {
  if (process.platform !== 'linux') return null
  const state = await output('timedatectl', ['show', '--property=NTPSynchronized', '--value'], signal)
  return state === 'yes' ? true : state === 'no' ? false : null
}

async function comparedClock({ running, read, now }: ReadLane, signal: AbortSignal): Promise<LaneFinding> {
  if (running !== null) {
    const { state, aheadSeconds } = running.clock()
    const seconds = String(Math.abs(aheadSeconds ?? 0))
    if (state === 'before-journal') return finding('clock-before-journal', { seconds })
    if (state === 'off-store') return finding('clock-off-store', { seconds })
    if (state === 'off-central') return finding('clock-off', { seconds })
    return finding('clock-right')
  }
  const endpoints = read.kind === 'good' ? read.profile.endpoints : undefined
  if (read.kind !== 'good' || endpoints === undefined) return finding('clock-unseen')
  const ahead = await clockAheadMs(endpoints, now, signal)
  if (ahead === null) return finding('clock-unseen')
  return Math.abs(ahead) > read.profile.limits.clockToleranceMs
    ? finding('clock-off', { seconds: String(Math.round(Math.abs(ahead) / 1_000)) })
    : finding('clock-right')
}

const ANSWERS_WITHIN_MS = 4_000

/**
 * Returns how many milliseconds this clock is ahead of the Date header of a service. A HEAD request for the server's
 * root has no effect.
 */
async function clockAheadMs(
  { cash }: NonNullable<Profile['endpoints']>,
  now: () => Date,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    const at = Date.parse(
      await dateOf(new URL('/', cash), AbortSignal.any([signal, AbortSignal.timeout(ANSWERS_WITHIN_MS)])),
    )
    return Number.isNaN(at) ? null : now().getTime() - at
  } catch {
    return null
  }
}

/** Accepts any certificate: for a clock that is wrong by years none is valid. The request contains no data. */
const dateOf = (url: URL, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:'
    const agent = isTls ? { agent: outgoingAgent({ rejectUnauthorized: false }) } : {}
    const ask = isTls ? httpsRequest : httpRequest
    ask(url, { method: 'HEAD', signal, ...agent }, (answer) => {
      answer.resume()
      resolve(answer.headers.date ?? '')
    })
      .on('error', reject)
      .end()
  })

const MONTHS = [0, 6]

export function checkTimeZone({ read, now }: ReadLane): LaneFinding[] {
  if (read.kind !== 'good') return [finding('needs-profile')]
  const machine = Intl.DateTimeFormat().resolvedOptions().timeZone
  const store = read.profile.timeZone
  const year = now().getUTCFullYear()
  const isSame = MONTHS.every((month) => {
    const at = new Date(Date.UTC(year, month, 15))
    return offsetAt(at, machine) === offsetAt(at, store)
  })
  return [isSame ? finding('zone-same', { zone: store }) : finding('zone-other', { machine, store })]
}

const offsetAt = (at: Date, timeZone: string): string | undefined =>
  new Intl.DateTimeFormat('en-CA', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value

export const output = (program: string, args: readonly string[], signal: AbortSignal): Promise<string | null> =>
  new Promise((resolve) => {
    execFile(program, [...args], { signal, timeout: 2_000, encoding: 'utf8' }, (error, stdout) => {
      resolve(error === null ? stdout.trim() : null)
    })
  })
