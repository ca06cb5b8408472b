import type { AuditEntry } from '../../../contracts/api/audit.ts'
import { isAuditKind } from '../../../contracts/audit-kinds.ts'
import { useWords } from '../../i18n/words.tsx'

export interface EntryWords {
  readonly title: string
  /** What it was done to, where that says anything to a person. */
  readonly subject: string | null
  readonly facts: readonly (readonly [label: string, value: string])[]
}

/** Of use to the program alone: names of jobs, windows and calls, and digests. */
const NOT_SHOWN = new Set(['job', 'window', 'digests', 'covers', 'transactionId', 'call'])
/** Facts that name a person. */
const PEOPLE = new Set(['approvedBy', 'askedBy', 'cashier', 'confirmedBy', 'person'])
const MOMENTS = new Set(['until', 'newestEntry', 'from', 'to'])
/** Kinds whose amounts stand under the names of other things. */
const PRICED = new Set(['price-changed', 'discount-given'])
const PRICES = new Set(['before', 'after', 'off'])

/** An entry in words of a store. What this program has no words for is shown by its name. */
export function useEntryWords(nameOf: (staffId: string) => string | undefined): (entry: AuditEntry) => EntryWords {
  const { t, format } = useWords()
  const word = (of: 'fact' | 'value', code: string): string => {
    const key = `audit.${of}.${code}`
    // A point would lead to another place of the catalog.
    return !code.includes('.') && t.has(key as never) ? t(key as never) : code
  }

  function valueOf(kind: string, name: string, value: string | number | boolean): string {
    if (typeof value === 'number')
      return name.endsWith('Cents') || (PRICED.has(kind) && PRICES.has(name))
        ? format.money(value)
        : format.miles(value)
    if (typeof value === 'boolean') return word('value', String(value))
    if (PEOPLE.has(name)) return nameOf(value) ?? value
    if (name === 'setting' && t.has(`settings.name.${value}` as never)) return t(`settings.name.${value}` as never)
    if (MOMENTS.has(name) && value.includes('T') && !Number.isNaN(Date.parse(value))) return format.dateTime(value)
    return value.startsWith('{') ? partsOf(value) : word('value', value)
  }

  /** A fact that is several: their values, one after another. */
  function partsOf(json: string): string {
    try {
      return Object.values(JSON.parse(json) as Record<string, unknown>)
        .map((part) => word('value', String(part)))
        .join(', ')
    } catch {
      return json
    }
  }

  function subjectOf(subject: string): string {
    const [, of, number = ''] = /^(shift|z)-(\d+)$/.exec(subject) ?? []
    return of === 'shift' || of === 'z' ? t(`audit.${of}`, { number }) : (nameOf(subject) ?? subject)
  }

  return ({ kind, subject, detail }) => {
    const facts = Object.entries(detail).flatMap(([name, value]) =>
      value === null || NOT_SHOWN.has(name) ? [] : [[word('fact', name), valueOf(kind, name, value)] as const],
    )
    return {
      title: isAuditKind(kind) ? t(`audit.kind.${kind}`) : kind.replaceAll('-', ' '),
      subject: subject === null || subject === '' ? null : subjectOf(subject),
      facts,
    }
  }
}
