import type { DeviceReport, LaneDiskSpace, ToolEvent } from './report.ts'
import type { ToolMessages } from './messages.ts'

/** How the tool shows what it sees: to a person at a terminal window, in lines for a log, or to a machine. */
export interface Reporter {
  /** Everything, as it is now. */
  picture(reports: readonly DeviceReport[]): void
  /** What has just happened; `reports` are as they are since. */
  happened(event: ToolEvent, reports: readonly DeviceReport[]): void
}

type Write = (text: string) => void
type Room = () => LaneDiskSpace

/** An object a line: `picture` with all devices and the space on the disk, then what happens, as it happens. */
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

/** The picture once, then a line for everything that happens. */
export const lineReporter = (write: Write, words: ToolMessages, now: () => number, room: Room): Reporter => ({
  picture: (reports) => {
    write(`${[...words.picture(reports), '', ...words.room(room())].join('\n')}\n`)
  },
  happened: (event, reports) => {
    write(`${lineOf(event, reports, words, now())}\n`)
  },
})

/** How many of the last lines stand under the picture. */
const LAST_LINES = 12
/** Home, and each line ends by clearing what stood there: no flicker. */
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

/** The picture drawn anew at every change, with what happened last under it. */
export function screenReporter(write: Write, words: ToolMessages, now: () => number, room: Room): Reporter {
  const last: string[] = []
  let begun = false
  function draw(reports: readonly DeviceReport[]): void {
    const lines = [
      ...words.picture(reports),
      '',
      ...words.room(room()),
      '',
      ...last,
      ...(last.length > 0 ? [''] : []),
      words.leave,
    ]
    const start = begun ? HOME : `${HOME}${CLEAR_BELOW}`
    write(`${start}${lines.map((line) => `${line}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`)
    begun = true
  }
  return {
    picture: draw,
    happened(event, reports) {
      // The picture itself shows health and reads.
      if (event.kind === 'raw' || event.kind === 'test-page') {
        last.push(lineOf(event, reports, words, now()))
        last.splice(0, last.length - LAST_LINES)
      }
      draw(reports)
    },
  }
}

const lineOf = (event: ToolEvent, reports: readonly DeviceReport[], words: ToolMessages, now: number): string =>
  words.eventLine(event, 'role' in event ? reports.find(({ role }) => role === event.role) : undefined, now)
