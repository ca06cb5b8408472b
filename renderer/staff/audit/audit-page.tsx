import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Download, RefreshCw, ScrollText, SearchX, X } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import type { AuditEntry, AuditFilter, AuditPage as Entries } from '../../../contracts/staff/audit.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { saveBlob } from '../../core/ui/save-file.ts'
import { Empty } from '../../core/ui/surface.tsx'
import { Verification } from './verification.tsx'
import styles from './audit.module.css'
import type { z } from 'zod'
import { AUDIT_GROUPS, isAuditKind } from '../../../contracts/staff/audit-kinds.ts'
import { ChoiceField, DayField, FilterRow, TextFilter } from '../../core/ui/filter-fields.tsx'

const PAGE = 25
const FORMATS = { csv: 'audit.exportCsv', json: 'audit.exportJson' } as const
type Format = keyof typeof FORMATS

export function AuditPage() {
  const { t } = useI18n()
  const queries = useQueryClient()
  const [filter, setFilter] = useState<Filter>({})
  const [people, setPeople] = useState<Entries['people']>([])
  const asked = useDeferredValue(filter)
  return (
    <>
      <PageHead title={t('audit.title')} intro={t('audit.intro')}>
        <Button icon={<RefreshCw />} onPress={() => void queries.invalidateQueries({ queryKey: ['audit'] })}>
          {t('store.refresh')}
        </Button>
      </PageHead>
      <Verification />
      <Filters filter={filter} people={people} onChange={setFilter} />
      <Pages key={JSON.stringify(asked)} filter={asked} onPeople={setPeople} />
    </>
  )
}

/** The pages of a filtered list; `trail` holds the cursors of the previous pages. */
function Pages({
  filter,
  onPeople,
}: {
  readonly filter: Filter
  readonly onPeople: (people: Entries['people']) => void
}) {
  const { t } = useI18n()
  const [trail, setTrail] = useState<readonly string[]>([])
  const after = trail.at(-1)
  const page = useQuery({
    queryKey: ['audit', filter, after],
    queryFn: async ({ signal }) => {
      const found = await storeApi.audit({ ...filter, after, limit: PAGE }, signal)
      onPeople(found.people)
      return found
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  if (page.isPending) return <p role="status">{t('app.loading')}</p>
  if (page.isError) return <LoadFailed error={page.error} retry={() => void page.refetch()} />
  const { entries, next, people } = page.data
  if (entries.length === 0) {
    const filtered = Object.keys(filter).length > 0
    return (
      <div className="nothing">
        <Empty
          icon={filtered ? <SearchX /> : <ScrollText />}
          title={t(filtered ? 'audit.noneTitle' : 'audit.emptyTitle')}
          text={t(filtered ? 'audit.none' : 'audit.empty')}
        />
      </div>
    )
  }
  return (
    <>
      <EntryTable entries={entries} people={people} />
      <footer className={`wrap-2 above-3 ${styles['foot']}`}>
        <Button icon={<ArrowUp />} isDisabled={trail.length === 0} onPress={() => setTrail(trail.slice(0, -1))}>
          {t('audit.newer')}
        </Button>
        <Button
          icon={<ArrowDown />}
          isDisabled={next === null || page.isPlaceholderData}
          onPress={() => {
            if (next !== null) setTrail([...trail, next])
          }}
        >
          {t('audit.older')}
        </Button>
        <Exports filter={filter} />
      </footer>
    </>
  )
}

function EntryTable({ entries, people }: Pick<Entries, 'entries' | 'people'>) {
  const { t, format } = useI18n()
  const nameOf = (staffId: string): string | undefined => people.find(({ id }) => id === staffId)?.name
  const textsOf = useEntryTexts(nameOf)
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['entries']} selectable`} aria-label={t('audit.list')}>
        <thead>
          <tr>
            <th scope="col">{t('audit.time')}</th>
            <th scope="col">{t('audit.what')}</th>
            <th scope="col">{t('audit.person')}</th>
            <th scope="col">{t('audit.details')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => {
            const { title, subject, facts } = textsOf(entry)
            return (
              <tr key={entry.number}>
                <td className={styles['time']}>
                  {format.dateTime(entry.at)}
                  <small className="block note anywhere weight-400">
                    {t('audit.number', { number: format.miles(entry.number) })}
                  </small>
                </td>
                <th scope="row">
                  {title}
                  {subject !== null && <small className="block note anywhere weight-400">{subject}</small>}
                </th>
                <td className={styles['person']}>
                  {entry.actor === null ? t('audit.terminal') : (nameOf(entry.actor) ?? entry.actor)}
                </td>
                <td>
                  <dl className="wrap">
                    {facts.map(([label, value]) => (
                      <div key={label}>
                        <dt className="dim">{label}</dt>
                        <dd className="min-width-0 anywhere flush">{value}</dd>
                      </div>
                    ))}
                  </dl>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </TableWrap>
  )
}

function Exports({ filter }: { readonly filter: Filter }) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const make = useMutation({
    mutationFn: async (format: Format) => {
      const { number, fileName } = await storeApi.requestAuditExport({ format, filter })
      saveBlob(fileName, await storeApi.auditExport(number))
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (i18n) => i18n.t('audit.exported'))
    },
    onError: report,
    onSettled: () => queries.invalidateQueries({ queryKey: ['audit'] }),
  })
  return (
    <>
      {(['csv', 'json'] as const).map((format) => (
        <Button key={format} icon={<Download />} isDisabled={make.isPending} onPress={() => make.mutate(format)}>
          {t(make.isPending && make.variables === format ? 'audit.exporting' : FORMATS[format])}
        </Button>
      ))}
    </>
  )
}

export type Filter = z.input<typeof AuditFilter>

const LONGEST_SUBJECT = 80

export function Filters({
  filter,
  people,
  onChange,
}: {
  readonly filter: Filter
  readonly people: Entries['people']
  readonly onChange: (filter: Filter) => void
}) {
  const { t } = useI18n()
  const [cleared, setCleared] = useState(0)
  const clear = (): void => {
    setCleared(cleared + 1)
    onChange({})
  }
  const set = (name: keyof Filter, value: string): void => {
    const { [name]: _was, ...others } = filter
    onChange(value === '' ? others : { ...others, [name]: value })
  }
  const day = (name: 'from' | 'to') => (
    <DayField key={`${name}-${cleared}`} label={t(`audit.${name}`)} onChange={(value) => set(name, value ?? '')} />
  )
  return (
    <FilterRow label={t('audit.filters')}>
      <ChoiceField label={t('audit.groupLabel')} value={filter.group ?? ''} onChange={(value) => set('group', value)}>
        <option value="">{t('audit.everything')}</option>
        {AUDIT_GROUPS.map((group) => (
          <option key={group} value={group}>
            {t(`audit.group.${group}`)}
          </option>
        ))}
      </ChoiceField>
      <ChoiceField label={t('audit.person')} value={filter.person ?? ''} onChange={(value) => set('person', value)}>
        <option value="">{t('audit.anyone')}</option>
        {people.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </ChoiceField>
      {day('from')}
      {day('to')}
      <TextFilter
        label={t('audit.subject')}
        value={filter.subject ?? ''}
        longest={LONGEST_SUBJECT}
        onChange={(value) => set('subject', value)}
      />
      {Object.keys(filter).length > 0 && (
        <Button icon={<X />} onPress={clear}>
          {t('audit.clear')}
        </Button>
      )}
    </FilterRow>
  )
}

export interface EntryTexts {
  readonly title: string
  /** The subject of the audit entry, where its name means something to a person. */
  readonly subject: string | null
  readonly facts: readonly (readonly [label: string, value: string])[]
}

/** Names of internal facts, which are not shown: ids of jobs, windows and calls, and digests. */
const NOT_SHOWN = new Set(['job', 'window', 'digests', 'covers', 'transactionId', 'call'])
const PEOPLE = new Set(['approvedBy', 'askedBy', 'cashier', 'confirmedBy', 'person'])
const MOMENTS = new Set(['until', 'newestEntry', 'from', 'to'])
/** Kinds of audit entries in which the facts `PRICES` are amounts of money; in other kinds they are not. */
const PRICED = new Set(['price-changed', 'discount-given'])
const PRICES = new Set(['before', 'after', 'off'])

export function useEntryTexts(nameOf: (staffId: string) => string | undefined): (entry: AuditEntry) => EntryTexts {
  const { t, format } = useI18n()
  const codeText = (of: 'fact' | 'value', code: string): string => {
    const key = `audit.${of}.${code}`
    // A code with a period would address another key of the message catalog.
    return !code.includes('.') && t.has(key as never) ? t(key as never) : code
  }

  function valueOf(kind: string, name: string, value: string | number | boolean): string {
    if (typeof value === 'number')
      return name.endsWith('Cents') || (PRICED.has(kind) && PRICES.has(name))
        ? format.money(value)
        : format.miles(value)
    if (typeof value === 'boolean') return codeText('value', String(value))
    if (PEOPLE.has(name)) return nameOf(value) ?? value
    if (name === 'setting' && t.has(`settings.name.${value}` as never)) return t(`settings.name.${value}` as never)
    if (MOMENTS.has(name) && value.includes('T') && !Number.isNaN(Date.parse(value))) return format.dateTime(value)
    return value.startsWith('{') ? valuesOf(value) : codeText('value', value)
  }

  function valuesOf(json: string): string {
    try {
      return Object.values(JSON.parse(json) as Record<string, unknown>)
        .map((part) => codeText('value', String(part)))
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
      value === null || NOT_SHOWN.has(name) ? [] : [[codeText('fact', name), valueOf(kind, name, value)] as const],
    )
    return {
      title: isAuditKind(kind) ? t(`audit.kind.${kind}`) : kind.replaceAll('-', ' '),
      subject: subject === null || subject === '' ? null : subjectOf(subject),
      facts,
    }
  }
}
