import { useMutation } from '@tanstack/react-query'
import { LockKeyhole } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { withApproval } from '../../state/approvals.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { useTries } from '../../ui/use-tries.ts'
import styles from './drawer.module.css'
import { DIFFERENCES } from './movements.ts'
import { goToReason, ReasonField, reasonFits } from './reason-field.tsx'

/** How much stays as the next float; the rest goes to the safe. A difference that is not tolerated needs its reason. */
export function CloseForm({
  shift,
  onBack,
  onClosed,
}: {
  readonly shift: Shift
  readonly onBack: () => void
  readonly onClosed: (shift: Shift) => void
}) {
  const { t, format } = useWords()
  const thereCents = Math.max(0, (shift.countedCents ?? 0) - shift.takenCents)
  const needsReason = shift.recount.length > 0 || shift.result?.needsReason === true
  const proposed = Math.min(shift.floatCents, thereCents)
  const [typed, setTyped] = useState<number | null>(null)
  const [reason, setReason] = useState('')
  const { tried, attempt, form } = useTries()
  const leftCents = typed ?? proposed
  const tooMuch = leftCents > thereCents
  const reasonGiven = !needsReason || reasonFits(reason)
  const close = useMutation({
    mutationFn: () =>
      withApproval(async (approval) => {
        const given = { leftCents, reason: needsReason ? reason.trim() : null }
        onClosed((await storeApi.closeShift(shift.id, { ...given, ...(approval ? { approval } : {}) })).shift)
      }),
  })
  const confirm = (): void => {
    attempt()
    if (!tooMuch && reasonGiven && !close.isPending) close.mutate()
  }
  return (
    <Form
      ref={form}
      className={styles['form'] ?? ''}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        confirm()
      }}
    >
      <div className={styles['split']}>
        <AmountPad
          label={t('shifts.left')}
          typed={typed}
          onType={setTyped}
          proposed={proposed}
          wrong={tooMuch}
          hint={t('shifts.leftMost', { amount: format.money(thereCents) })}
          onEnter={() => (tooMuch || reasonGiven ? confirm() : goToReason(form.current))}
        >
          <div className={styles['chips']}>
            {[...new Set([proposed, thereCents])].map((amount) => (
              <Button key={amount} preventFocusOnPress onPress={() => setTyped(amount)}>
                {t('shifts.leave', { amount: format.money(amount) })}
              </Button>
            ))}
            <Button preventFocusOnPress onPress={() => setTyped(0)}>
              {t('shifts.leaveNone')}
            </Button>
          </div>
        </AmountPad>
        <div className={styles['why']}>
          {shift.takenCents > 0 && <p>{t('shifts.taken', { amount: format.money(shift.takenCents) })}</p>}
          <p className={styles['safe']}>
            <span>{t('shifts.toSafe')}</span>
            <output className="figures">{format.money(Math.max(0, thereCents - leftCents))}</output>
          </p>
          {needsReason && (
            <ReasonField
              label={t('shifts.whyDifference')}
              quick={DIFFERENCES}
              reason={reason}
              onChange={setReason}
              tried={tried}
            />
          )}
        </div>
      </div>
      {close.isError && <LoadFailed error={close.error} retry={confirm} />}
      <div className={styles['foot']}>
        <Button size="l" onPress={onBack} isDisabled={close.isPending}>
          {t('actions.back')}
        </Button>
        <Button size="l" look="primary" type="submit" icon={<LockKeyhole />} isDisabled={close.isPending}>
          {t(close.isPending ? 'shifts.sending' : 'shifts.close')}
        </Button>
      </div>
    </Form>
  )
}
