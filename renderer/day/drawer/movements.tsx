import { useState } from 'react'
import { FieldError, Form, Input, Label, TextField } from 'react-aria-components'
import type { CashMovement, CashActionKind } from '../../../contracts/day/shifts.ts'
import { useQueryClient } from '@tanstack/react-query'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { type ApprovalInput, askApproval, needsApproval } from '../../sales/approvals.ts'
import { clearProblems, notify } from '../../core/state/notices.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { useTries } from '../../core/ui/focus.ts'
import styles from './drawer.module.css'
import { SHIFTS } from './shifts.ts'
import { ArrowDownToLine, ArrowUpFromLine, DoorOpen, Truck, Vault } from 'lucide-react'
import { PaperWarning } from '../../core/ui/paper-warning.tsx'
import type { PrintState } from '../../../contracts/core/receipt.ts'
import { useEvents } from '../../core/state/events.ts'
import { Tag } from '../../core/ui/surface.tsx'
import { toneOfPrint } from '../../payments/receipt/voucher-documents.tsx'

export function MovementDialog({ kind, onClose }: { readonly kind: CashActionKind; readonly onClose: () => void }) {
  const { t, format } = useI18n()
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
        className="stack-4 single ringless"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        <p>{t(`shifts.about.${kind}`)}</p>
        {hasAmount ? (
          <div className={`grid gap-5 start ${styles['split']}`}>
            <AmountPad
              label={t('shifts.amount')}
              typed={typed}
              onType={setTyped}
              wrong={tried && missing}
              {...(tried && missing ? { hint: t('shifts.amountMissing') } : {})}
              onEnter={() => (missing || reasonFits(reason) ? confirm() : focusReason(form.current))}
            />
            {why}
          </div>
        ) : (
          why
        )}
        {error && <LoadFailed error={error} retry={confirm} />}
        <div className={`stack-3 foot ${styles['foot']}`}>
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

/** Sends a cash movement. The form stays open under the approval dialog, so that Back loses no input. */
function useMove(kind: CashActionKind, onDone: () => void) {
  const queries = useQueryClient()
  const [isMoving, setMoving] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const refuse = (problem: unknown): void => {
    if (!(problem instanceof Error)) throw problem
    setError(problem)
  }
  async function move(amountCents: number, reason: string): Promise<void> {
    const send = async (approval?: ApprovalInput): Promise<void> => {
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
      if (needsApproval(problem))
        askApproval({ request: problem.approval, attempt: send, refused: async (later) => refuse(later) })
      else refuse(problem)
    } finally {
      setMoving(false)
    }
  }
  return { move, isMoving, error }
}

export function MovementList({ movements }: { readonly movements: readonly CashMovement[] }) {
  const { t, format } = useI18n()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['table']}`} aria-label={t('shifts.movements')}>
        <thead>
          <tr>
            <th scope="col">{t('shifts.at')}</th>
            <th scope="col">{t('shifts.what')}</th>
            <th scope="col" className={styles['amount']}>
              {t('shifts.amount')}
            </th>
            <th scope="col">{t('shifts.reason')}</th>
            <th scope="col">{t('shifts.by')}</th>
          </tr>
        </thead>
        <tbody>
          {movements.map(({ id, at, kind, amountCents, reason, staff, approvedBy }) => (
            <tr key={id}>
              <th scope="row">{format.time(at)}</th>
              <td>{t(`cash.kind.${kind}`)}</td>
              <td className={styles['amount']}>{kind === 'no-sale' ? '' : format.money(amountCents)}</td>
              <td className={styles['reason']}>{reason}</td>
              <td>
                {staff}
                {approvedBy !== null && (
                  <>
                    <br />
                    <small className="dim">{t('shifts.approvedBy', { name: approvedBy })}</small>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

export const MOVEMENTS = [
  { kind: 'paid-in', icon: ArrowDownToLine, reasons: ['bank-change', 'found-cash', 'correction'] },
  { kind: 'paid-out', icon: ArrowUpFromLine, reasons: ['supplies', 'postage', 'delivery'] },
  { kind: 'drop', icon: Vault, reasons: ['drawer-limit', 'large-notes'] },
  { kind: 'pickup', icon: Truck, reasons: ['bank-deposit', 'courier'] },
  { kind: 'no-sale', icon: DoorOpen, reasons: ['customer-change', 'wrong-change'] },
] as const satisfies readonly {
  readonly kind: CashActionKind
  readonly icon: unknown
  readonly reasons: readonly string[]
}[]

export const DIFFERENCES = ['wrong-change', 'slip-missing', 'not-recorded', 'cause-unknown'] as const

export type QuickReason = (typeof MOVEMENTS)[number]['reasons'][number] | (typeof DIFFERENCES)[number]

const LONGEST_REASON = 120

export const reasonFits = (reason: string): boolean => reason.trim() !== ''

export const focusReason = (form: HTMLFormElement | null): void => form?.querySelector('input')?.focus()

/** Field for the reason of a cash movement: a common reason by a press, or a typed one. The cash slip prints it. */
export function ReasonField({
  label,
  quick,
  reason,
  onChange,
  tried,
}: {
  readonly label: string
  readonly quick: readonly QuickReason[]
  readonly reason: string
  readonly onChange: (reason: string) => void
  readonly tried: boolean
}) {
  const { t } = useI18n()
  return (
    <div className="stack-3">
      <TextField
        value={reason}
        onChange={onChange}
        isInvalid={tried && !reasonFits(reason)}
        className={`stack-1 field ${styles['field']}`}
      >
        <Label>{label}</Label>
        <Input maxLength={LONGEST_REASON} autoComplete="off" />
        <PaperWarning text={reason} />
        <FieldError>{t('shifts.reasonMissing')}</FieldError>
      </TextField>
      <div className="wrap-2" role="group" aria-label={t('shifts.quickReasons')}>
        {quick.map((one) => {
          const text = t(`shifts.quick.${one}`)
          return (
            <Button
              key={one}
              aria-pressed={reason === text}
              look={reason === text ? 'primary' : 'plain'}
              preventFocusOnPress
              onPress={() => onChange(text)}
            >
              {text}
            </Button>
          )
        })}
      </div>
    </div>
  )
}

export const usePrintOf = (id: string | undefined, answered: PrintState | null): PrintState | null =>
  useEvents(({ prints }) => (id === undefined ? undefined : prints[id])) ?? answered

export function PrintOf({ print, todo }: { readonly print: PrintState | null; readonly todo?: string }) {
  const { t } = useI18n()
  if (print === null) return null
  const left = print === 'failed' || print === 'unknown' ? (todo ?? t(`after.printTodo.${print}`)) : ''
  return (
    <p role="status">
      <Tag tone={toneOfPrint(print)}>{t(`after.print.${print}`)}</Tag> {left}
    </p>
  )
}
