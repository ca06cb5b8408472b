import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { CashOrderKind } from '../../../contracts/api/shifts.ts'
import { useQueryClient } from '@tanstack/react-query'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { askApproval, wantsApproval, type GivenApproval } from '../../state/approvals.ts'
import { clearProblems, notify } from '../../state/notices.ts'
import { AmountPad } from '../../ui/amount-pad.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { useTries } from '../../ui/use-tries.ts'
import styles from './drawer.module.css'
import { MOVEMENTS } from './movements.ts'
import { goToReason, ReasonField, reasonFits } from './reason-field.tsx'
import { SHIFTS } from './use-current-shift.ts'

/** Cash in or out beside sales, or the drawer without a sale: how much, and why; a supervisor where one is needed. */
export function MovementDialog({ kind, onClose }: { readonly kind: CashOrderKind; readonly onClose: () => void }) {
  const { t, format } = useWords()
  const [typed, setTyped] = useState<number | null>(null)
  const [reason, setReason] = useState('')
  const { tried, attempt, form } = useTries()
  const { move, isMoving, error } = useMove(kind, onClose)
  const hasAmount = kind !== 'no-sale'
  const amountCents = hasAmount ? (typed ?? 0) : 0
  const missing = hasAmount && amountCents === 0
  const { reasons } = MOVEMENTS.find((one) => one.kind === kind) ?? MOVEMENTS[0]
  const confirm = (): void => {
    attempt()
    if (!missing && reasonFits(reason)) void move(amountCents, reason.trim())
  }
  const why = (
    <ReasonField label={t('shifts.reason')} quick={reasons} reason={reason} onChange={setReason} tried={tried} />
  )
  return (
    <Dialog open onClose={onClose} size={hasAmount ? 'l' : 's'} title={t(`cash.kind.${kind}`)}>
      <Form
        ref={form}
        className={styles['form'] ?? ''}
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <p>{t(`shifts.about.${kind}`)}</p>
        {hasAmount ? (
          <div className={styles['split']}>
            <AmountPad
              label={t('shifts.amount')}
              typed={typed}
              onType={setTyped}
              wrong={tried && missing}
              {...(tried && missing ? { hint: t('shifts.amountMissing') } : {})}
              onEnter={() => (missing || reasonFits(reason) ? confirm() : goToReason(form.current))}
            />
            {why}
          </div>
        ) : (
          why
        )}
        {error && <LoadFailed error={error} retry={confirm} />}
        <div className={styles['foot']}>
          <Button size="l" onPress={onClose}>
            {t('actions.back')}
          </Button>
          <Button size="l" look="primary" type="submit" isDisabled={isMoving}>
            {t(`shifts.confirm.${kind}`, { amount: format.money(amountCents) })}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/**
 * Sends a movement. The form stays as it is under the question for a supervisor: whoever goes back there has lost
 * nothing.
 */
function useMove(kind: CashOrderKind, onDone: () => void) {
  const queries = useQueryClient()
  const [isMoving, setMoving] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const refuse = (problem: unknown): void => {
    if (!(problem instanceof Error)) throw problem
    setError(problem)
  }
  async function move(amountCents: number, reason: string): Promise<void> {
    const send = async (approval?: GivenApproval): Promise<void> => {
      await storeApi.moveCash({ kind, amountCents, reason, ...(approval ? { approval } : {}) })
      void queries.invalidateQueries({ queryKey: [SHIFTS] })
      clearProblems()
      notify('success', ({ t, format }) => t(`shifts.moved.${kind}`, { amount: format.money(amountCents) }))
      onDone()
    }
    setError(null)
    setMoving(true)
    try {
      await send()
    } catch (problem) {
      if (wantsApproval(problem))
        askApproval({ request: problem.approval, attempt: send, refused: async (later) => refuse(later) })
      else refuse(problem)
    } finally {
      setMoving(false)
    }
  }
  return { move, isMoving, error }
}
