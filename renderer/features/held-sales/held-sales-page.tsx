import { CirclePause, CirclePlay, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { GridList, GridListItem } from 'react-aria-components'
import type { HeldSale } from '../../../contracts/api/held-sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { copyHeldSale, refreshHeldSales, resumeSale, useHeldSales } from '../../state/held-sales.ts'
import { useUnderWay } from '../../state/command-queue.ts'
import { useSale } from '../../state/sale.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import styles from './held-sales.module.css'
import { HeldPricesDialog } from './prices-dialog.tsx'

/** Other lanes hold and resume meanwhile, and ages are in minutes. */
const LOOK_AGAIN_MS = 15_000

/**
 * The sales that wait, of every lane of the store, to resume one. The arrow keys choose, Enter resumes; where the store
 * cannot be asked, it rings the goods anew.
 */
export function HeldSalesPage() {
  const { t, format } = useWords()
  const sales = useHeldSales((state) => state.sales)
  const awaits = useHeldSales((state) => state.awaits)
  const open = useSale((state) => state.current !== null)
  const busy = useUnderWay('hold')
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    void refreshHeldSales()
    const timer = setInterval(() => {
      setNow(Date.now())
      void refreshHeldSales()
    }, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  const act = (sale: HeldSale): void => {
    if (!open && !busy) void (canResume(sale) ? resumeSale(sale) : copyHeldSale(sale))
  }
  const byKey = (id: string | number): void => {
    const sale = sales.find((held) => held.id === id)
    // One that another lane is resuming is rung anew on purpose alone.
    if (sale && sale.where !== 'taken') act(sale)
  }
  return (
    <>
      <PageHead title={t('held.title')} intro={t('held.intro')} />
      {awaits !== null && (
        <p className={styles['busy']} role="status">
          {format.text(awaits)}
        </p>
      )}
      {sales.length === 0 && <Empty icon={<CirclePause />} title={t('held.emptyTitle')} text={t('held.empty')} />}
      {sales.length > 0 && open && (
        <p className={styles['busy']} role="status">
          {t('held.busy')}
        </p>
      )}
      {sales.length > 0 && (
        <GridList
          aria-label={t('held.list')}
          autoFocus="first"
          items={sales}
          dependencies={[t, now, open, busy]}
          className={styles['list'] ?? ''}
          onAction={byKey}
        >
          {(sale) => <Row sale={sale} now={now} isDisabled={open || busy} onAct={() => act(sale)} />}
        </GridList>
      )}
      <HeldPricesDialog />
    </>
  )
}

const canResume = ({ where }: HeldSale): boolean => where === 'here' || where === 'store'

/** What is to be known before it is resumed; null: nothing. */
function stateOf({ where, takenBy, copiedAt }: HeldSale, { t }: Pick<ReturnType<typeof useWords>, 't'>): string | null {
  if (takenBy !== null) return t('held.takenBy', { lane: takenBy })
  if (where === 'away') return t('held.away')
  return copiedAt === null ? null : t('held.copiedAt', { lane: copiedAt })
}

function Row({
  sale,
  now,
  isDisabled,
  onAct,
}: {
  readonly sale: HeldSale
  readonly now: number
  readonly isDisabled: boolean
  readonly onAct: () => void
}) {
  const { t, format } = useWords()
  const { name, itemCount: count, lane } = sale
  const state = stateOf(sale, { t })
  const age = format.age(now - Date.parse(sale.heldAt))
  const total = format.money(sale.totalCents)
  return (
    <GridListItem
      id={sale.id}
      textValue={t('held.row', { name, count, total, age })}
      className={`${styles['sale']} figures`}
    >
      <span className={`${styles['words']} words`}>
        <strong>{name}</strong>
        <small>
          {[
            t('held.age', { age }),
            t('held.items', { count }),
            ...(sale.memberLast4 === null ? [] : [t('held.collector', { last4: sale.memberLast4 })]),
            sale.cashier,
            ...(sale.where === 'here' ? [] : [t('held.lane', { lane })]),
          ].join(' · ')}
        </small>
        {state !== null && <small className={styles['state']}>{state}</small>}
      </span>
      <span className={styles['total']}>{total}</span>
      {canResume(sale) ? (
        <Button look="primary" icon={<CirclePlay />} isDisabled={isDisabled} onPress={onAct}>
          {t('held.resume')}
        </Button>
      ) : (
        <Button icon={<Copy />} isDisabled={isDisabled} onPress={onAct}>
          {t('held.copy')}
        </Button>
      )}
    </GridListItem>
  )
}
