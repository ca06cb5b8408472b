import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useMilesText, useWords } from '../../core/i18n/words.tsx'
import { useCustomerChoice } from '../../loyalty/member/customer-choice.ts'
import { amountOfLine, nextCustomer, outcomeOf, ownDiscounts, sharedDiscounts, useSale } from '../../sales/sale/sale.ts'
import { useMemberHistory } from '../../loyalty/member/member-history.ts'
import { sessionOf, useMemberSession } from '../../loyalty/member/member-session.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { Tag } from '../../core/ui/surface.tsx'
import { useDiscountName, useTakenOff } from '../../sales/changes/changes-menu.tsx'
import styles from './customer-display.module.css'
import { CustomerHistory, CustomerOffers, CustomerPhone } from './customer-panels.tsx'

/** How long the thanks stay when nobody comes next. */
const THANKS_MS = 30_000
const OFFERS_SHOWN = 3

/** What the customer sees: lines, total, miles to earn and what miles can pay. Never a balance. */
export default function CustomerDisplay() {
  const { t } = useWords()
  const { current, closed } = useSale()
  const terminal = useTerminal((state) => state.terminal)
  const phoneOf = useMemberSession(({ session }) => session?.saleId)
  const history = useMemberHistory()
  const [thanked, setThanked] = useState<string | null>(null)
  useEffect(() => {
    if (!closed || current) return undefined
    const timer = setTimeout(() => {
      setThanked(closed.id)
      nextCustomer()
    }, THANKS_MS)
    return () => clearTimeout(timer)
  }, [closed, current])
  return (
    <main className={styles['screen']} aria-label={t('customer.label')}>
      {terminal?.mode === 'training' && (
        <p className={styles['training']}>
          <Tag tone="training">{t('training.watermark')}</Tag>
        </p>
      )}
      {terminal?.stopped ? (
        <div className={styles['big']}>
          <h1>{t('customer.closed')}</h1>
        </div>
      ) : current && history.saleId === current.id && history.shown ? (
        <CustomerHistory saleId={current.id} shown={history.shown} />
      ) : current && (current.lines.length > 0 || phoneOf === current.id) ? (
        <Basket sale={current} />
      ) : closed?.state === 'completed' && closed.id !== thanked ? (
        <Thanks sale={closed} />
      ) : (
        <Welcome storeName={terminal?.store.name ?? ''} />
      )}
    </main>
  )
}

function Basket({ sale }: { readonly sale: Sale }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const nameOf = useDiscountName()
  const takenOff = useTakenOff()
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.lastElementChild?.scrollIntoView({ block: 'end' })
  }, [sale.lines.length, sale.discounts.length])
  const paid = sale.totals.tenderedCents > 0
  const redeemed = sale.redemption?.state === 'approved' ? sale.redemption : null
  const choice = sale.redemptionChoice
  // What may be paid with miles makes room for the code that a phone is to read.
  const signingIn = useMemberSession((now) => sessionOf(sale.id, now)?.state === 'waiting')
  const stepper = useCustomerChoice((state) => (state.saleId === sale.id ? state.units : null))
  const redeeming = sale.redemption && outcomeOf(sale.redemption) === 'progress' ? sale.redemption : null
  // More than can be redeemed by now is not shown, even for the moment until the cashier's screen has followed.
  const units = choice ? Math.min(stepper ?? choice.defaultUnits, choice.maxUnits) : 0
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls when enlarged
    <div className={styles['basket']} role="group" tabIndex={0} aria-label={t('customer.items')}>
      <h1 className="spoken">{t('customer.items')}</h1>
      <div className={styles['goods']}>
        <ul ref={list} className={`${styles['lines']} figures`} aria-label={t('customer.items')}>
          {sale.lines
            .filter((line) => !line.voided)
            .map((line) => (
              <li key={line.number}>
                <span>{line.quantity}</span>
                <span className="words">
                  {format.text(line.name)}
                  {ownDiscounts(sale, line.number).map((discount) => (
                    <small key={discount.number}>
                      {nameOf(discount)} {takenOff(discount)}
                    </small>
                  ))}
                </span>
                <strong>{format.money(amountOfLine(sale, line))}</strong>
              </li>
            ))}
          {sharedDiscounts(sale).map((discount) => (
            <li key={`discount ${discount.number}`}>
              <span />
              <span className="words">{nameOf(discount)}</span>
              <strong>{takenOff(discount)}</strong>
            </li>
          ))}
        </ul>
        <CustomerOffers saleId={sale.id} />
      </div>
      <div className={styles['sums']}>
        <CustomerPhone saleId={sale.id} isMember={sale.member !== null && !sale.member.noEarning} />
        <div className={styles['total']}>
          <dl className={`${styles['parts']} figures`} aria-label={t('sale.totals')}>
            <div>
              <dt>{t('sale.subtotal')}</dt>
              <dd>{format.money(sale.totals.subtotalCents)}</dd>
            </div>
            {sale.totals.taxes.map((tax) => (
              <div key={tax.code}>
                <dt>{t(`sale.tax.${tax.code}`)}</dt>
                <dd>{format.money(tax.amountCents)}</dd>
              </div>
            ))}
            {paid && (
              <div>
                <dt>{t('customer.total')}</dt>
                <dd>{format.money(sale.totals.totalCents)}</dd>
              </div>
            )}
            {paid && (
              <div>
                <dt>{t('sale.paidSoFar')}</dt>
                <dd>{format.money(0 - sale.totals.tenderedCents)}</dd>
              </div>
            )}
          </dl>
          <span>{t(paid ? 'customer.due' : 'customer.total')}</span>
          <div className={`${styles['owed']} figures`}>
            <strong>{format.money(paid ? sale.totals.dueCents : sale.totals.totalCents)}</strong>
            {/* Whoever pays cash is asked for this, and would wonder at the cents between. */}
            {sale.totals.cashDueCents !== sale.totals.dueCents && (
              <small>{t('customer.inCash', { amount: format.money(sale.totals.cashDueCents) })}</small>
            )}
          </div>
        </div>
        {sale.milesPreview !== null && (
          <p className={styles['miles']}>
            <span>{t('customer.earn')}</span>
            <strong>{sale.milesPreview === 0 ? t('sale.milesNone') : milesText(sale.milesPreview)}</strong>
          </p>
        )}
        {redeemed && (
          <p className={styles['miles']}>
            <span>{t('customer.redeemed')}</span>
            <strong>{format.money(redeemed.amountCents)}</strong>
          </p>
        )}
        {redeeming && (
          <p className={styles['choice']} role="status">
            {t('customer.redeeming', { amount: format.money(redeeming.amountCents) })}
            <small>{t('customer.choiceMiles', { miles: format.miles(redeeming.miles) })}</small>
          </p>
        )}
        {choice && !redeemed && !redeeming && !(signingIn && stepper === null) && (
          <p className={styles['choice']} role="status">
            {t(stepper === null ? 'customer.choice' : 'customer.choosing', {
              amount: format.money(units * choice.unitCents),
            })}
            <small>{t('customer.choiceMiles', { miles: format.miles(units * choice.unitMiles) })}</small>
          </p>
        )}
      </div>
    </div>
  )
}

function Thanks({ sale }: { readonly sale: Sale }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const change = sale.tenders.reduce((sum, tender) => sum + tender.changeCents, 0)
  const { earned, pending } = thanksMiles(sale)
  return (
    <div className={styles['big']} role="status">
      <h1>{t('customer.thanks')}</h1>
      {change > 0 && (
        <p className={styles['fact']}>
          <span>{t('customer.change')}</span>
          <strong className="figures">{format.money(change)}</strong>
        </p>
      )}
      {earned !== null && (
        <p className={styles['fact']}>
          <span>{t('customer.earned')}</span>
          <strong>{milesText(earned)}</strong>
        </p>
      )}
      {pending !== null && (
        <p className={styles['fact']}>
          <span>{t('customer.pending')}</span>
          <strong>{milesText(pending)}</strong>
        </p>
      )}
    </div>
  )
}

/**
 * Nothing is promised that cannot come, and nothing is earned that waits at the program or earns no miles; null: no
 * word of it.
 */
function thanksMiles({ issuance, milesPreview }: Sale): { earned: number | null; pending: number | null } {
  if (!issuance || issuance.state === 'dead' || issuance.refusal) return { earned: null, pending: null }
  const isAnswered = issuance.state === 'confirmed' || issuance.state === 'accepted' || issuance.state === 'rejected'
  const earned = isAnswered ? issuance.miles : (issuance.miles ?? milesPreview)
  return { earned: earned === 0 ? null : earned, pending: issuance.pending || null }
}

function Welcome({ storeName }: { readonly storeName: string }) {
  const { t, format } = useWords()
  // In another language the old words stay until the new ones are here.
  const offers = useQuery({
    queryKey: ['offers', format.locale],
    queryFn: () => api.offers(format.locale),
    staleTime: 300_000,
    placeholderData: keepPreviousData,
  })
  const shown = offers.data?.offers.filter(({ forDisplay }) => forDisplay).slice(0, OFFERS_SHOWN) ?? []
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls when enlarged
    <div className={styles['big']} role="group" tabIndex={0} aria-label={t('customer.welcome')}>
      <h1>{t('customer.welcome')}</h1>
      <p>{storeName}</p>
      <p className={styles['hint']}>{t('customer.welcomeHint')}</p>
      {shown.length > 0 && (
        <section className={styles['offers']} aria-label={t('customer.offersTitle')}>
          <h2>{t('customer.offersTitle')}</h2>
          <ul>
            {shown.map((offer) => (
              <li key={offer.id}>
                <strong>{offer.award}</strong>
                <span>{offer.qualifier}</span>
                <small>{offer.partner}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
