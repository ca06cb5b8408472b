import type {
  CheckedSection,
  LaneCheck,
  LaneFinding,
  LaneValue,
} from '../../../contracts/operations/lane-check-page.ts'
import {
  LANE_FINDINGS,
  type LaneFindingCode,
  type LaneState,
  isToDo,
} from '../../../contracts/operations/lane-check.ts'
import type { Locale, Localized } from '../../../contracts/core/locales.ts'
import { type Translate, translate } from '../../core/i18n.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import { momentForm, writtenDate } from '../../../contracts/i18n/written-date.ts'

export interface FindingText {
  readonly found: string
  readonly todo: string | null
}

const STATE_WIDTH = 14
const NAME_WIDTH = 27

export function laneCheckTexts(locale: Locale) {
  const t = translate(locale)
  const valuesIn = ({ values }: LaneFinding): Record<string, string | number> =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'object' ? value[locale] : value]),
    )

  function textOf(found: LaneFinding): FindingText {
    const values = valuesIn(found)
    const { code } = found
    return {
      found: t(`screens.laneCheck.found.${code}`, values),
      todo: isToDo(code) ? t(`screens.laneCheck.todoFor.${code}`, values) : null,
    }
  }

  return {
    textOf,
    lines({ check, findings }: CheckedSection): string[] {
      return findings.flatMap((one, index) => {
        const { found, todo } = textOf(one)
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
    ended: (check: LaneCheck): string => t('screens.laneCheck.ended', findingCounts(check)),
  }
}

/** Counts the findings that need an action: each has its own line with its state. */
const findingCounts = ({ parts }: LaneCheck): { readonly wrong: number; readonly attention: number } => {
  const states = parts.flatMap(({ findings }) => findings.map(({ code }) => LANE_FINDINGS[code]))
  const count = (wanted: LaneState): number => states.filter((state) => state === wanted).length
  return { wrong: count('wrong'), attention: count('attention') }
}

/**
 * Counts the checked sections in each state that needs an action. The state of a section is the worst of its findings.
 */
export const countsOf = ({ parts }: LaneCheck): { readonly wrong: number; readonly attention: number } => {
  const count = (wanted: LaneState): number => parts.filter(({ state }) => state === wanted).length
  return { wrong: count('wrong'), attention: count('attention') }
}

export const finding = (code: LaneFindingCode, values: Readonly<Record<string, LaneValue>> = {}): LaneFinding => ({
  code,
  values: { ...values },
})

export const inEach = (textIn: (t: Translate, locale: Locale) => string): Localized =>
  perLocale((locale) => textIn(translate(locale), locale))

export const dayIn = (at: Date, timeZone: string): Localized =>
  perLocale((locale) => writtenDate(new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }), at, locale))

/** Formats a time as the screens do, in 24 hours: after “p.m.” the full stop of a sentence would be a second one. */
export const timeIn = (at: Date, timeZone: string): Localized =>
  perLocale((locale) => writtenDate(momentForm(locale, { timeZone }), at, locale))

export const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'

export type Reporter = (check: LaneCheck) => void
type Write = (text: string) => void

/** Calls `each` once for each section in order, as soon as it and all earlier sections have ended. */
function inOrder(each: (section: LaneCheck['parts'][number]) => void): Reporter {
  let reported = 0
  return ({ parts }) => {
    for (
      let section = parts[reported];
      section !== undefined && section.state !== 'running';
      section = parts[reported]
    ) {
      each(section)
      reported += 1
    }
  }
}

const CLEAR = '\r\u001b[K'

/** Writes findings for people: a line per finding; in a terminal window also the section that is being checked. */
export function lineReporter(write: Write, locale: Locale, isWindow: boolean): Reporter {
  const texts = laneCheckTexts(locale)
  const report = inOrder((section) => {
    write(`${texts.lines(section).join('\n')}\n`)
  })
  return (check) => {
    if (isWindow) write(CLEAR)
    report(check)
    if (check.endedAt !== null) write(`\n${texts.ended(check)}\n`)
    else if (isWindow) write(texts.progress(check).slice(0, Math.max(20, process.stdout.columns - 1)))
  }
}

export function jsonReporter(write: Write, locale: Locale): Reporter {
  const texts = laneCheckTexts(locale)
  const line = (value: object): void => {
    write(`${JSON.stringify(value)}\n`)
  }
  const report = inOrder(({ check, state, findings, ms }) => {
    line({ kind: 'part', check, state, ms, findings: findings.map((one) => ({ ...one, ...texts.textOf(one) })) })
  })
  return (check) => {
    report(check)
    if (check.endedAt !== null) line({ kind: 'end', ...countsOf(check) })
  }
}
