import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, BookOpenText, ChevronRight, Printer, SearchX } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import type { JournalEntry, JournalPage } from '../../contracts/day/search.ts'
import { storeApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { Empty } from '../core/ui/surface.tsx'
import { ReturnDialog } from '../payments/earlier-sales/return-dialog.tsx'
import { useEarlierSales } from '../payments/earlier-sales/earlier-sales.ts'
import { CallTraces, type Filter, SearchFilters } from './journal-search-filters.tsx'
import styles from './journal-search.module.css'
import { api } from '../core/api/terminal-api.ts'
import { useInFlight } from '../core/state/command-queue.ts'
import { reprint } from '../payments/receipt/documents.ts'
import { Dialog } from '../core/ui/dialog.tsx'
import { ReceiptPaper } from '../payments/receipt/receipt-paper.tsx'
import dayStyles from './day-end/day-end.module.css'

const PAGE = 25
const LOOK_AGAIN_MS = 1_000

/** Page of the electronic journal, which searches everything that this lane has closed. */
export function JournalSearchPage() {
  const { t } = useI18n()
  const [filter, setFilter] = useState<Filter>({})
  const [people, setPeople] = useState<JournalPage['people']>([])
  const [sale, setSale] = useState<string | null>(null)
  const asked = useDeferredValue(filter)
  return (
    <>
      <PageHead title={t('journalSearch.title')} intro={t('journalSearch.intro')} />
      <SearchFilters filter={filter} people={people} onChange={setFilter} />
      <Pages key={JSON.stringify(asked)} filter={asked} onPeople={setPeople} onOpenSale={setSale} />
      {sale !== null && <SaleDialog id={sale} onClose={() => setSale(null)} />}
      <ReturnDialog />
    </>
  )
}

/** The result pages of one search; `trail` holds the cursors of the previous pages. */
function Pages({
  filter,
  onPeople,
  onOpenSale,
}: {
  readonly filter: Filter
  readonly onPeople: (people: JournalPage['people']) => void
  readonly onOpenSale: (id: string) => void
}) {
  const { t } = useI18n()
  const [trail, setTrail] = useState<readonly number[]>([])
  const after = trail.at(-1)
  const page = useQuery({
    queryKey: ['journal', filter, after],
    queryFn: async ({ signal }) => {
      const found = await storeApi.journal({ ...filter, after, limit: PAGE }, signal)
      onPeople(found.people)
      return found
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data && data.waiting > 0 ? LOOK_AGAIN_MS : false),
    gcTime: 0,
  })
  if (page.isPending) return <p role="status">{t('app.loading')}</p>
  if (page.isError) return <LoadFailed error={page.error} retry={() => void page.refetch()} />
  const { entries, next, waiting } = page.data
  const filtered = Object.keys(filter).length > 0
  return (
    <>
      {waiting > 0 && <p>{t('journalSearch.waiting', { count: waiting })}</p>}
      {entries.length === 0 ? (
        <div className="nothing">
          <Empty
            icon={filtered ? <SearchX /> : <BookOpenText />}
            title={t(filtered ? 'journalSearch.noneTitle' : 'journalSearch.emptyTitle')}
            text={t(filtered ? 'journalSearch.none' : 'journalSearch.empty')}
          />
        </div>
      ) : (
        <EntryTable entries={entries} onOpenSale={onOpenSale} />
      )}
      {(trail.length > 0 || next !== null) && (
        <footer className="flex gap-2 above-3">
          <Button icon={<ArrowUp />} isDisabled={trail.length === 0} onPress={() => setTrail(trail.slice(0, -1))}>
            {t('journalSearch.newer')}
          </Button>
          <Button
            icon={<ArrowDown />}
            isDisabled={next === null || page.isPlaceholderData}
            onPress={() => {
              if (next !== null) setTrail([...trail, next])
            }}
          >
            {t('journalSearch.older')}
          </Button>
        </footer>
      )}
    </>
  )
}

function EntryTable({
  entries,
  onOpenSale,
}: {
  readonly entries: readonly JournalEntry[]
  readonly onOpenSale: (id: string) => void
}) {
  const { t, format } = useI18n()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} selectable`} aria-label={t('journalSearch.list')}>
        <thead>
          <tr>
            <th scope="col">{t('journalSearch.time')}</th>
            <th scope="col">{t('journalSearch.what')}</th>
            <th scope="col">{t('journalSearch.person')}</th>
            <th scope="col">{t('journalSearch.details')}</th>
            <th scope="col" className="right">
              {t('journalSearch.total')}
            </th>
            <th scope="col">
              <span className="sr-only">{t('dayEnd.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.key}>
              <td className="nowrap">{format.dateTime(entry.at)}</td>
              <EntryName entry={entry} />
              <td className="nowrap">{entry.person}</td>
              <td>
                <Details entry={entry} />
              </td>
              <td className="right nowrap">{entry.totalCents !== null && format.money(entry.totalCents)}</td>
              <td className="right">
                <Open entry={entry} onOpenSale={onOpenSale} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

function EntryName({ entry: { kind, id, movement } }: { readonly entry: JournalEntry }) {
  const { t } = useI18n()
  return (
    <th scope="row" className={styles['name']}>
      {movement ? t(`audit.kind.cash-${movement.kind}`) : t(`journalSearch.kinds.${kind}`)}
      {!movement && <small className="block dim anywhere weight-400">{id}</small>}
    </th>
  )
}

function Details({ entry }: { readonly entry: JournalEntry }) {
  const { t, format } = useI18n()
  const { kind, items, moreItems, tenders, last4, movedTo, ofSale, movement } = entry
  const goods = [
    ...items.map(({ name, quantity }) =>
      quantity === 1
        ? format.text(name)
        : t('journalSearch.quantity', { quantity: String(quantity), name: format.text(name) }),
    ),
    ...(moreItems === 0 ? [] : [t('journalSearch.moreItems', { count: moreItems })]),
  ].join(', ')
  const facts = [
    ...(movement ? [movement.reason] : []),
    ...(kind === 'return'
      ? [ofSale === null ? t('journalSearch.noReceipt') : t('journalSearch.ofSale', { id: ofSale })]
      : []),
    ...tenders.map((tender) => t(`dayEnd.tender.${tender}`)),
    ...(last4 === null ? [] : [t('journalSearch.collector', { last4 })]),
    ...(movedTo === null ? [] : [t('journalSearch.movedTo', { lane: movedTo })]),
  ].join(' · ')
  return (
    <div className={`anywhere ${styles['details']}`}>
      {goods !== '' && <span>{goods}</span>}
      {facts !== '' && <small className="block dim anywhere weight-400">{facts}</small>}
    </div>
  )
}

/** Button that opens the paper of a sale or return; cash movements and cancelled sales have no paper. */
function Open({
  entry: { kind, id },
  onOpenSale,
}: {
  readonly entry: JournalEntry
  readonly onOpenSale: (id: string) => void
}) {
  const { t } = useI18n()
  if (kind !== 'sale' && kind !== 'return') return null
  return (
    <IconButton
      icon={<ChevronRight />}
      label={t('journalSearch.openEntry', { what: t(`journalSearch.kinds.${kind}`), id })}
      onPress={() => (kind === 'sale' ? onOpenSale(id) : useEarlierSales.setState({ opened: id }))}
    />
  )
}

export function SaleDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t } = useI18n()
  const printing = useInFlight('print')
  const paper = useQuery({ queryKey: ['receipt', id], queryFn: () => api.receipt(id) })
  return (
    <Dialog open onClose={onClose} title={`${t('journalSearch.kinds.sale')} ${id}`}>
      {paper.isPending && <p role="status">{t('after.receiptLoading')}</p>}
      {paper.isError && <LoadFailed error={paper.error} retry={() => void paper.refetch()} />}
      {paper.data && (
        <div
          className={`scroll round-m surface-3 pad-3 ${dayStyles['paper']}`}
          role="region"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long paper scrolls
          tabIndex={0}
          aria-label={t('after.receiptPaper')}
        >
          <ReceiptPaper document={paper.data.document} />
          <CallTraces receipt={id} />
        </div>
      )}
      <div className="stack-3 foot">
        <Button size="l" onPress={onClose}>
          {t('app.close')}
        </Button>
        <Button
          size="l"
          look="primary"
          autoFocus
          icon={<Printer />}
          isDisabled={printing}
          onPress={() => {
            onClose()
            void reprint(id)
          }}
        >
          {t('journalSearch.reprint')}
        </Button>
      </div>
    </Dialog>
  )
}
