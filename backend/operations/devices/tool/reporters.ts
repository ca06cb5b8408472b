import type { DeviceReport, LaneDiskSpace, ToolEvent } from './report.ts'
import type { ToolMessages } from './messages.ts'

/** Output of the devices CLI command: for a terminal window, as lines of a log, or as JSON. */
export interface Reporter {
  picture(reports: readonly DeviceReport[]): void
  happened(event: ToolEvent, reports: readonly DeviceReport[]): void
}

type Write = (text: string) => void
type Room = () => LaneDiskSpace

/** Writes one JSON object per line: first `picture` with all devices and the disk space, then each event. */
export const jsonReporter = (write: Write, room: Room): Reporter => {
  const line = (value: object): void => {
    write(`${JSON.stringify(value)}\n`)
  }
  return {
    picture: (devices) => {
      line({ kind: 'picture', room: room(), devices })
    },
    happened(event, reports) {
      line(
        event.kind === 'health' ? { kind: 'health', device: reports.find(({ role }) => role === event.role) } : event,
      )
    },
  }
}

export const lineReporter = (write: Write, messages: ToolMessages, now: () => number, room: Room): Reporter => ({
  picture: (reports) => {
    write(`${[...messages.picture(reports), '', ...messages.room(room())].join('\n')}\n`)
  },
  happened: (event, reports) => {
    write(`${lineOf(event, reports, messages, now())}\n`)
  },
})

const LAST_LINES = 12
/** Moving the cursor and clearing single lines avoids flicker, which clearing the whole screen would cause. */
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

export function screenReporter(write: Write, messages: ToolMessages, now: () => number, room: Room): Reporter {
  const last: string[] = []
  let begun = false
  function draw(reports: readonly DeviceReport[]): void {
    const lines = [
      ...messages.picture(reports),
      '',
      ...messages.room(room()),
      '',
      ...last,
      ...(last.length > 0 ? [''] : []),
      messages.leave,
    ]
    const start = begun ? HOME : `${HOME}${CLEAR_BELOW}`
    write(`${start}${lines.map((line) => `${line}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`)
    begun = true
  }
  return {
    picture: draw,
    happened(event, reports) {
      // Events about health and reads are not listed, because the lines of the devices show them.
      if (event.kind === 'raw' || event.kind === 'test-page') {
        last.push(lineOf(event, reports, messages, now()))
        last.splice(0, last.length - LAST_LINES)
      }
      draw(reports)
    },
  }
}

const lineOf = (event: ToolEvent, reports: readonly DeviceReport[], messages: ToolMessages, now: number): string =>
  messages.eventLine(event, 'role' in event ? reports.find(({ role }) => role === event.role) : undefined, now)
