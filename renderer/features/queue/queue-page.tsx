import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CircleCheckBig, CirclePause, History, RefreshCw, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Form, Input, Label, SearchField, ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { useLocation } from 'wouter'
import type { QueueEntry } from '../../../contracts/api/queue.ts'
import { QUEUE_PAGE } from '../../../contracts/queue-page.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { HELD_SALES_PATH, useHeldSales } from '../../state/held-sales.ts'
import { useEvents } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import { useCentralWords } from '../status-bar/central-messages.ts'
import { BulkSendAgain } from './bulk-send-again.tsx'
import { CardNotices } from './card-notices.tsx'
import { CorrectionsDialog } from './corrections-dialog.tsx'
import { entryCount } from './entry-count.ts'
import { EntryDialog } from './entry-dialog.tsx'
import { EntryTable } from './entry-table.tsx'
import { CardSlips, QueueNotices } from './notices.tsx'
import { SecretNotice } from './secret-notice.tsx'
import styles from './queue.module.css'

const FILTERS = ['all', 'attention', 'moving', 'accepted'] as const
type Filter = (typeof FILTERS)[number]
const isOf = (filter: Filter, { attention, state }: Pick<QueueEntry, 'attention' | 'state'>): boolean => {
  if (filter === 'all') return true
  if (filter === 'accepted') return state === 'accepted'
  return state !== 'accepted' && attention === (filter === 'attention')
}
const isFilter = (key: unknown): key is Filter => FILTERS.some((filter) => filter === key)

/** What is on its way, what a manager must look at, and everything of one sale by its number. */
export function QueuePage() {
  const { t, format } = useWords()
  const centralWords = useCentralWords()
  const [filter, setFilter] = useState<Filter>('all')
  const [typed, setTyped] = useState('')
  const [sale, setSale] = useState('')
  const [open, setOpen] = useState<string | null>(null)
  const [history, setHistory] = useState(false)
  const [most, setMost] = useState<number>(QUEUE_PAGE)
  const changes = useEvents((state) => state.queueCount)
  const queue = useQuery({
    queryKey: ['queue', sale, most],
    queryFn: () => api.queue(sale ? { sale } : { most }),
    placeholderData: keepPreviousData,
  })
  const { refetch } = queue
  useEffect(() => {
    void refetch()
  }, [changes, refetch])
  const summary = queue.data?.summary
  const entries = queue.data?.entries.filter((entry) => sale !== '' || isOf(filter, entry))
  const all = queue.data ? entryCount(queue.data) : 0
  const shown = queue.data?.entries.length ?? 0
  const forget = (): void => {
    setTyped('')
    setSale('')
  }
  return (
    <>
      <PageHead title={t('queue.title')} intro={t('queue.intro')}>
        <div className={styles['headOrders']}>
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
      {summary && (
        <dl className={pageStyles['cards']} aria-label={t('queue.summary')}>
          {(['waiting', 'sending', 'attention'] as const).map((part) => (
            <div key={part} className={pageStyles['card']}>
              <dt>{t(`queue.${part}`)}</dt>
              <dd className={`${pageStyles['figure']} figures`}>{summary[part]}</dd>
            </div>
          ))}
        </dl>
      )}
      {queue.data?.secretRefused ? (
        <SecretNotice refused={queue.data.secretRefused} />
      ) : (
        summary &&
        summary.central !== 'online' && (
          <p role="status" className={styles['central']}>
            <strong>
              {t('echo.verdict', { state: t('status.central'), outcome: centralWords(summary.central).state })}
            </strong>{' '}
            {centralWords(summary.central).help}
          </p>
        )
      )}
      <QueueNotices notices={queue.data?.notices ?? []} onOpen={setOpen} />
      <CardSlips slips={queue.data?.slips ?? []} />
      <CardNotices />
      {queue.data && sale === '' && <BulkSendAgain queue={queue.data} />}
      <HeldSales />
      <div className={styles['filters']}>
        <ToggleButtonGroup
          aria-label={t('queue.filter')}
          disallowEmptySelection
          selectedKeys={[sale ? 'all' : filter]}
          isDisabled={sale !== ''}
          className={styles['choice'] ?? ''}
          onSelectionChange={(keys) => {
            const [key] = keys
            if (isFilter(key)) setFilter(key)
          }}
        >
          {FILTERS.map((one) => (
            <ToggleButton key={one} id={one}>
              {t(`queue.filters.${one}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <Form
          className={styles['search'] ?? ''}
          onSubmit={(event) => {
            event.preventDefault()
            setSale(typed.trim().toUpperCase())
          }}
        >
          <SearchField value={typed} onChange={setTyped} onClear={forget} className={styles['field'] ?? ''}>
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
      {entries?.length === 0 && (
        <div className={styles['nothing']}>
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
      )}
      {entries && entries.length > 0 && (
        <EntryTable label={t('queue.title')} entries={entries} asOf={queue.dataUpdatedAt} onOpen={setOpen} />
      )}
      {sale === '' && shown < all && (
        <div className={styles['more']}>
          <p>{t('queue.shown', { shown: format.miles(shown), all: format.miles(all) })}</p>
          <Button
            isDisabled={queue.isFetching}
            onPress={() => {
              setMost(most + QUEUE_PAGE)
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

/** Sales that wait are no calls, but a manager must not close over one. */
function HeldSales() {
  const { t } = useWords()
  const [, navigate] = useLocation()
  const count = useHeldSales((state) => state.sales.length)
  if (count === 0) return null
  return (
    <div className={styles['held']} role="status">
      <CirclePause aria-hidden="true" />
      <p>{t('held.statusHelp', { count })}</p>
      <Button onPress={() => navigate(HELD_SALES_PATH)}>{t('held.open')}</Button>
    </div>
  )
}
