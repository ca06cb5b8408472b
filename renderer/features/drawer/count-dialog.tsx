import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Shift } from '../../../contracts/api/shifts.ts'
import type { PaymentKind } from '../../../contracts/tenders/registry.ts'
import { useWords } from '../../i18n/words.tsx'
import { useTerminal } from '../../state/terminal.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useKeptFocus } from '../../ui/kept-focus.ts'
import { CloseForm } from './close-form.tsx'
import { Closed } from './closed.tsx'
import { CountForm } from './count-form.tsx'
import { CountResult } from './count-result.tsx'
import { CountSteps, type CountStep } from './count-steps.tsx'
import styles from './drawer.module.css'
import { useShiftName } from './shift-name.ts'
import { SHIFTS } from './use-current-shift.ts'

/** What a store counts depends on how it lets people pay. */
const PAPERS = [
  { step: 'card-slips', of: 'card' },
  { step: 'cheques', of: 'cheque' },
] as const satisfies readonly { readonly step: CountStep; readonly of: PaymentKind }[]

/**
 * A drawer from its blind count to its close. Nothing here says what the drawer should hold before a count is
 * committed. One that was counted before goes on with its result.
 */
export function CountDialog({ opened, onClose }: { readonly opened: Shift; readonly onClose: () => void }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const nameOf = useShiftName()
  const payments = useTerminal((state) => state.terminal?.payments)
  const [shift, setShift] = useState(opened)
  const [step, setStep] = useState<CountStep>(opened.state === 'open' ? 'cash' : 'result')
  const papers = PAPERS.filter(({ of }) => payments?.includes(of)).map((paper) => paper.step)
  const steps = ['cash', ...papers, 'check', 'result', 'close'] as const satisfies readonly CountStep[]
  const panel = useKeptFocus(`${step} ${shift.state}`)
  const take = (answer: Shift): void => {
    setShift(answer)
    void queries.invalidateQueries({ queryKey: [SHIFTS] })
  }
  return (
    <Dialog open onClose={onClose} size="l" title={t('shifts.countTitle', { shift: nameOf(shift) })}>
      <div ref={panel} tabIndex={-1} className={styles['panel']}>
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
