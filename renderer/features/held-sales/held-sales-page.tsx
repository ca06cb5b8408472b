import { CirclePause, CirclePlay } from 'lucide-react'
import { useEffect, useState } from 'react'
import { GridList, GridListItem } from 'react-aria-components'
import type { HeldSale } from '../../../contracts/api/held-sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { refreshHeldSales, resumeSale, useHeldSales } from '../../state/held-sales.ts'
import { useUnderWay } from '../../state/command-queue.ts'
import { useSale } from '../../state/sale.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import styles from './held-sales.module.css'

/** Ages are in minutes: looking twice a minute keeps them true. */
const LOOK_AGAIN_MS = 30_000

/** The sales of this lane that wait, to resume one. The arrow keys choose, Enter resumes. */
export function HeldSalesPage() {
  const { t } = useWords()
  const sales = useHeldSales((state) => state.sales)
  const open = useSale((state) => state.current !== null)
  const busy = useUnderWay('hold')
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    void refreshHeldSales()
    const timer = setInterval(() => setNow(Date.now()), LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  const resume = (id: string | number): void => {
    const sale = sales.find((held) => held.id === id)
    if (sale && !open && !busy) void resumeSale(sale)
  }
  return (
    <>
      <PageHead title={t('held.title')} intro={t('held.intro')} />
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
          onAction={resume}
        >
          {(sale) => <Row sale={sale} now={now} isDisabled={open || busy} onResume={() => resume(sale.id)} />}
        </GridList>
      )}
    </>
  )
}

function Row({
  sale,
  now,
  isDisabled,
  onResume,
}: {
  readonly sale: HeldSale
  readonly now: number
  readonly isDisabled: boolean
  readonly onResume: () => void
}) {
  const { t, format } = useWords()
  const { name, itemCount: count } = sale
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
          ].join(' · ')}
        </small>
      </span>
      <span className={styles['total']}>{total}</span>
      <Button look="primary" icon={<CirclePlay />} isDisabled={isDisabled} onPress={onResume}>
        {t('held.resume')}
      </Button>
    </GridListItem>
  )
}
