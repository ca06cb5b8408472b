import { useMutation } from '@tanstack/react-query'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { cashCents, changeCount, givenCount, useCountDraft } from '../../state/drawer-counts.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { CashCount } from './cash-count.tsx'
import type { CountStep } from './count-steps.tsx'
import styles from './drawer.module.css'

export type FormStep = Exclude<CountStep, 'result' | 'close'>

/** The count itself, one question at a time; it is sent when all of it was looked at once more. */
export function CountForm({
  shift,
  steps,
  step,
  onStep,
  onLeave,
  onCounted,
}: {
  readonly shift: Shift
  readonly steps: readonly FormStep[]
  readonly step: FormStep
  readonly onStep: (step: FormStep) => void
  readonly onLeave: () => void
  readonly onCounted: (shift: Shift) => void
}) {
  const { t, format } = useWords()
  const draft = useCountDraft(shift.id)
  const change = (of: 'card-slips' | 'cheques', typed: number | null): void =>
    changeCount(shift.id, () => (of === 'cheques' ? { chequesCents: typed } : { cardSlipsCents: typed }))
  const commit = useMutation({
    mutationFn: () => storeApi.countShift(shift.id, shift.state === 'counted' ? 2 : 1, givenCount(draft)),
    onSuccess: ({ shift: answer }) => onCounted(answer),
  })
  const goTo = (by: 1 | -1): void => {
    const to = steps[steps.indexOf(step) + by]
    if (to) onStep(to)
    else onLeave()
  }
  const next = (): void => {
    if (step !== 'check') goTo(1)
    else if (!commit.isPending) commit.mutate()
  }
  const papers = { 'card-slips': draft.cardSlipsCents, cheques: draft.chequesCents }
  const skips = (step === 'card-slips' || step === 'cheques') && papers[step] === null
  return (
    <>
      {step === 'cash' && (
        <CashCount
          draft={draft.cash}
          onChange={(next) => changeCount(shift.id, ({ cash }) => ({ cash: next(cash) }))}
          onEnter={next}
        />
      )}
      {(step === 'card-slips' || step === 'cheques') && (
        <div className={styles['narrow']}>
          <AmountPad
            key={step}
            label={t(`shifts.step.${step}`)}
            typed={papers[step]}
            onType={(typed) => change(step, typed)}
            hint={t('shifts.papersHint')}
            onEnter={next}
          />
          {papers[step] !== null && (
            <Button look="quiet" onPress={() => change(step, null)}>
              {t('shifts.notCounted')}
            </Button>
          )}
        </div>
      )}
      {step === 'check' && (
        <>
          <dl className={`${styles['check']} figures`}>
            {steps.map((one) => {
              if (one === 'check') return null
              const amount = one === 'cash' ? cashCents(draft.cash) : papers[one]
              return (
                <div key={one}>
                  <dt>{t(`shifts.step.${one}`)}</dt>
                  <dd>{amount === null ? t('shifts.notCounted') : format.money(amount)}</dd>
                </div>
              )
            })}
          </dl>
          <p>{t(shift.state === 'open' ? 'shifts.checkIntro' : 'shifts.checkRecount')}</p>
        </>
      )}
      {commit.isError && <LoadFailed error={commit.error} retry={next} />}
      <div className={styles['foot']}>
        <Button size="l" isDisabled={commit.isPending} onPress={() => goTo(-1)}>
          {t('actions.back')}
        </Button>
        <Button
          size="l"
          look="primary"
          autoFocus={step === 'check'}
          key={step}
          isDisabled={commit.isPending}
          onPress={next}
        >
          {commit.isPending
            ? t('shifts.sending')
            : t(step === 'check' ? 'shifts.commit' : skips ? 'shifts.skip' : 'shifts.next')}
        </Button>
      </div>
    </>
  )
}
