import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Download, RefreshCw, ScrollText, SearchX } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import type { AuditPage as Entries } from '../../../contracts/api/audit.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { clearProblems, notify, report } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../../ui/page.tsx'
import { saveBlob } from '../../ui/save-file.ts'
import { Empty } from '../../ui/surface.tsx'
import { useEntryWords } from './entry-words.ts'
import { Filters, type Filter } from './filters.tsx'
import { Verification } from './verification.tsx'
import styles from './audit.module.css'

const PAGE = 25
const FORMATS = { csv: 'audit.exportCsv', json: 'audit.exportJson' } as const
type Format = keyof typeof FORMATS

/** Who did what at this lane: found by time, person, group and thing, taken away, and proved. */
export function AuditPage() {
  const { t } = useWords()
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

/** The pages of one question; `trail` are the places where the pages before this one began. */
function Pages({
  filter,
  onPeople,
}: {
  readonly filter: Filter
  readonly onPeople: (people: Entries['people']) => void
}) {
  const { t } = useWords()
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
      <div className={styles['nothing']}>
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
      <footer className={styles['foot']}>
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
  const { t, format } = useWords()
  const nameOf = (staffId: string): string | undefined => people.find(({ id }) => id === staffId)?.name
  const wordsOf = useEntryWords(nameOf)
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
            const { title, subject, facts } = wordsOf(entry)
            return (
              <tr key={entry.number}>
                <td className={styles['time']}>
                  {format.dateTime(entry.at)}
                  <small>{t('audit.number', { number: format.miles(entry.number) })}</small>
                </td>
                <th scope="row">
                  {title}
                  {subject !== null && <small>{subject}</small>}
                </th>
                <td className={styles['person']}>
                  {entry.actor === null ? t('audit.terminal') : (nameOf(entry.actor) ?? entry.actor)}
                </td>
                <td>
                  <dl>
                    {facts.map(([label, value]) => (
                      <div key={label}>
                        <dt>{label}</dt>
                        <dd>{value}</dd>
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

/** The filtered list as a file; that it was taken away is an entry of its own. */
function Exports({ filter }: { readonly filter: Filter }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const make = useMutation({
    mutationFn: async (format: Format) => {
      const { number, fileName } = await storeApi.orderAuditExport({ format, filter })
      saveBlob(fileName, await storeApi.auditExport(number))
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (words) => words.t('audit.exported'))
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
