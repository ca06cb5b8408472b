import { useQuery } from '@tanstack/react-query'
import { BadgeCheck } from 'lucide-react'
import { useState } from 'react'
import { api } from '../core/api/terminal-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { type PendingApproval, endApproval, giveApproval, useApproval } from './approvals.ts'
import { useRuleText } from './return-rules.tsx'
import { Button } from '../core/ui/button.tsx'
import { Dialog } from '../core/ui/dialog.tsx'
import { LoadFailed } from '../core/ui/page.tsx'
import { PinPad } from '../core/ui/pin-pad.tsx'
import styles from './approval.module.css'
import type { ApprovalRequest } from '../../contracts/sales/approvals.ts'

/** The one approval dialog for all commands. The cashier stays signed in; the PIN is sent only with the command. */
export function ApprovalDialog() {
  const { asked } = useApproval()
  return asked && <Approving key={asked.request.action} asked={asked} />
}

function Approving({ asked }: { readonly asked: PendingApproval }) {
  const { t } = useI18n()
  const staff = useQuery({ queryKey: ['staff'], queryFn: api.staff })
  const [chosen, setChosen] = useState<string | null>(null)
  const approvers = staff.data?.staff.filter(({ role }) => asked.request.approvers.some((one) => one === role)) ?? []
  const managerOnly = !asked.request.approvers.includes('supervisor')
  const approver = approvers.find(({ id }) => id === chosen) ?? (approvers.length === 1 ? approvers[0] : undefined)
  return (
    <Dialog open onClose={endApproval} title={t(managerOnly ? 'approval.titleManager' : 'approval.title')} size="l">
      <div className={`grid start ${styles['form']}`}>
        <div className="stack-4">
          <p>{t(`approval.action.${asked.request.action}`)}</p>
          <p role="status">{asked.changed ? t('approval.changed') : ''}</p>
          <ApprovalFacts request={asked.request} />
          {staff.isError && <LoadFailed error={staff.error} retry={() => void staff.refetch()} />}
          {staff.isSuccess && approvers.length === 0 && (
            <p role="alert">{t(managerOnly ? 'approval.noManager' : 'approval.nobody')}</p>
          )}
          {approvers.length > 1 && (
            <div className={`stack-2 ${styles['people']}`} role="group" aria-label={t('approval.who')}>
              {approvers.map(({ id, name }) => (
                <Button
                  key={id}
                  size="l"
                  aria-pressed={approver?.id === id}
                  look={approver?.id === id ? 'primary' : 'plain'}
                  onPress={() => setChosen(id)}
                >
                  {name}
                </Button>
              ))}
            </div>
          )}
        </div>
        {approver && (
          <PinPad
            key={`${approver.id} ${asked.request.covers}`}
            name={approver.name}
            icon={<BadgeCheck />}
            texts={{ submit: t('approval.approve'), busy: t('signIn.signingIn') }}
            submit={(pin) => giveApproval(asked, { staffId: approver.id, pin })}
          />
        )}
      </div>
    </Dialog>
  )
}

/** Headings of the two amount columns, where they are not “before” and “after”. */
interface Heads {
  readonly before: string
  readonly after: string
}

export function ApprovalFacts({ request, heads }: { readonly request: ApprovalRequest; readonly heads?: Heads }) {
  const { t, format } = useI18n()
  const ruleText = useRuleText()
  switch (request.of) {
    case 'sale':
      return <ChangeOfSale request={request} {...(heads ? { heads } : {})} />
    case 'goods':
      return (
        <ul
          className={`stack-2 flush pad-0 ${styles['facts']} figures`}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long list scrolls
          tabIndex={0}
          aria-label={t('approval.facts')}
        >
          {request.brokenRules.map((rule, index) => (
            <li key={`rule ${index}`}>
              <strong className="prose">{ruleText(rule)}</strong>
            </li>
          ))}
          {request.items.map(({ name, quantity, amountCents }, index) => (
            <li key={index}>
              <span className="prose">{t('approval.pieces', { count: quantity, name: format.text(name) })}</span>
              <span>{format.money(amountCents)}</span>
            </li>
          ))}
          {request.refunds.map(({ kind, amountCents }, index) => (
            <li key={`back ${index}`}>
              <span className="prose">{t('approval.goesBack', { kind: t(`tender.kind.${kind}`) })}</span>
              <strong>{format.money(amountCents)}</strong>
            </li>
          ))}
          {request.earlierCents > 0 && (
            <li>
              <span className="prose">{t('approval.returnedEarlier')}</span>
              <span>{format.money(request.earlierCents)}</span>
            </li>
          )}
          {request.limitCents !== null && (
            <li>
              <span className="prose">{t('approval.limit')}</span>
              <span>{format.money(request.limitCents)}</span>
            </li>
          )}
          {request.reason !== null && (
            <li>
              <span className="prose">{t('approval.reason', { reason: format.text(request.reason) })}</span>
            </li>
          )}
        </ul>
      )
    case 'cash':
      return (
        <ul className={`stack-2 flush pad-0 ${styles['facts']} figures`} aria-label={t('approval.facts')}>
          <li>
            <span className="prose">
              {t('cash.kindAndReason', { kind: t(`cash.kind.${request.kind}`), reason: request.reason })}
            </span>
            {request.kind !== 'no-sale' && <strong>{format.money(request.amountCents)}</strong>}
          </li>
        </ul>
      )
    case 'drawer':
      return (
        <ul className={`stack-2 flush pad-0 ${styles['facts']} figures`} aria-label={t('approval.facts')}>
          <li>
            <span className="prose">{t('approval.float')}</span>
            <strong>{format.money(request.amountCents)}</strong>
          </li>
        </ul>
      )
    case 'drawer-close':
      return <ClosedDrawer request={request} />
    case 'paper':
      return (
        <ul className={`stack-2 flush pad-0 ${styles['facts']} figures`} aria-label={t('approval.facts')}>
          <li>
            <span className="prose">{t('approval.paper', { id: request.id })}</span>
          </li>
        </ul>
      )
    case 'coupon':
      return (
        <ul className={`stack-2 flush pad-0 ${styles['facts']} figures`} aria-label={t('approval.facts')}>
          <li>
            <span className="prose">{t('tender.couponShort', { number: request.code })}</span>
            <strong>{format.money(request.amountCents)}</strong>
          </li>
        </ul>
      )
    case 'voucher':
      return (
        <ul className={`stack-2 flush pad-0 ${styles['facts']} figures`} aria-label={t('approval.facts')}>
          <li>
            <span className="prose">
              {t('tender.voucherHolds', { kind: t(`tender.kind.${request.kind}`), number: request.last4 })}
            </span>
            <strong>{format.money(request.balanceCents)}</strong>
          </li>
        </ul>
      )
  }
}

function ClosedDrawer({ request }: { readonly request: Extract<ApprovalRequest, { of: 'drawer-close' }> }) {
  const { t, format } = useI18n()
  const { countedCents, differenceCents, leftCents, toSafeCents, reason } = request
  const amounts = [
    ['approval.counted', countedCents],
    ['approval.difference', differenceCents],
    ['approval.left', leftCents],
    ['approval.toSafe', toSafeCents],
  ] as const
  return (
    <ul className={`stack-2 flush pad-0 ${styles['facts']} figures`} aria-label={t('approval.facts')}>
      {amounts.map(
        ([label, amountCents]) =>
          amountCents !== null && (
            <li key={label}>
              <span className="prose">{t(label)}</span>
              <strong>{format.money(amountCents)}</strong>
            </li>
          ),
      )}
      {reason !== null && (
        <li>
          <span className="prose">{t('approval.reason', { reason })}</span>
        </li>
      )}
    </ul>
  )
}

interface ChangeProps {
  readonly request: Extract<ApprovalRequest, { of: 'sale' }>
  readonly heads?: Heads
}

function ChangeOfSale({ request, heads }: ChangeProps) {
  const { t, format } = useI18n()
  const { reason, exemption, buyers, limitPercent } = request
  return (
    <>
      <ChangedLines request={request} {...(heads ? { heads } : {})} />
      {(reason !== null || exemption !== null || buyers !== null || limitPercent !== null) && (
        <ul className={`stack-2 flush pad-0 ${styles['facts']} figures`} aria-label={t('discount.why')}>
          {limitPercent !== null && (
            <li>
              <span className="prose">{t('approval.limit')}</span>
              <span>{format.percent(limitPercent * 10_000)}</span>
            </li>
          )}
          {reason !== null && (
            <li>
              <span className="prose">{t('approval.reason', { reason: t(`discount.reason.${reason}`) })}</span>
            </li>
          )}
          {buyers !== null && (
            <li>
              <span className="prose">{t('approval.reason', { reason: t(`buyers.shown.${buyers}`) })}</span>
            </li>
          )}
          {exemption !== null && (
            <>
              <li>
                <span className="prose">
                  {t('approval.reason', { reason: t(`exemption.reasons.${exemption.reason}`) })}
                </span>
              </li>
              <li>
                <span className="prose">{t('exemption.certificate')}</span>
                <strong>{exemption.certificate}</strong>
              </li>
            </>
          )}
        </ul>
      )}
    </>
  )
}

function ChangedLines({ request: { items, total }, heads }: ChangeProps) {
  const { t, format } = useI18n()
  return (
    <table className={`full-width ${styles['change']} figures`} aria-label={t('approval.facts')}>
      <thead>
        <tr>
          <th scope="col">{t('approval.item')}</th>
          <th scope="col">{heads?.before ?? t('approval.before')}</th>
          <th scope="col">{heads?.after ?? t('approval.after')}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ number, name, quantityBefore, quantityAfter, regularCents, beforeCents, afterCents }) => (
          <tr key={number}>
            <th scope="row" className="prose">
              {quantityBefore === quantityAfter
                ? t('approval.pieces', { count: quantityAfter, name: format.text(name) })
                : t('approval.piecesChange', { before: quantityBefore, after: quantityAfter, name: format.text(name) })}
              {regularCents > afterCents && regularCents !== beforeCents && (
                <small>{t('approval.regular', { amount: format.money(regularCents) })}</small>
              )}
            </th>
            <td>{format.money(beforeCents)}</td>
            <td>
              <strong>{format.money(afterCents)}</strong>
            </td>
          </tr>
        ))}
        {total && (
          <tr>
            <th scope="row">{t('approval.total')}</th>
            <td>{format.money(total.beforeCents)}</td>
            <td>
              <strong>{format.money(total.afterCents)}</strong>
            </td>
          </tr>
        )}
      </tbody>
    </table>
  )
}
