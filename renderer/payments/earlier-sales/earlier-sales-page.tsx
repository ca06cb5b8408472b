import { keepPreviousData, useQuery } from '@tanstack/react-query'
import {
  ArrowDown,
  ArrowUp,
  FileText,
  Gift,
  Languages,
  Mail,
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
import { api, type EarlierSalesFilter } from '../../core/api/terminal-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { EARLIER_SALES_PATH, useEarlierSales } from './earlier-sales.ts'
import { useEvents } from '../../core/state/events.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { ActionButton, Button, IconButton } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead } from '../../core/ui/page.tsx'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import { UnprintedDocuments, RECEIPT_TONES, useUnprintedDocuments } from './unprinted-documents.tsx'
import { UnsentEmails } from './unsent-emails.tsx'
import { DeliveryDialog } from '../receipt/delivery-dialog.tsx'
import { ReturnDialog } from './return-dialog.tsx'
import styles from './earlier-sales.module.css'

const FILTERS = ['all', 'not-on-paper'] as const
const LONGEST_ID = 40
/** Height of a row, and of everything above and below the list, in pixels: a page contains the rows that fit. */
const ROW = 57
const AROUND = 502
const MIN = 4
const MAX = 20
const rowsShown = (): number => Math.min(Math.max(Math.floor((window.innerHeight - AROUND) / ROW), MIN), MAX)
const SALE_ID_END = /^[A-Z0-9]{4,40}$/

export function EarlierSalesPage() {
  const { t } = useI18n()
  const { filter, text } = useEarlierSales()
  const personId = useTerminal((state) => state.terminal?.signedIn?.id)
  // Leaving the page clears its search, so that the next person starts with all sales.
  useEffect(
    () => () =>
      queueMicrotask(() => {
        if (location.pathname !== EARLIER_SALES_PATH || useTerminal.getState().terminal?.signedIn?.id !== personId)
          useEarlierSales.setState({ text: '', filter: 'all' })
      }),
    [personId],
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
      <UnprintedDocuments />
      <UnsentEmails />
      <Pages key={findable ? typed : filter} asked={findable ? { q: typed } : { filter }} />
      <ReturnDialog />
      <DeliveryDialog />
    </div>
  )
}

/** The result pages of one search; `trail` holds the cursors of the previous pages. */
function Pages({ asked }: { readonly asked: Pick<EarlierSalesFilter, 'filter' | 'q'> }) {
  const { t } = useI18n()
  const [limit] = useState(rowsShown)
  const [trail, setTrail] = useState<readonly string[]>([])
  const after = trail.at(-1)
  const changes = useEvents((state) => state.printCount + state.queueCount)
  const page = useQuery({
    queryKey: ['earlier-sales', asked, after, limit],
    queryFn: ({ signal }) => api.earlierSales({ ...asked, limit, ...(after === undefined ? {} : { after }) }, signal),
    placeholderData: keepPreviousData,
  })
  const mayDeliver = useTerminal(
    ({ terminal }) => terminal?.emailsReceipts === true || terminal?.signedIn?.role === 'manager',
  )
  const unprinted = useUnprintedDocuments().data?.documents.length ?? 0
  const { refetch } = page
  useEffect(() => {
    void refetch()
  }, [changes, refetch])
  const sales = page.data?.sales ?? []
  const next = page.data?.next ?? null
  if (page.isPending) return <p role="status">{t('app.loading')}</p>
  if (page.isError) return <LoadFailed error={page.error} retry={() => void refetch()} />
  if (sales.length === 0) {
    // "All papers printed" would be wrong while the list above contains an unprinted one.
    if (asked.filter === 'not-on-paper' && unprinted > 0) return null
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
        <StoreOffline store={page.data?.store} />
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
      <StoreOffline store={page.data?.store} />
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
        {mayDeliver && <ActionButton id="email-chosen" label={t('after.email')} icon={<Mail />} />}
        <Print sales={sales} />
      </div>
      <SaleList sales={sales} />
    </>
  )
}

function StoreOffline({ store }: Pick<EarlierSales, 'store'>) {
  const { t } = useI18n()
  return (
    store === 'away' && (
      <p role="status" className={styles['offline']}>
        <Unplug aria-hidden="true" />
        {t('earlier.storeAway')}
      </p>
    )
  )
}

const isPrintable = ({ receipt }: EarlierSale): boolean =>
  receipt === 'printed' || receipt === 'unknown' || receipt === 'not-printed'

function SaleList({ sales }: { readonly sales: readonly EarlierSale[] }) {
  const { t } = useI18n()
  // The list takes the focus, so that the arrow keys work at once, unless a person is typing in a field.
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
  const { t, format } = useI18n()
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
      <span className={`${styles['text']} prose`}>
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

function ReturnAction() {
  const { t } = useI18n()
  const id = useEarlierSales((state) => state.chosenReturn)
  return id === null ? (
    <ActionButton id="return-chosen" label={t('returns.title')} icon={<Undo2 />} />
  ) : (
    <Button icon={<FileText />} onPress={() => useEarlierSales.setState({ opened: id })}>
      {t('earlier.show')}
    </Button>
  )
}

/** Print button of the selected sale: the paper is the original if none was printed, else a marked copy. */
function Print({ sales }: { readonly sales: readonly EarlierSale[] }) {
  const { t } = useI18n()
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
            ? 'printedAs.asOriginal'
            : sale.receipt === 'unknown'
              ? 'printedAs.lookFirst'
              : 'printedAs.asCopy',
        )
      }
    />
  )
}
