import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronRight, CircleCheckBig, CirclePause, History, RefreshCw, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Form, Input, Label, SearchField, ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { useLocation } from 'wouter'
import type { Queue, QueueEntry } from '../../../contracts/loyalty/queue.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { HELD_SALES_PATH, useHeldSales } from '../../sales/held-sales.ts'
import { useEvents } from '../../core/state/events.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import { useServicesTexts } from '../../operations/status-bar/explain.tsx'
import { BulkSendAgain } from './bulk-send-again.tsx'
import { CardNotices, CardSlips, QueueNotices, SecretNotice } from './notices.tsx'
import { CorrectionsDialog } from './corrections-dialog.tsx'
import { EntryDialog } from './entry-dialog.tsx'
import styles from './queue.module.css'
import type { z } from 'zod'
import { QUEUE_PAGE } from '../../../contracts/loyalty/kinds.ts'

const FILTERS = ['all', 'attention', 'moving', 'accepted'] as const
type Filter = (typeof FILTERS)[number]
const isOf = (filter: Filter, { attention, state }: Pick<QueueEntry, 'attention' | 'state'>): boolean => {
  if (filter === 'all') return true
  if (filter === 'accepted') return state === 'accepted'
  return state !== 'accepted' && attention === (filter === 'attention')
}
const isFilter = (key: unknown): key is Filter => FILTERS.some((filter) => filter === key)

export function QueuePage() {
  const { t, format } = useI18n()
  const [filter, setFilter] = useState<Filter>('all')
  const [sale, setSale] = useState('')
  const [open, setOpen] = useState<string | null>(null)
  const [history, setHistory] = useState(false)
  const [max, setMax] = useState<number>(QUEUE_PAGE)
  const changes = useEvents((state) => state.queueCount)
  const queue = useQuery({
    queryKey: ['queue', sale, max],
    queryFn: () => api.queue(sale ? { sale } : { max }),
    placeholderData: keepPreviousData,
  })
  const { refetch } = queue
  useEffect(() => {
    void refetch()
  }, [changes, refetch])
  const entries = queue.data?.entries.filter((entry) => sale !== '' || isOf(filter, entry))
  const all = queue.data ? entryCount(queue.data) : 0
  const shown = queue.data?.entries.length ?? 0
  return (
    <>
      <PageHead title={t('queue.title')} intro={t('queue.intro')}>
        <div className="wrap-2">
          <Button icon={<History />} onPress={() => setHistory(true)}>
            {t('queue.corrections')}
          </Button>
          <Button icon={<RefreshCw />} isDisabled={queue.isFetching} onPress={() => void refetch()}>
            {t('store.refresh')}
          </Button>
        </div>
      </PageHead>
      {queue.isPending && <p role="status">{t('app.loading')}</p>}
      {queue.isError && <LoadFailed error={queue.error} retry={() => void refetch()} />}
      {queue.data && <Summary queue={queue.data} />}
      <QueueNotices notices={queue.data?.notices ?? []} onOpen={setOpen} />
      <CardSlips slips={queue.data?.slips ?? []} />
      <CardNotices />
      {queue.data && sale === '' && <BulkSendAgain queue={queue.data} />}
      <HeldSales />
      <Filters filter={filter} onFilter={setFilter} sale={sale} onSale={setSale} />
      {entries?.length === 0 && <NoEntries filter={filter} sale={sale} />}
      {entries && entries.length > 0 && (
        <EntryTable label={t('queue.title')} entries={entries} asOf={queue.dataUpdatedAt} onOpen={setOpen} />
      )}
      {sale === '' && shown < all && (
        <div className="flex gap-4 middle centred dim pad-3">
          <p>{t('queue.shown', { shown: format.miles(shown), all: format.miles(all) })}</p>
          <Button
            isDisabled={queue.isFetching}
            onPress={() => {
              setMax(max + QUEUE_PAGE)
            }}
          >
            {t('queue.showMore')}
          </Button>
        </div>
      )}
      {history && (
        <CorrectionsDialog
          onClose={() => setHistory(false)}
          onOpen={(id) => {
            setHistory(false)
            setOpen(id)
          }}
        />
      )}
      {open && <EntryDialog key={open} id={open} onClose={() => setOpen(null)} />}
    </>
  )
}

function Summary({ queue: { summary, secretRefused } }: { readonly queue: Queue }) {
  const { t } = useI18n()
  const central = useServicesTexts()(summary.central)
  return (
    <>
      <dl className={pageStyles['cards']} aria-label={t('queue.summary')}>
        {(['waiting', 'sending', 'attention'] as const).map((state) => (
          <div key={state} className={pageStyles['card']}>
            <dt>{t(`queue.${state}`)}</dt>
            <dd className={`${pageStyles['figure']} figures`}>{summary[state]}</dd>
          </div>
        ))}
      </dl>
      {secretRefused ? (
        <SecretNotice refused={secretRefused} />
      ) : (
        summary.central !== 'online' && (
          <p role="status" className="above-4">
            <strong>{t('echo.verdict', { state: t('status.central'), outcome: central.state })}</strong> {central.help}
          </p>
        )
      )}
    </>
  )
}

interface FiltersProps {
  readonly filter: Filter
  readonly onFilter: (filter: Filter) => void
  /** Number of the sale whose entries are shown; empty: all sales. */
  readonly sale: string
  readonly onSale: (sale: string) => void
}

function Filters({ filter, onFilter, sale, onSale }: FiltersProps) {
  const { t } = useI18n()
  const [typed, setTyped] = useState('')
  const forget = (): void => {
    setTyped('')
    onSale('')
  }
  return (
    <div className={`wrap-3 bottom between ${styles['filters']}`}>
      <ToggleButtonGroup
        aria-label={t('queue.filter')}
        disallowEmptySelection
        selectedKeys={[sale ? 'all' : filter]}
        isDisabled={sale !== ''}
        className={`inline segments ${styles['choice']}`}
        onSelectionChange={(keys) => {
          const [key] = keys
          if (isFilter(key)) onFilter(key)
        }}
      >
        {FILTERS.map((one) => (
          <ToggleButton key={one} id={one}>
            {t(`queue.filters.${one}`)}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <Form
        className="flex gap-2 bottom"
        onSubmit={(event) => {
          event.preventDefault()
          onSale(typed.trim().toUpperCase())
        }}
      >
        <SearchField
          value={typed}
          onChange={setTyped}
          onClear={forget}
          className={`stack-1 field ringed ${styles['field']}`}
        >
          <Label>{t('queue.searchSale')}</Label>
          <Input maxLength={40} autoComplete="off" spellCheck="false" placeholder={t('queue.searchHint')} />
        </SearchField>
        <Button type="submit" icon={<Search />}>
          {t('queue.find')}
        </Button>
        {sale && (
          <Button look="quiet" onPress={forget}>
            {t('queue.showAll')}
          </Button>
        )}
      </Form>
    </div>
  )
}

function NoEntries({ filter, sale }: Pick<FiltersProps, 'filter' | 'sale'>) {
  const { t } = useI18n()
  return (
    <div className="nothing">
      {sale ? (
        <Empty icon={<Search />} title={t('queue.noneTitle')} text={t('queue.none', { sale })} />
      ) : (
        <Empty
          icon={<CircleCheckBig />}
          title={t(filter === 'all' ? 'queue.emptyTitle' : 'queue.emptyFilterTitle')}
          text={t(filter === 'all' ? 'queue.empty' : 'queue.emptyFilter')}
        />
      )}
    </div>
  )
}

/** Shows the number of sales on hold. They are not calls, but a manager should not close the day with them. */
function HeldSales() {
  const { t } = useI18n()
  const [, navigate] = useLocation()
  const count = useHeldSales((state) => state.sales.length)
  if (count === 0) return null
  return (
    <div className="row-3 tone-warn weight-600 round-m pad-3-4 above-4 icons-24" role="status">
      <CirclePause aria-hidden="true" />
      <p className="grow">{t('held.statusHelp', { count })}</p>
      <Button onPress={() => navigate(HELD_SALES_PATH)}>{t('held.open')}</Button>
    </div>
  )
}

export type Entry = z.infer<typeof QueueEntry>

/** Table of queue entries. `asOf`: time at which the entries were loaded (epoch ms), from which their age counts. */
export function EntryTable({
  label,
  entries,
  asOf,
  onOpen,
}: {
  readonly label: string
  readonly entries: readonly Entry[]
  readonly asOf: number
  readonly onOpen: (id: string) => void
}) {
  const { t, format } = useI18n()
  const worth = useWorth()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['entries']}`} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('queue.what')}</th>
            <th scope="col">{t('queue.state')}</th>
            <th scope="col">{t('queue.amount')}</th>
            <th scope="col">{t('queue.code')}</th>
            <th scope="col">{t('queue.age')}</th>
            <th scope="col">{t('queue.sale')}</th>
            <th scope="col">
              <span className="sr-only">{t('queue.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <th scope="row">{t(`queue.kind.${entry.kind}`)}</th>
              <td>
                {entry.resolution ? (
                  <Tag tone="ok">{t('queue.resolved')}</Tag>
                ) : (
                  <Tag tone={entry.attention ? 'warn' : 'neutral'}>{t(`queue.states.${entry.state}`)}</Tag>
                )}
                {entry.windowClosesAt && (
                  <small className="block dim">
                    {t('queue.windowCloses', { time: format.dateTime(entry.windowClosesAt) })}
                  </small>
                )}
              </td>
              <td>{worth(entry)}</td>
              <td>{entry.responseCode ?? ''}</td>
              <td>{format.age(asOf - Date.parse(entry.createdAt))}</td>
              <td>{entry.saleId}</td>
              <td className={styles['open']}>
                <IconButton
                  icon={<ChevronRight />}
                  label={t('queue.openEntry', { kind: t(`queue.kind.${entry.kind}`), sale: entry.saleId })}
                  onPress={() => onOpen(entry.id)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

/** Formats the value of an entry: dollars if known, else miles; empty when neither is known. */
export function useWorth(): (entry: Pick<Entry, 'amountCents' | 'miles'>) => string {
  const { format } = useI18n()
  const milesText = useMilesText()
  return ({ amountCents, miles }) =>
    amountCents === null ? (miles === null ? '' : milesText(miles)) : format.money(amountCents)
}

/**
 * Number of entries in the exceptions queue. The summary also counts notices and a rejected secret as open work, and
 * counts an unconfirmed reversal twice: as in flight and as open.
 */
export function entryCount({ summary, accepted, notices, secretRefused, entries }: Queue): number {
  const countedTwice = entries.filter(({ attention, state }) => attention && state === 'reversing').length
  const open = summary.waiting + summary.sending + summary.attention + accepted
  return open - notices.length - (secretRefused ? 1 : 0) - countedTwice
}
