import { Calculator } from 'lucide-react'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Tag } from '../../ui/surface.tsx'
import styles from './drawer.module.css'
import { useShiftName } from './shift-name.ts'

/** The drawer that is open: since when, by whom, and with which float. What it should hold is nowhere. */
export function OpenShift({ shift, onCount }: { readonly shift: Shift; readonly onCount: () => void }) {
  const { t, format } = useWords()
  const nameOf = useShiftName()
  return (
    <section className={styles['open']} aria-label={t('shifts.openTitle')}>
      <div>
        <h3>
          {nameOf(shift)} <Tag tone="ok">{t('shifts.openTitle')}</Tag>
        </h3>
        <dl className="figures">
          <div>
            <dt>{t('shifts.since')}</dt>
            <dd>{format.dateTime(shift.openedAt)}</dd>
          </div>
          <div>
            <dt>{t('shifts.openedBy')}</dt>
            <dd className="words">{shift.openedBy}</dd>
          </div>
          <div>
            <dt>
              {t('shifts.float')} · {t(`shifts.floatState.${shift.floatCounted ? 'counted' : 'carried'}`)}
            </dt>
            <dd>{format.money(shift.floatCents)}</dd>
          </div>
        </dl>
      </div>
      <Button size="l" look="primary" icon={<Calculator />} onPress={onCount}>
        {t('shifts.count')}
      </Button>
    </section>
  )
}
