import { useI18n } from '../../core/i18n/i18n.ts'
import { type CashDraft, cashCents, changeCount, countInput, useCountDraft } from './drawer-counts.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { Button } from '../../core/ui/button.tsx'
import { Denominations } from '../../core/ui/denominations.tsx'
import styles from './drawer.module.css'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { CountedThing, Shift } from '../../../contracts/day/shifts.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { LoadFailed } from '../../core/ui/page.tsx'
import { CircleAlert, CircleCheckBig, RotateCcw } from 'lucide-react'
import { CloseForm, Closed, CountComparison, rowsOf, useDiffers, useOutcome } from './close.tsx'
import { useState } from 'react'
import type { PaymentKind } from '../../../contracts/payments/tenders/registry.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { Dialog } from '../../core/ui/dialog.tsx'
import { useContainerFocus } from '../../core/ui/focus.ts'
import { SHIFTS, useShiftName } from './shifts.ts'

const COUNT_METHODS = ['pieces', 'sum'] as const

export function CashCount({
  draft,
  onChange,
  onEnter,
}: {
  readonly draft: CashDraft
  readonly onChange: (change: (draft: CashDraft) => CashDraft) => void
  readonly onEnter: () => void
}) {
  const { t } = useI18n()
  return (
    <>
      <div className={`wrap-2 ${styles['ways']}`} role="group" aria-label={t('shifts.countBy')}>
        {COUNT_METHODS.map((by) => (
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
        <div className={`stack-2 ${styles['narrow']}`}>
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

export type CountStep = CountedThing | 'check' | 'result' | 'close'

export function CountSteps({ steps, step }: { readonly steps: readonly CountStep[]; readonly step: CountStep }) {
  const { t } = useI18n()
  return (
    <ol className={`wrap ${styles['steps']}`} aria-label={t('shifts.steps')}>
      {steps.map((one) => (
        <li className="inline gap-2 middle note" key={one} aria-current={one === step ? 'step' : undefined}>
          {t(`shifts.step.${one}`)}
        </li>
      ))}
    </ol>
  )
}

export type FormStep = Exclude<CountStep, 'result' | 'close'>

type Draft = ReturnType<typeof useCountDraft>
type PaperStep = Exclude<FormStep, 'cash' | 'check'>
const PAPER_AMOUNTS = {
  'card-slips': 'cardSlipsCents',
  cheques: 'chequesCents',
  coupons: 'couponsCents',
} as const satisfies Record<PaperStep, keyof Draft>
const isOfPaper = (step: FormStep): step is PaperStep => step in PAPER_AMOUNTS

const amountOf = (draft: Draft, step: 'cash' | PaperStep): number | null =>
  step === 'cash' ? cashCents(draft.cash) : draft[PAPER_AMOUNTS[step]]

/** Asks for one kind of payment at a time and sends the count after a final check. */
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
  const { t } = useI18n()
  const draft = useCountDraft(shift.id)
  const change = (of: PaperStep, typed: number | null): void =>
    changeCount(shift.id, () => ({ [PAPER_AMOUNTS[of]]: typed }))
  const commit = useMutation({
    mutationFn: () => storeApi.countShift(shift.id, shift.state === 'counted' ? 2 : 1, countInput(draft)),
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
  const skips = isOfPaper(step) && amountOf(draft, step) === null
  return (
    <>
      {step === 'cash' && (
        <CashCount
          draft={draft.cash}
          onChange={(next) => changeCount(shift.id, ({ cash }) => ({ cash: next(cash) }))}
          onEnter={next}
        />
      )}
      {isOfPaper(step) && (
        <div className={`stack-2 ${styles['narrow']}`}>
          <AmountPad
            key={step}
            label={t(`shifts.step.${step}`)}
            typed={amountOf(draft, step)}
            onType={(typed) => change(step, typed)}
            hint={t('shifts.papersHint')}
            onEnter={next}
          />
          {!skips && (
            <Button look="quiet" onPress={() => change(step, null)}>
              {t('shifts.notCounted')}
            </Button>
          )}
        </div>
      )}
      {step === 'check' && <Check draft={draft} steps={steps} isRecount={shift.state !== 'open'} />}
      {commit.isError && <LoadFailed error={commit.error} retry={next} />}
      <div className={`stack-3 foot ${styles['foot']}`}>
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

interface CheckProps {
  readonly draft: Draft
  readonly steps: readonly FormStep[]
  readonly isRecount: boolean
}

function Check({ draft, steps, isRecount }: CheckProps) {
  const { t, format } = useI18n()
  return (
    <>
      <dl className={`stack-2 ${styles['check']} figures`}>
        {steps.map((one) => {
          if (one === 'check') return null
          const amount = amountOf(draft, one)
          return (
            <div key={one}>
              <dt>{t(`shifts.step.${one}`)}</dt>
              <dd className="text-xl weight-700">{amount === null ? t('shifts.notCounted') : format.money(amount)}</dd>
            </div>
          )
        })}
      </dl>
      <p>{t(isRecount ? 'shifts.checkRecount' : 'shifts.checkIntro')}</p>
    </>
  )
}

/**
 * Result of a committed count: while a recount is possible, shows only which kinds of payment differ; then the amounts.
 */
export function CountResult({
  shift: { recount, result },
  onRecount,
  onContinue,
}: {
  readonly shift: Pick<Shift, 'recount' | 'result'>
  readonly onRecount: () => void
  readonly onContinue: () => void
}) {
  const { t } = useI18n()
  const outcome = useOutcome()
  const differs = useDiffers()
  const mayRecount = recount.length > 0
  const differing = result ? rowsOf(result).filter(({ differenceCents }) => differenceCents !== 0) : []
  const off = mayRecount || differing.length > 0
  return (
    <>
      <p
        className={`row-3 tone-ok text-xl weight-700 round-m pad-3-4 ${styles['verdict']}`}
        data-differs={off}
        role="status"
      >
        {off ? <CircleAlert aria-hidden="true" /> : <CircleCheckBig aria-hidden="true" />}
        {mayRecount
          ? differs(recount)
          : !off
            ? t('shifts.balanced')
            : differing
                .map(({ what, differenceCents }) =>
                  t('shifts.outcomeOf', { what: t(`shifts.step.${what}`), outcome: outcome(differenceCents) }),
                )
                .join(' · ')}
      </p>
      {result && <CountComparison result={result} />}
      {mayRecount && <p>{t('shifts.mayRecount')}</p>}
      {result && result.number > 1 && <p>{t('shifts.recounted')}</p>}
      <div className={`stack-3 foot ${styles['foot']}`}>
        {mayRecount && (
          <Button size="l" look="primary" autoFocus icon={<RotateCcw />} onPress={onRecount}>
            {t('shifts.recount')}
          </Button>
        )}
        <Button size="l" {...(mayRecount ? {} : { look: 'primary', autoFocus: true })} onPress={onContinue}>
          {t('shifts.continue')}
        </Button>
      </div>
    </>
  )
}

const PAPERS = [
  { step: 'card-slips', of: 'card' },
  { step: 'cheques', of: 'cheque' },
  { step: 'coupons', of: 'manufacturer-coupon' },
] as const satisfies readonly { readonly step: CountStep; readonly of: PaymentKind }[]

/**
 * Guides from the blind count of a drawer to its close. Shows no expected amount before a count is committed. A drawer
 * counted earlier resumes at its result.
 */
export function CountDialog({ opened, onClose }: { readonly opened: Shift; readonly onClose: () => void }) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const nameOf = useShiftName()
  const payments = useTerminal((state) => state.terminal?.payments)
  const [shift, setShift] = useState(opened)
  const [step, setStep] = useState<CountStep>(opened.state === 'open' ? 'cash' : 'result')
  const papers = PAPERS.filter(({ of }) => payments?.includes(of)).map((paper) => paper.step)
  const steps = ['cash', ...papers, 'check', 'result', 'close'] as const satisfies readonly CountStep[]
  const panel = useContainerFocus(`${step} ${shift.state}`)
  const take = (answer: Shift): void => {
    setShift(answer)
    void queries.invalidateQueries({ queryKey: [SHIFTS] })
  }
  return (
    <Dialog open onClose={onClose} size="l" title={t('shifts.countTitle', { shift: nameOf(shift) })}>
      <div ref={panel} tabIndex={-1} className="stack-4 single ringless">
        {shift.state === 'closed' ? (
          <Closed shift={shift} onDone={onClose} />
        ) : (
          <>
            <CountSteps steps={steps} step={step} />
            {step === 'result' && (
              <CountResult shift={shift} onRecount={() => setStep('cash')} onContinue={() => setStep('close')} />
            )}
            {step === 'close' && <CloseForm shift={shift} onBack={() => setStep('result')} onClosed={take} />}
            {step !== 'result' && step !== 'close' && (
              <CountForm
                shift={shift}
                steps={['cash', ...papers, 'check']}
                step={step}
                onStep={setStep}
                onLeave={() => (shift.state === 'open' ? onClose() : setStep('result'))}
                onCounted={(answer) => {
                  take(answer)
                  setStep('result')
                }}
              />
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}
