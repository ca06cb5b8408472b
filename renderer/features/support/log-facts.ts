import type { SupportFile } from '../../../contracts/api/support.ts'
import type { Fact, Speech } from './fact.ts'

/** How often each warning was written, the most frequent first. */
export const errorsOf = ({ errors }: SupportFile, { t, format }: Speech): Fact[] =>
  errors.counts.map(({ level, message, count, lastAt }): Fact => [
    `${t(`support.level.${level}`)} · ${message ?? t('support.unknownMessage')}`,
    t('support.times', { count: format.miles(count), time: format.dateTime(lastAt) }),
  ])

/** What was left out, and the newest lines by their structure. Their words are the program's own, in English. */
export function logOf({ log }: SupportFile, { t, format }: Speech): Fact[] {
  const { lines, unreadable, unknownMessages, droppedFields, entries } = log
  return [
    [t('support.fact.lines'), format.miles(lines)],
    [t('support.fact.unreadable'), format.miles(unreadable)],
    [t('support.fact.unknownMessages'), format.miles(unknownMessages)],
    [t('support.fact.droppedFields'), format.miles(droppedFields)],
    ...entries
      .toReversed()
      .map(({ at, level, message, ...facts }): Fact => [
        `${format.dateTime(at)} · ${t(`support.level.${level}`)}`,
        [
          message ?? t('support.unknownMessage'),
          ...Object.entries(facts).map(([name, fact]) => `${name} ${fact}`),
        ].join(' · '),
      ]),
  ]
}
