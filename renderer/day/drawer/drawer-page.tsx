import { Calculator, HandCoins, Inbox, LockKeyholeOpen } from 'lucide-react'
import { useState } from 'react'
import type { CashActionKind, CurrentShift, Shift } from '../../../contracts/day/shifts.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { LoadFailed, PageHead, pageStyles } from '../../core/ui/page.tsx'
import { CashCount, CountDialog } from './count.tsx'
import { CountedShifts } from './close.tsx'
import { MOVEMENTS, MovementDialog, MovementList } from './movements.tsx'
import { Button } from '../../core/ui/button.tsx'
import styles from './drawer.module.css'
import { SHIFTS, useCurrentShift, useShiftName } from './shifts.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { storeApi } from '../../core/api/store-api.ts'
import type { CashInput } from '../../core/api/terminal-api.ts'
import { withApproval } from '../../sales/approvals.ts'
import { NO_CASH, cashCents, cashInput } from './drawer-counts.ts'
import { clearProblems, notify } from '../../core/state/notices.ts'
import { Dialog } from '../../core/ui/dialog.tsx'
import { Empty, Tag } from '../../core/ui/surface.tsx'

export function DrawerPage() {
  const { t } = useI18n()
  const current = useCurrentShift()
  const [counting, setCounting] = useState<Shift | null>(null)
  return (
    <>
      <PageHead title={t('shifts.title')} intro={t('shifts.intro')} />
      {current.isPending && <p role="status">{t('app.loading')}</p>}
      {current.isError && <LoadFailed error={current.error} retry={() => void current.refetch()} />}
      {current.data && (
        <>
          <CountedShifts shifts={current.data.counted} onClose={setCounting} />
          {current.data.shift ? (
            <Open current={current.data} shift={current.data.shift} onCount={setCounting} />
          ) : (
            <NotOpen mustOpen={current.data.mustOpen} suggestedCents={current.data.suggestedFloatCents} />
          )}
        </>
      )}
      {counting && <CountDialog key={counting.id} opened={counting} onClose={() => setCounting(null)} />}
    </>
  )
}

function Open({
  current: { movements },
  shift,
  onCount,
}: {
  readonly current: CurrentShift
  readonly shift: Shift
  readonly onCount: (shift: Shift) => void
}) {
  const { t } = useI18n()
  const [moving, setMoving] = useState<CashActionKind | null>(null)
  return (
    <>
      <OpenShift shift={shift} onCount={() => onCount(shift)} />
      <div className={`stack-2 above-3 ${styles['moves']}`} role="group" aria-label={t('shifts.move')}>
        {MOVEMENTS.map(({ kind, icon: Icon }) => (
          <Button key={kind} icon={<Icon />} onPress={() => setMoving(kind)}>
            {t(`cash.kind.${kind}`)}
          </Button>
        ))}
      </div>
      <section className={pageStyles['section']} aria-label={t('shifts.movements')}>
        <h3>{t('shifts.movements')}</h3>
        {movements.length === 0 ? (
          <p className="row-2 dim icons-20">
            <HandCoins aria-hidden="true" />
            {t('shifts.noMovements')}
          </p>
        ) : (
          <MovementList movements={movements} />
        )}
      </section>
      {moving && <MovementDialog kind={moving} onClose={() => setMoving(null)} />}
    </>
  )
}

export function NotOpen({
  mustOpen,
  suggestedCents,
}: {
  readonly mustOpen: boolean
  readonly suggestedCents: number | null
}) {
  const { t, format } = useI18n()
  const [counting, setCounting] = useState(false)
  const queries = useQueryClient()
  const open = useMutation({
    mutationFn: (float: CashInput) =>
      withApproval(async (approval) => {
        const { shift } = await storeApi.openShift(float, approval)
        void queries.invalidateQueries({ queryKey: [SHIFTS] })
        clearProblems()
        notify('success', (i18n) => i18n.t('shifts.opened', { amount: i18n.format.money(shift.floatCents) }))
      }),
  })
  const suggest = (): void => {
    if (suggestedCents !== null) open.mutate({ by: 'sum', cents: suggestedCents })
  }
  return (
    <div className={styles['notOpen']}>
      {open.isError && !counting && <LoadFailed error={open.error} retry={suggest} />}
      <Empty
        icon={<Inbox />}
        title={t('shifts.notOpenTitle')}
        text={t(mustOpen ? 'shifts.notOpenMust' : 'shifts.notOpen')}
      >
        <div className={`wrap-2 ${styles['ways']}`}>
          {suggestedCents !== null && (
            <Button size="l" look="primary" icon={<LockKeyholeOpen />} isDisabled={open.isPending} onPress={suggest}>
              {t('shifts.openWith', { amount: format.money(suggestedCents) })}
            </Button>
          )}
          <Button
            size="l"
            look={suggestedCents === null ? 'primary' : 'plain'}
            icon={<Calculator />}
            onPress={() => {
              open.reset()
              setCounting(true)
            }}
          >
            {t('shifts.countFloat')}
          </Button>
        </div>
      </Empty>
      {counting && (
        <FloatDialog
          error={open.error}
          isPending={open.isPending}
          onOpen={(float) => open.mutate(float)}
          onClose={() => setCounting(false)}
        />
      )}
    </div>
  )
}

function FloatDialog({
  error,
  isPending,
  onOpen,
  onClose,
}: {
  readonly error: Error | null
  readonly isPending: boolean
  readonly onOpen: (float: CashInput) => void
  readonly onClose: () => void
}) {
  const { t, format } = useI18n()
  const [draft, setDraft] = useState(NO_CASH)
  const confirm = (): void => {
    if (!isPending) onOpen(cashInput(draft))
  }
  return (
    <Dialog open onClose={onClose} size="l" title={t('shifts.countFloat')}>
      <CashCount draft={draft} onChange={setDraft} onEnter={confirm} />
      {error && <LoadFailed error={error} retry={confirm} />}
      <div className={`stack-3 foot ${styles['foot']}`}>
        <Button size="l" onPress={onClose}>
          {t('actions.back')}
        </Button>
        <Button size="l" look="primary" icon={<LockKeyholeOpen />} isDisabled={isPending} onPress={confirm}>
          {t('shifts.openWith', { amount: format.money(cashCents(draft)) })}
        </Button>
      </div>
    </Dialog>
  )
}

/** Facts of the open drawer: time, person and float. Never its expected amount. */
export function OpenShift({ shift, onCount }: { readonly shift: Shift; readonly onCount: () => void }) {
  const { t, format } = useI18n()
  const nameOf = useShiftName()
  return (
    <section className={`stack-4 with-end middle card ${styles['open']}`} aria-label={t('shifts.openTitle')}>
      <div>
        <h3 className="wrap gap-2-3 middle">
          {nameOf(shift)} <Tag tone="ok">{t('shifts.openTitle')}</Tag>
        </h3>
        <dl className="wrap above-3 figures">
          <div>
            <dt className="note">{t('shifts.since')}</dt>
            <dd className="text-l weight-600">{format.dateTime(shift.openedAt)}</dd>
          </div>
          <div>
            <dt className="note">{t('shifts.openedBy')}</dt>
            <dd className="text-l weight-600 prose">{shift.openedBy}</dd>
          </div>
          <div>
            <dt className="note">
              {t('shifts.float')} · {t(`shifts.floatState.${shift.floatCounted ? 'counted' : 'carried'}`)}
            </dt>
            <dd className="text-l weight-600">{format.money(shift.floatCents)}</dd>
          </div>
        </dl>
      </div>
      <Button size="l" look="primary" icon={<Calculator />} onPress={onCount}>
        {t('shifts.count')}
      </Button>
    </section>
  )
}
