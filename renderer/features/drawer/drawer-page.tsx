import { HandCoins } from 'lucide-react'
import { useState } from 'react'
import type { CurrentShift, CashOrderKind, Shift } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../ui/page.tsx'
import { CountDialog } from './count-dialog.tsx'
import { CountedShifts } from './counted-shifts.tsx'
import { MovementDialog } from './movement-dialog.tsx'
import { MovementList } from './movement-list.tsx'
import { MOVEMENTS } from './movements.ts'
import { NotOpen } from './not-open.tsx'
import { OpenShift } from './open-shift.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './drawer.module.css'
import { useCurrentShift } from './use-current-shift.ts'

/** The drawer of whoever is signed in: opened with a float, cash moved beside sales, counted blind and closed. */
export function DrawerPage() {
  const { t } = useWords()
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
  const { t } = useWords()
  const [moving, setMoving] = useState<CashOrderKind | null>(null)
  return (
    <>
      <OpenShift shift={shift} onCount={() => onCount(shift)} />
      <div className={styles['moves']} role="group" aria-label={t('shifts.move')}>
        {MOVEMENTS.map(({ kind, icon: Icon }) => (
          <Button key={kind} icon={<Icon />} onPress={() => setMoving(kind)}>
            {t(`cash.kind.${kind}`)}
          </Button>
        ))}
      </div>
      <section className={pageStyles['section']} aria-label={t('shifts.movements')}>
        <h3>{t('shifts.movements')}</h3>
        {movements.length === 0 ? (
          <p className={styles['none']}>
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
