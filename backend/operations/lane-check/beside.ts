import { fork } from 'node:child_process'
import { z } from 'zod'
import { LaneCheck, type CheckedPart, type LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import { LANE_CHECKS, type LaneCheckId } from '../../../contracts/operations/lane-check.ts'
import { finding } from './finding.ts'
import type { LaneToCheck } from './lane.ts'
import { DEADLINE_MS, runLaneCheck } from './run.ts'

/*
 * A check in a process of its own. A read of a disk that hangs holds the whole process that asks, threads and exit with
 * it: whoever tells of the check reads nothing, and ends in time.
 */
const Told = z.union([
  z.object({ looksAt: z.enum(LANE_CHECKS) }),
  z.object({ check: LaneCheck }),
  z.object({ alive: z.literal(true) }),
])
type Told = z.infer<typeof Told>

/** Who looks says so often that it lives, and ends by itself in time: only what hangs is silent. */
const ALIVE_MS = 1_000
/** A machine on which everything is slow is not one whose disk hangs. */
const SILENCE_MS = 10_000

const MARK = 'MILEPOST_CHECK_BESIDE'
/** Whether this process looks, and another tells. */
export const isBeside = (): boolean => process.send !== undefined && process.env[MARK] === '1'

/** Looks, and tells who asked. */
export async function tellBeside(lane: LaneToCheck): Promise<0> {
  // Who asked has heard enough, or was ended.
  for (const event of ['disconnect', 'error'] as const) process.once(event, () => process.exit())
  const tell = (told: Told): void => void process.send?.(told)
  setInterval(() => tell({ alive: true }), ALIVE_MS).unref()
  const ended = await runLaneCheck(
    lane,
    (check) => tell({ check }),
    DEADLINE_MS,
    (looksAt) => tell({ looksAt }),
  )
  await new Promise((resolve) => process.send?.({ check: ended } satisfies Told, resolve))
  return 0
}

/** Has the program look beside this one, and tells of the check as it stands. What hangs is told as such. */
export function checkBeside(
  program: string,
  args: readonly string[],
  onChange: (check: LaneCheck) => void,
  silenceMs = SILENCE_MS,
): Promise<LaneCheck> {
  const child = fork(program, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, [MARK]: '1' },
  })
  let check = notBegun()
  let at: LaneCheckId = 'profile'
  return new Promise((resolve) => {
    const end = (why: LaneFinding): void => {
      clearTimeout(timer)
      child.removeAllListeners()
      // Where it hangs in the system itself it does not even end by that, and is not waited for.
      child.kill('SIGKILL')
      if (check.endedAt === null) {
        check = brokenOff(check, at, why)
        onChange(check)
      }
      resolve(check)
    }
    const timer = setTimeout(() => end(finding('hangs')), silenceMs)
    child.on('message', (message) => {
      timer.refresh()
      const told = Told.parse(message)
      if ('looksAt' in told) at = told.looksAt
      if (!('check' in told)) return
      check = told.check
      onChange(check)
      if (check.endedAt !== null) end(finding('took-too-long'))
    })
    child.once('error', (error) => end(finding('broke-off', { reason: error.name })))
    child.once('exit', (code, signal) => end(finding('broke-off', { reason: signal ?? String(code) })))
  })
}

const notBegun = (): LaneCheck => ({
  id: '',
  startedAt: new Date().toISOString(),
  endedAt: null,
  parts: LANE_CHECKS.map((check) => ({ check, state: 'running', findings: [], ms: null })),
})

/** What had not ended by then: the part that was looked at last is why, the others were never come to. */
function brokenOff(check: LaneCheck, last: LaneCheckId, why: LaneFinding): LaneCheck {
  const running = check.parts.filter(({ state }) => state === 'running')
  const at = running.find((part) => part.check === last) ?? running[0]
  const ended = (part: CheckedPart): CheckedPart => {
    if (part === at) return { ...part, state: 'wrong', findings: [why] }
    return part.state === 'running' ? { ...part, state: 'unseen', findings: [finding('took-too-long')] } : part
  }
  return { ...check, endedAt: new Date().toISOString(), parts: check.parts.map(ended) }
}
