import { CirclePause, CirclePlay, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Form, GridList, GridListItem, Input, Label, Text, TextField } from 'react-aria-components'
import type { HeldSale } from '../../contracts/sales/held-sales.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { copyHeldSale, holdSale, refreshHeldSales, resumeSale, useHeldSales } from './held-sales.ts'
import { useInFlight } from '../core/state/command-queue.ts'
import { itemCount, useSale } from './sale.ts'
import { Button } from '../core/ui/button.tsx'
import { PageHead } from '../core/ui/page.tsx'
import { Empty } from '../core/ui/surface.tsx'
import styles from './held-sales.module.css'
import type { Sale } from '../../contracts/sales/sales.ts'
import { Dialog } from '../core/ui/dialog.tsx'
import fieldStyles from '../core/ui/field.module.css'
import { ApprovalFacts } from './approval-dialog.tsx'

/** Interval of reloading the list, because other lanes hold and resume sales, and ages are in minutes. */
const LOOK_AGAIN_MS = 15_000

/**
 * Page of the sales on hold at every lane of the store. The arrow keys choose and Enter resumes; a sale that the store
 * server cannot give out now is rung as a copy.
 */
export function HeldSalesPage() {
  const { t, format } = useI18n()
  const sales = useHeldSales((state) => state.sales)
  const awaits = useHeldSales((state) => state.awaits)
  const open = useSale((state) => state.current !== null)
  const busy = useInFlight('hold')
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
    // A sale that another lane is resuming can be copied only by its button, not by Enter.
    if (sale && sale.where !== 'taken') act(sale)
  }
  return (
    <>
      <PageHead title={t('held.title')} intro={t('held.intro')} />
      {awaits !== null && (
        <p className="warn weight-600 below-3" role="status">
          {format.text(awaits)}
        </p>
      )}
      {sales.length === 0 && <Empty icon={<CirclePause />} title={t('held.emptyTitle')} text={t('held.empty')} />}
      {sales.length > 0 && open && (
        <p className="warn weight-600 below-3" role="status">
          {t('held.busy')}
        </p>
      )}
      {sales.length > 0 && (
        <GridList
          aria-label={t('held.list')}
          autoFocus="first"
          items={sales}
          dependencies={[t, now, open, busy]}
          className="scroll framed ringless"
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

function stateOf({ where, takenBy, copiedAt }: HeldSale, { t }: Pick<ReturnType<typeof useI18n>, 't'>): string | null {
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
  const { t, format } = useI18n()
  const { name, itemCount: count, lane } = sale
  const state = stateOf(sale, { t })
  const age = format.age(now - Date.parse(sale.heldAt))
  const total = format.money(sale.totalCents)
  return (
    <GridListItem
      id={sale.id}
      textValue={t('held.row', { name, count, total, age })}
      className={`grid middle pad-2-4 default-cursor ${styles['sale']} figures`}
    >
      <span className={`grid min-width-0 ${styles['text']} prose`}>
        <strong className="text-l anywhere">{name}</strong>
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
      <span className="text-l weight-650 nowrap">{total}</span>
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

const LONGEST_NAME = 24

const stopNaming = (): void => useHeldSales.setState({ naming: false })

export function HoldDialog() {
  const { t } = useI18n()
  const naming = useHeldSales((state) => state.naming)
  const current = useSale((state) => state.current)
  return (
    <Dialog open={naming && current !== null} onClose={stopNaming} title={t('held.holdTitle')}>
      {current && <HoldForm sale={current} />}
    </Dialog>
  )
}

function HoldForm({ sale }: { readonly sale: Sale }) {
  const { t, format } = useI18n()
  const [name, setName] = useState('')
  return (
    <Form
      className="stack-4"
      onSubmit={(event) => {
        event.preventDefault()
        void holdSale(name)
      }}
    >
      <p>{t('held.holdText', { count: itemCount(sale), total: format.money(sale.totals.totalCents) })}</p>
      <TextField autoFocus value={name} onChange={setName} className={`stack-1 field ${fieldStyles['field']}`}>
        <Label>{t('held.name')}</Label>
        <Input maxLength={LONGEST_NAME} autoComplete="off" spellCheck="false" />
        <Text slot="description">{t('held.nameHint')}</Text>
      </TextField>
      <div className="stack-3 foot">
        <Button size="l" onPress={stopNaming}>
          {t('actions.back')}
        </Button>
        <Button type="submit" look="primary" size="l">
          {t('held.confirm')}
        </Button>
      </div>
    </Form>
  )
}

/** Dialog that asks which prices to use when another lane held the sale at prices other than this lane's. */
export function HeldPricesDialog() {
  const { t } = useI18n()
  const differing = useHeldSales((state) => state.differing)
  if (differing === null) return null
  const { sale, request } = differing
  const close = (): void => useHeldSales.setState({ differing: null })
  return (
    <Dialog open onClose={close} title={t('held.differsTitle')} size="l">
      <div className="stack-4">
        <p>{t('held.differs', { lane: sale.lane })}</p>
        <ApprovalFacts request={request} heads={{ before: t('held.today'), after: t('held.asHeld') }} />
        <Button look="primary" size="l" wide onPress={() => void resumeSale(sale, { prices: 'today' })}>
          {t('held.takeToday')}
        </Button>
        <Button size="l" wide onPress={() => void resumeSale(sale, { prices: 'held', covers: request.covers })}>
          {t('held.keepHeld')}
        </Button>
      </div>
    </Dialog>
  )
}
