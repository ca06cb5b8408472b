import { useMutation } from '@tanstack/react-query'
import { CircleAlert, CircleCheckBig, LockKeyhole } from 'lucide-react'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import type { CountResult, CountedThing, Shift } from '../../../contracts/day/shifts.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { withApproval } from '../../sales/approvals.ts'
import { AmountPad } from '../../core/ui/amount-pad.tsx'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { useTries } from '../../core/ui/focus.ts'
import styles from './drawer.module.css'
import { DIFFERENCES, PrintOf, ReasonField, focusReason, reasonFits, usePrintOf } from './movements.tsx'
import { shiftPaper } from '../../payments/receipt/documents.ts'
import { useShiftName } from './shifts.ts'
import { useTerminal } from '../../core/state/terminal.ts'

/**
 * Form that closes a drawer: chooses the float of the next shift; the remaining cash goes to the safe. A difference
 * beyond the tolerance needs a reason.
 */
export function CloseForm({
  shift,
  onBack,
  onClosed,
}: {
  readonly shift: Shift
  readonly onBack: () => void
  readonly onClosed: (shift: Shift) => void
}) {
  const { t, format } = useI18n()
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
      className="stack-4 single ringless"
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        confirm()
      }}
    >
      <div className={`grid gap-5 start ${styles['split']}`}>
        <AmountPad
          label={t('shifts.left')}
          typed={typed}
          onType={setTyped}
          proposed={proposed}
          wrong={tooMuch}
          hint={t('shifts.leftMost', { amount: format.money(thereCents) })}
          onEnter={() => (tooMuch || reasonGiven ? confirm() : focusReason(form.current))}
        >
          <div className="wrap-2">
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
        <div className="stack-3">
          {shift.takenCents > 0 && <p>{t('shifts.taken', { amount: format.money(shift.takenCents) })}</p>}
          <p className={`wrap baseline between box pad-3-4 ${styles['safe']}`}>
            <span>{t('shifts.toSafe')}</span>
            <output className="text-xl weight-700 figures">{format.money(Math.max(0, thereCents - leftCents))}</output>
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
      <div className={`stack-3 foot ${styles['foot']}`}>
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

export function Closed({ shift, onDone }: { readonly shift: Shift; readonly onDone: () => void }) {
  const { t, format } = useI18n()
  const nameOf = useShiftName()
  const print = usePrintOf(shiftPaper(shift.id), 'queued')
  const { result } = shift
  const leftCents = shift.leftCents ?? 0
  const countedCents = shift.countedCents ?? 0
  return (
    <>
      <p className={`row-3 tone-ok text-xl weight-700 round-m pad-3-4 ${styles['verdict']}`} role="status">
        <CircleCheckBig aria-hidden="true" />
        {t('shifts.closedNow', { shift: nameOf(shift) })}
      </p>
      <dl className={`stack-2 ${styles['after']} figures`}>
        <div>
          <dt>{t('shifts.putInSafe')}</dt>
          <dd className="weight-700 text-3xl">
            {format.money(Math.max(0, countedCents - shift.takenCents - leftCents))}
          </dd>
        </div>
        <div>
          <dt>{t('shifts.left')}</dt>
          <dd className="weight-700 text-3xl">{format.money(leftCents)}</dd>
        </div>
      </dl>
      <PrintOf print={print} todo={t('cash.slipTodo')} />
      {/* Without a recount, the differences in dollars are shown here for the first time. */}
      {result?.number === 1 && result.needsReason && <CountComparison result={result} />}
      <Button size="l" look="primary" wide autoFocus onPress={onDone}>
        {t('shifts.done')}
      </Button>
    </>
  )
}

/** Rows of a count's result; payment types that were not counted have a row only if an amount was expected. */
export function rowsOf({ cash, cardSlips, cheques, coupons }: CountResult) {
  const counted: Record<CountedThing, CountResult['cash']> = { cash, 'card-slips': cardSlips, cheques, coupons }
  const rows = (Object.keys(counted) as CountedThing[]).map((what) => ({ what, ...counted[what] }))
  return rows.filter(
    ({ what, countedCents, expectedCents }) => what === 'cash' || countedCents !== null || expectedCents !== 0,
  )
}

export function CountComparison({ result }: { readonly result: CountResult }) {
  const { t, format } = useI18n()
  const outcome = useOutcome()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['table']}`} aria-label={t('shifts.step.result')}>
        <thead>
          <tr>
            <th scope="col">{t('shifts.what')}</th>
            <th scope="col" className={styles['amount']}>
              {t('shifts.expected')}
            </th>
            <th scope="col" className={styles['amount']}>
              {t('shifts.counted')}
            </th>
            <th scope="col" className={styles['amount']}>
              {t('shifts.difference')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(result).map(({ what, expectedCents, countedCents, differenceCents }) => (
            <tr key={what}>
              <th scope="row">{t(`shifts.step.${what}`)}</th>
              <td className={styles['amount']}>{format.money(expectedCents)}</td>
              <td className={styles['amount']}>
                {countedCents === null ? t('shifts.notCounted') : format.money(countedCents)}
              </td>
              <td className={styles['amount']}>
                <strong>{countedCents === null ? '' : outcome(differenceCents)}</strong>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

export function CountedShifts({
  shifts,
  onClose,
}: {
  readonly shifts: readonly Shift[]
  readonly onClose: (shift: Shift) => void
}) {
  const { t, format } = useI18n()
  const nameOf = useShiftName()
  const outcome = useOutcome()
  const differs = useDiffers()
  const person = useTerminal((state) => state.terminal?.signedIn)
  if (shifts.length === 0) return null
  /** Whether the signed-in person may close this drawer. The backend enforces the same rule. */
  const mayClose = ({ drawerOf }: Shift): boolean =>
    drawerOf === null || drawerOf.id === person?.id || person?.role !== 'cashier'
  return (
    <section
      className={`stack-2 round-m pad-3-4 below-4 warn-box icons-20 ${styles['counted']}`}
      aria-label={t('shifts.waiting')}
    >
      <h3 className="row-2 warn text-m">
        <CircleAlert aria-hidden="true" />
        {t('shifts.waiting')}
      </h3>
      <ul>
        {shifts.map((shift) => (
          <li className="grid with-end middle" key={shift.id}>
            <span>
              <strong>{nameOf(shift)}</strong>
              {shift.countedAt !== null && ` · ${t('dayEnd.countedAt', { time: format.dateTime(shift.countedAt) })}`}
              {mayClose(shift) && shift.recount.length > 0 && ` · ${differs(shift.recount)}`}
              {mayClose(shift) && shift.result && ` · ${outcome(shift.result.cash.differenceCents)}`}
            </span>
            {mayClose(shift) ? (
              <Button aria-label={t('shifts.finish', { shift: nameOf(shift) })} onPress={() => onClose(shift)}>
                {t('dayEnd.close')}
              </Button>
            ) : (
              <span>{t('shifts.askSupervisor')}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Returns a function that describes a difference (counted less expected, in cents) as over, short or exact. */
export function useOutcome(): (differenceCents: number) => string {
  const { t, format } = useI18n()
  return (differenceCents) =>
    t(`shifts.outcome.${differenceCents === 0 ? 'exact' : differenceCents > 0 ? 'over' : 'short'}`, {
      amount: format.money(Math.abs(differenceCents)),
    })
}

/**
 * Returns a function that describes which kinds of payment differ. The amount stays hidden as long as a recount is
 * possible.
 */
export function useDiffers(): (recount: readonly CountedThing[]) => string {
  const { t } = useI18n()
  return (recount) => t('shifts.differs', { what: recount.map((what) => t(`shifts.step.${what}`)).join(', ') })
}
