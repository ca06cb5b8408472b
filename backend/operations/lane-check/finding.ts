import type { CheckedPart, LaneCheck, LaneFinding, LaneValue } from '../../../contracts/operations/lane-check-page.ts'
import {
  LANE_FINDINGS,
  type LaneFindingCode,
  type LaneState,
  isToDo,
} from '../../../contracts/operations/lane-check.ts'
import type { Locale, Localized } from '../../../contracts/core/locales.ts'
import { type Translate, translate } from '../../core/i18n.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import { momentForm, writtenDate } from '../../../contracts/i18n/moment.ts'

/** A finding in one language. */
export interface SaidFinding {
  readonly found: string
  /** Null where there is nothing to do. */
  readonly todo: string | null
}

const STATE_WIDTH = 14
const NAME_WIDTH = 24

/** A check as plain text in one language. Pure. */
export function laneCheckWords(locale: Locale) {
  const t = translate(locale)
  const valuesIn = ({ values }: LaneFinding): Record<string, string | number> =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? value[locale] : value]),
    )

  function said(found: LaneFinding): SaidFinding {
    const values = valuesIn(found)
    const { code } = found
    return {
      found: t(`screens.laneCheck.found.${code}`, values),
      todo: isToDo(code) ? t(`screens.laneCheck.todoFor.${code}`, values) : null,
    }
  }

  return {
    said,
    /** A line for each finding, and one under it where something is to do. */
    lines({ check, findings }: CheckedPart): string[] {
      return findings.flatMap((one, index) => {
        const { found, todo } = said(one)
        const state = t(`screens.laneCheck.state.${LANE_FINDINGS[one.code]}`).padEnd(STATE_WIDTH)
        const name = (index === 0 ? t(`screens.laneCheck.check.${check}`) : '').padEnd(NAME_WIDTH)
        return [
          `${state}${name}${found}`,
          ...(todo === null ? [] : [`${' '.repeat(STATE_WIDTH + NAME_WIDTH)}${t('screens.laneCheck.todo', { todo })}`]),
        ]
      })
    },
    progress: ({ parts }: LaneCheck): string => {
      const running = parts.filter(({ state }) => state === 'running')
      const names = running.map(({ check }) => t(`screens.laneCheck.check.${check}`)).join(', ')
      return `${t('screens.laneCheck.running')} ${names}`
    },
    ended: (check: LaneCheck): string => t('screens.laneCheck.ended', countsOf(check)),
  }
}

/** How many parts need somebody. */
export const countsOf = ({ parts }: LaneCheck): { readonly wrong: number; readonly attention: number } => {
  const count = (wanted: LaneState): number => parts.filter(({ state }) => state === wanted).length
  return { wrong: count('wrong'), attention: count('attention') }
}

export const finding = (code: LaneFindingCode, values: Readonly<Record<string, LaneValue>> = {}): LaneFinding => ({
  code,
  values: { ...values },
})

/** Words that are another in each language. */
export const inEach = (say: (t: Translate, locale: Locale) => string): Localized =>
  perLocale((locale) => say(translate(locale), locale))

export const dayIn = (at: Date, timeZone: string): Localized =>
  perLocale((locale) => writtenDate(new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }), at, locale))

/** As on every screen: a sentence would end with two full stops behind “p.m.”. */
export const timeIn = (at: Date, timeZone: string): Localized =>
  perLocale((locale) => writtenDate(momentForm(locale, { timeZone }), at, locale))

/** The system's own name of what went wrong: nothing of the lane's can be in it. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'

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
