import type { LaneCheck } from '../../contracts/api/lane-check.ts'
import type { Locale } from '../../contracts/locales.ts'
import { countsOf, laneCheckWords } from './words.ts'

/** Told of the check at every change, and a last time at its end. */
export type Reporter = (check: LaneCheck) => void
type Write = (text: string) => void

/** Calls for each part once, in their order, as soon as those before it have ended. */
function inOrder(each: (part: LaneCheck['parts'][number]) => void): Reporter {
  let told = 0
  return ({ parts }) => {
    for (let part = parts[told]; part !== undefined && part.state !== 'running'; part = parts[told]) {
      each(part)
      told += 1
    }
  }
}

/** The start of the line, and nothing behind it. */
const CLEAR = '\r\u001b[K'

/** For people: a line for each finding, and in a terminal's window what is still under way. */
export function lineReporter(write: Write, locale: Locale, isWindow: boolean): Reporter {
  const words = laneCheckWords(locale)
  const tell = inOrder((part) => {
    write(`${words.lines(part).join('\n')}\n`)
  })
  return (check) => {
    if (isWindow) write(CLEAR)
    tell(check)
    if (check.endedAt !== null) write(`\n${words.ended(check)}\n`)
    else if (isWindow) write(words.progress(check).slice(0, Math.max(20, process.stdout.columns - 1)))
  }
}

/** For machines: an object a line, `part` for each part of the lane and `end`. */
export function jsonReporter(write: Write, locale: Locale): Reporter {
  const words = laneCheckWords(locale)
  const line = (value: object): void => {
    write(`${JSON.stringify(value)}\n`)
  }
  const tell = inOrder(({ check, state, findings, ms }) => {
    line({ kind: 'part', check, state, ms, findings: findings.map((one) => ({ ...one, ...words.said(one) })) })
  })
  return (check) => {
    tell(check)
    if (check.endedAt !== null) line({ kind: 'end', ...countsOf(check) })
  }
}
