import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  ArrowDown,
  ArrowUp,
  FileText,
  Gift,
  Languages,
  Printer,
  ReceiptText,
  SearchX,
  Undo2,
  Unplug,
  X,
} from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import {
  GridList,
  GridListItem,
  Input,
  Label,
  Text,
  TextField,
  ToggleButton,
  ToggleButtonGroup,
} from 'react-aria-components'
import type { EarlierSale, EarlierSales } from '../../../contracts/day/search.ts'
import { api, type EarlierSalesAsked } from '../../core/api/terminal-api.ts'
import { useWords } from '../../core/i18n/words.tsx'
import { EARLIER_SALES_PATH, useEarlierSales } from './earlier-sales.ts'
import { useEvents } from '../../core/state/events.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { ActionButton, Button, IconButton } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead } from '../../core/ui/page.tsx'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import { OwedDocuments, RECEIPT_TONES, useOwedDocuments } from './owed-documents.tsx'
import { ReturnDialog } from './return-dialog.tsx'
import styles from './earlier-sales.module.css'

const FILTERS = ['all', 'not-on-paper'] as const
const LONGEST_ID = 40
/**
 * Height of a row, and of all that stands above and below the list, in pixels: a page holds the rows that the screen
 * shows.
 */
const ROW = 57
const AROUND = 502
const FEWEST = 4
const MOST = 20
const rowsShown = (): number => Math.min(Math.max(Math.floor((window.innerHeight - AROUND) / ROW), FEWEST), MOST)
const SALE_ID_END = /^[A-Z0-9]{4,40}$/

/** Sales that were closed on this lane, to find one and print its receipt; newest first, a page at a time. */
export function EarlierSalesPage() {
  const { t } = useWords()
  const { filter, text } = useEarlierSales()
  const who = useTerminal((state) => state.terminal?.signedIn?.id)
  // Who leaves the page takes the search along: the next person begins with every sale.
  useEffect(
    () => () =>
      queueMicrotask(() => {
        if (location.pathname !== EARLIER_SALES_PATH || useTerminal.getState().terminal?.signedIn?.id !== who)
          useEarlierSales.setState({ text: '', filter: 'all' })
      }),
    [who],
  )
  const typed = useDeferredValue(text.trim().toUpperCase())
  const findable = SALE_ID_END.test(typed)
  return (
    <div className={styles['page']}>
      <PageHead title={t('earlier.title')} intro={t('earlier.intro')} />
      <div className={styles['look']}>
        <TextField
          value={text}
          onChange={(next) => useEarlierSales.setState({ text: next })}
          className={styles['field'] ?? ''}
        >
          <Label>{t('earlier.search')}</Label>
          <Input maxLength={LONGEST_ID} autoComplete="off" spellCheck="false" />
          {text !== '' && (
            <IconButton
              label={t('sale.clearSearch')}
              icon={<X />}
              onPress={() => useEarlierSales.setState({ text: '' })}
            />
          )}
          <Text slot="description">{t(typed === '' || findable ? 'earlier.searchHint' : 'earlier.searchShort')}</Text>
        </TextField>
        <ToggleButtonGroup
          aria-label={t('earlier.filter')}
          className={styles['filters'] ?? ''}
          isDisabled={findable}
          disallowEmptySelection
          selectedKeys={[filter]}
          onSelectionChange={([next]) => {
            const chosen = FILTERS.find((known) => known === next)
            if (chosen) useEarlierSales.setState({ filter: chosen })
          }}
        >
          {FILTERS.map((id) => (
            <ToggleButton key={id} id={id} className={styles['filter'] ?? ''}>
              {t(`earlier.${id}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      </div>
      <OwedDocuments />
      <Pages key={findable ? typed : filter} asked={findable ? { q: typed } : { filter }} />
      <ReturnDialog />
    </div>
  )
}

/** The pages of one question; `trail` are the places where the pages before this one began. */
function Pages({ asked }: { readonly asked: Pick<EarlierSalesAsked, 'filter' | 'q'> }) {
  const { t } = useWords()
  const [limit] = useState(rowsShown)
  const [trail, setTrail] = useState<readonly string[]>([])
  const after = trail.at(-1)
  const changes = useEvents((state) => state.printCount + state.queueCount)
  const page = useQuery({
    queryKey: ['earlier-sales', asked, after, limit],
    queryFn: ({ signal }) => api.earlierSales({ ...asked, limit, ...(after === undefined ? {} : { after }) }, signal),
    placeholderData: keepPreviousData,
  })
  const owed = useOwedDocuments().data?.documents.length ?? 0
  const { refetch } = page
  useEffect(() => {
    void refetch()
  }, [changes, refetch])
  const sales = page.data?.sales ?? []
  const next = page.data?.next ?? null
  if (page.isPending) return <p role="status">{t('app.loading')}</p>
  if (page.isError) return <LoadFailed error={page.error} retry={() => void refetch()} />
  if (sales.length === 0) {
    // Not every paper is on paper while one stands in the list above.
    if (asked.filter === 'not-on-paper' && owed > 0) return null
    const none =
      asked.q !== undefined
        ? page.data?.store === 'reached'
          ? 'noneInStore'
          : 'none'
        : asked.filter === 'all'
          ? 'empty'
          : 'allPrinted'
    return (
      <>
        <StoreAway store={page.data?.store} />
        <Empty
          icon={asked.q === undefined ? <ReceiptText /> : <SearchX />}
          title={t(`earlier.${none}Title`)}
          text={t(`earlier.${none}`)}
        />
      </>
    )
  }
  return (
    <>
      <StoreAway store={page.data?.store} />
      <div className={styles['actions']}>
        <Button icon={<ArrowUp />} isDisabled={trail.length === 0} onPress={() => setTrail(trail.slice(0, -1))}>
          {t('earlier.newer')}
        </Button>
        <Button
          icon={<ArrowDown />}
          isDisabled={next === null || page.isPlaceholderData}
          onPress={() => {
            if (next !== null) setTrail([...trail, next])
          }}
        >
          {t('earlier.older')}
        </Button>
        <ReturnAction />
        <ActionButton id="gift-receipt-chosen" label={t('after.gift')} icon={<Gift />} />
        <ActionButton id="reprint-language" label={t('after.language')} icon={<Languages />} />
        <Print sales={sales} />
      </div>
      <SaleList sales={sales} />
    </>
  )
}

/** Whoever misses a receipt of another lane learns why it is not there. */
function StoreAway({ store }: Pick<EarlierSales, 'store'>) {
  const { t } = useWords()
  return (
    store === 'away' && (
      <p role="status" className={styles['away']}>
        <Unplug aria-hidden="true" />
        {t('earlier.storeAway')}
      </p>
    )
  )
}

const isPrintable = ({ receipt }: EarlierSale): boolean =>
  receipt === 'printed' || receipt === 'unknown' || receipt === 'not-printed'

function SaleList({ sales }: { readonly sales: readonly EarlierSale[] }) {
  const { t } = useWords()
  // The arrow keys choose at once; a field that is being typed in keeps the focus.
  const [autoFocus] = useState(() => !(document.activeElement instanceof HTMLInputElement))
  const [marked, setMarked] = useState<string | null>(null)
  const chosen = sales.find(({ id }) => id === marked) ?? sales[0]
  const printable = chosen && isPrintable(chosen) ? chosen.id : null
  const returned = chosen?.state === 'returned' ? chosen.id : null
  const returnable = chosen?.state === 'completed' ? chosen.id : null
  useEffect(() => {
    useEarlierSales.setState({
      chosen: printable === null ? null : { paper: returned === null ? 'sale' : 'return', id: printable },
      chosenSale: returnable,
      chosenReturn: returned,
    })
    return () => useEarlierSales.setState({ chosen: null, chosenSale: null, chosenReturn: null })
  }, [printable, returnable, returned])
  return (
    <GridList
      autoFocus={autoFocus}
      className={styles['list'] ?? ''}
      aria-label={t('earlier.title')}
      items={sales}
      dependencies={[t]}
      selectionMode="single"
      selectionBehavior="replace"
      disallowEmptySelection
      selectedKeys={chosen ? [chosen.id] : []}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : keys
        if (typeof key === 'string') setMarked(key)
      }}
    >
      {(sale) => <Row sale={sale} />}
    </GridList>
  )
}

function Row({ sale }: { readonly sale: EarlierSale }) {
  const { t, format } = useWords()
  const cancelled = sale.state === 'cancelled'
  const returned = sale.state === 'returned'
  const facts = [
    ...(sale.lane === undefined ? [] : [t('earlier.lane', { lane: sale.lane })]),
    sale.cashier,
    ...(returned
      ? [sale.ofSale === null ? t('earlier.withoutReceipt') : t('earlier.ofSale', { id: sale.ofSale })]
      : []),
    ...(cancelled ? [] : sale.tenders.map((kind) => t(`tender.kind.${kind}`))),
    ...(sale.memberLast4 === null ? [] : [t('earlier.collector', { last4: sale.memberLast4 })]),
  ]
  const total = format.money(sale.totalCents)
  const state = t(cancelled ? 'earlier.cancelled' : `earlier.receipt.${sale.receipt}`)
  const text = { id: sale.id, time: format.dateTime(sale.closedAt), total, state }
  return (
    <GridListItem
      id={sale.id}
      textValue={t(returned ? 'earlier.returnText' : 'earlier.saleText', text)}
      className={`${styles['sale']} figures`}
    >
      <span className={`${styles['words']} words`}>
        <span>
          <strong>{sale.id}</strong> {format.dateTime(sale.closedAt)}
        </span>
        <small>
          {returned && (
            <b>
              <Undo2 aria-hidden="true" />
              {t('earlier.returned')} ·{' '}
            </b>
          )}
          {facts.join(' · ')}
        </small>
      </span>
      <span className={styles['total']}>{returned ? format.money(0 - sale.totalCents) : total}</span>
      <span className={styles['state']}>
        <Tag tone={cancelled ? 'neutral' : RECEIPT_TONES[sale.receipt]}>{state}</Tag>
      </span>
    </GridListItem>
  )
}

/** Starts a return of the marked sale; of a marked return it shows the goods and how the money was paid back. */
function ReturnAction() {
  const { t } = useWords()
  const id = useEarlierSales((state) => state.chosenReturn)
  return id === null ? (
    <ActionButton id="return-chosen" label={t('returns.title')} icon={<Undo2 />} />
  ) : (
    <Button icon={<FileText />} onPress={() => useEarlierSales.setState({ opened: id })}>
      {t('earlier.show')}
    </Button>
  )
}

/** What the paper will be: the original when none came out, else a copy that says so. */
function Print({ sales }: { readonly sales: readonly EarlierSale[] }) {
  const { t } = useWords()
  const chosen = useEarlierSales((state) => state.chosen)
  const sale = sales.find(({ id }) => id === chosen?.id)
  return (
    <ActionButton
      id="reprint-chosen"
      look="primary"
      size="l"
      icon={<Printer />}
      note={
        sale &&
        t(
          sale.receipt === 'not-printed'
            ? 'earlier.asOriginal'
            : sale.receipt === 'unknown'
              ? 'earlier.lookFirst'
              : 'earlier.asCopy',
        )
      }
    />
  )
}
