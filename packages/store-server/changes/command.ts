import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { isSettingOfRights } from '../../../contracts/staff/setting-names.ts'
import { AnyChangeFact, PersonChange } from '../../../contracts/store/changes.ts'
import { needOwner } from '../db/owner.ts'
import type { Postgres } from '../db/postgres.ts'
import { minuteOf, printable, refused, translatorOf } from '../log.ts'

export type ChangesAction =
  | { readonly kind: 'list' }
  | {
      readonly kind: 'confirm'
      readonly stream: string
      readonly seq: number
      readonly by: string
      readonly why: string
    }

const KINDS = ['person', 'person-pin', 'person-badge', 'setting'] as const
type Kind = (typeof KINDS)[number]

/** Newest change of each subject; for equal logical clocks the higher lane number wins, as on the lanes. */
const NEWEST = `SELECT DISTINCT ON (store, kind, body ->> 'subject') fact.stream, fact.seq, store, lane, kind, body,
    confirmed_by IS NOT NULL AS "isConfirmed"
  FROM fact JOIN stream ON stream.name = fact.stream
  LEFT JOIN change_confirmed AS confirmed ON confirmed.stream = fact.stream AND confirmed.seq = fact.seq
  WHERE kind = ANY ($1) AND jsonb_typeof(body -> 'clock') = 'number'
    AND NOT EXISTS (SELECT 1 FROM fact_aside WHERE fact_aside.stream = fact.stream AND fact_aside.seq = fact.seq)
  ORDER BY store, kind, body ->> 'subject', (body ->> 'clock')::numeric DESC, lane COLLATE "C" DESC`
const CONFIRM = `INSERT INTO change_confirmed (stream, seq, confirmed_by, why)
  SELECT stream, seq, $3, $4 FROM fact WHERE stream = $1 AND seq = $2 AND kind = ANY ($5) ON CONFLICT DO NOTHING`

interface Row {
  readonly stream: string
  readonly seq: number
  readonly store: string
  readonly lane: string
  readonly kind: Kind
  readonly body: unknown
  readonly isConfirmed: boolean
  readonly [column: string]: unknown
}

/**
 * Lists changes of roles, PINs, badges and settings that wait for the owner's confirmation, or confirms one. Rejects
 * with a readable error if the database user is not the owner, or the change is unknown or already confirmed.
 */
export async function runChanges(
  postgres: Postgres,
  action: ChangesAction,
  locale: Locale = FIRST_LOCALE,
): Promise<string> {
  await needOwner(postgres)
  const translate = translatorOf(locale)
  if (action.kind === 'list') return listed((await postgres.query<Row>(NEWEST, [KINDS])).rows, translate)
  const { stream, seq, by, why } = action
  const fact = `${stream}/${seq}`
  if ((await postgres.query(CONFIRM, [stream, seq, by, why, KINDS])).count > 0)
    return `${translate('changes.confirmed', { fact })}\n`
  throw refused('changeUnknown', { fact })
}

function listed(rows: readonly Row[], translate: ReturnType<typeof translatorOf>): string {
  const withoutRights = new Set(rows.flatMap((row) => (isWithoutRights(row) ? [personOf(row)] : [])))
  const lines = rows.flatMap((row) => {
    const { stream, seq, store, lane, kind, isConfirmed } = row
    const read = AnyChangeFact.safeParse(row.body)
    if (!read.success || isConfirmed || !needsConfirmation(row, read.data.subject, withoutRights)) return []
    const { subject, by, at } = read.data
    const what = kind === 'person' ? 'role' : kind
    return translate('changes.line', {
      fact: `${stream}/${seq}`,
      what: translate(`changes.what.${what}`, { subject: printable(subject), to: toOf(row) }),
      lane: `${store}/${lane}`,
      by: by === null ? '-' : printable(by.name),
      at: minuteOf(new Date(at)),
    })
  })
  if (lines.length === 0) return `${translate('changes.none')}\n`
  return `${[...lines, '', translate('changes.look'), translate('changes.confirm')].join('\n')}\n`
}

const personOf = ({ store, body }: Row): string => `${store} ${AnyChangeFact.safeParse(body).data?.subject ?? ''}`

function isWithoutRights({ kind, body }: Row): boolean {
  if (kind !== 'person') return false
  const change = PersonChange.safeParse(AnyChangeFact.safeParse(body).data?.value)
  return change.success && (!change.data.active || change.data.role === 'cashier')
}

function needsConfirmation(row: Row, subject: string, withoutRights: ReadonlySet<string>): boolean {
  return row.kind === 'setting' ? isSettingOfRights(subject) : !withoutRights.has(personOf(row))
}

function toOf({ kind, body }: Row): string {
  const value = AnyChangeFact.safeParse(body).data?.value
  if (kind === 'person') return PersonChange.safeParse(value).data?.role ?? ''
  return kind === 'setting' ? printable(JSON.stringify(value)) : ''
}
