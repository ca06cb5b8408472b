import { fork } from 'node:child_process'
import { z } from 'zod'
import { LaneCheck, type CheckedSection, type LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import { LANE_CHECKS, type LaneCheckId } from '../../../contracts/operations/lane-check.ts'
import { finding } from './finding.ts'
import type { LaneToCheck } from './lane.ts'
import { DEADLINE_MS, runLaneCheck } from './run.ts'

/*
 * Runs the lane check in a child process. A hanging disk blocks every thread of the process that reads it, and even its
 * exit; the parent reads nothing, so that it ends in time.
 */
const CheckMessage = z.union([
  z.object({ looksAt: z.enum(LANE_CHECKS) }),
  z.object({ check: LaneCheck }),
  z.object({ alive: z.literal(true) }),
])
type CheckMessage = z.infer<typeof CheckMessage>

/** Interval in ms at which the child reports that it is alive; only a hanging child stops doing so. */
const ALIVE_MS = 1_000
/** Time in ms without a report after which the child counts as hanging: enough for a slow machine whose disk works. */
const SILENCE_MS = 10_000

const MARK = 'MILEPOST_CHECK_BESIDE'
export const isCheckProcess = (): boolean => process.send !== undefined && process.env[MARK] === '1'

export async function checkForParent(lane: LaneToCheck): Promise<0> {
  // End this process when the parent process has ended, or needs no more messages.
  for (const event of ['disconnect', 'error'] as const) process.once(event, () => process.exit())
  const send = (message: CheckMessage): void => void process.send?.(message)
  setInterval(() => send({ alive: true }), ALIVE_MS).unref()
  const ended = await runLaneCheck(
    lane,
    (check) => send({ check }),
    DEADLINE_MS,
    (looksAt) => send({ looksAt }),
  )
  await new Promise((resolve) => process.send?.({ check: ended } satisfies CheckMessage, resolve))
  return 0
}

/**
 * Runs this program in a child process and passes on the results of its check. A section that hangs is reported as
 * such.
 */
export function checkInChild(
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
      // A process that hangs inside the system ignores even this signal, so the parent does not wait for its exit.
      child.kill('SIGKILL')
      if (check.endedAt === null) {
        check = abortedCheck(check, at, why)
        onChange(check)
      }
      resolve(check)
    }
    const timer = setTimeout(() => end(finding('hangs')), silenceMs)
    child.on('message', (received) => {
      timer.refresh()
      const message = CheckMessage.parse(received)
      if ('looksAt' in message) at = message.looksAt
      if (!('check' in message)) return
      check = message.check
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

/**
 * Ends the check: the section that was being checked gets the reason, and the other running sections are marked as not
 * checked.
 */
function abortedCheck(check: LaneCheck, last: LaneCheckId, why: LaneFinding): LaneCheck {
  const running = check.parts.filter(({ state }) => state === 'running')
  const at = running.find((section) => section.check === last) ?? running[0]
  const ended = (section: CheckedSection): CheckedSection => {
    if (section === at) return { ...section, state: 'wrong', findings: [why] }
    return section.state === 'running' ? { ...section, state: 'unseen', findings: [finding('took-too-long')] } : section
  }
  return { ...check, endedAt: new Date().toISOString(), parts: check.parts.map(ended) }
}
