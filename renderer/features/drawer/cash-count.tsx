import { useWords } from '../../i18n/words.tsx'
import { cashCents, type CashDraft } from '../../state/drawer-counts.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { Button } from '../../ui/button.tsx'
import { Denominations } from '../../ui/denominations.tsx'
import styles from './drawer.module.css'

const WAYS = ['pieces', 'sum'] as const

/** Cash as it is counted: by coins and notes, or as one sum. */
export function CashCount({
  draft,
  onChange,
  onEnter,
}: {
  readonly draft: CashDraft
  readonly onChange: (change: (draft: CashDraft) => CashDraft) => void
  readonly onEnter: () => void
}) {
  const { t } = useWords()
  return (
    <>
      <div className={styles['ways']} role="group" aria-label={t('shifts.countBy')}>
        {WAYS.map((by) => (
          <Button
            key={by}
            aria-pressed={draft.by === by}
            look={draft.by === by ? 'primary' : 'plain'}
            preventFocusOnPress
            onPress={() => onChange((now) => ({ ...now, by }))}
          >
            {t(`shifts.countedBy.${by}`)}
          </Button>
        ))}
      </div>
      {draft.by === 'pieces' ? (
        <Denominations
          pieces={draft.pieces}
          sumCents={cashCents(draft)}
          onChange={(worth, typed) => onChange((now) => ({ ...now, pieces: { ...now.pieces, [worth]: typed } }))}
          onEnter={onEnter}
        />
      ) : (
        <div className={styles['narrow']}>
          <AmountPad
            label={t('shifts.sum')}
            typed={draft.sumCents}
            onType={(sumCents) => onChange((now) => ({ ...now, sumCents }))}
            onEnter={onEnter}
          />
        </div>
      )}
    </>
  )
}
