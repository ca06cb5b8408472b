import type { CheckedPart, LaneCheck, LaneFinding } from '../../contracts/api/lane-check.ts'
import { isToDo, LANE_FINDINGS, type LaneState } from '../../contracts/lane-check.ts'
import type { Locale } from '../../contracts/locales.ts'
import { translate } from '../i18n.ts'

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
