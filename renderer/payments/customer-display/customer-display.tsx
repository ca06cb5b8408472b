import '../../core/ui/primitives-later.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { api } from '../../core/api/terminal-api.ts'
import { WithStoreTexts } from '../../core/i18n/store-texts.tsx'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { useCustomerChoice } from '../../loyalty/member/customer-choice.ts'
import {
  amountOfLine,
  nextCustomer,
  outcomeOf,
  ownDiscounts,
  savedCents,
  sharedDiscounts,
  useSale,
} from '../../sales/sale.ts'
import { useMemberHistory } from '../../loyalty/member/member-history.ts'
import { sessionOf, useMemberSession } from '../../loyalty/member/member-session.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { QrCode } from '../../core/ui/qr-code.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { useDiscountName, useTakenOff } from '../../sales/changes/changes-menu.tsx'
import { useMeasureTexts } from '../../sales/measure-texts.ts'
import styles from './customer-display.module.css'
import { CustomerHistory, CustomerOffers, CustomerPhone } from './customer-panels.tsx'

/** How long the thanks stay on the display, unless the next customer's sale begins. */
const THANKS_MS = 30_000
const OFFERS_SHOWN = 3

/** The screen for the customer: lines, total, miles to earn and the amount that miles can pay. Never a balance. */
export default function CustomerDisplay() {
  return (
    <WithStoreTexts>
      <Display />
    </WithStoreTexts>
  )
}

function Display() {
  const { t } = useI18n()
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
    <main className={`full-height relative ${styles['screen']}`} aria-label={t('customer.label')}>
      {terminal?.mode === 'training' && (
        <p className={styles['training']}>
          <Tag tone="training">{t('training.watermark')}</Tag>
        </p>
      )}
      {terminal?.stopped ? (
        <div className={`stack-4 single full-height scroll-y text-2xl center pad-6 ${styles['big']}`}>
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
  const { t } = useI18n()
  return (
    <div
      className={`grid gap-5 full-height pad-6 ${styles['basket']}`}
      role="group"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls when enlarged
      tabIndex={0}
      aria-label={t('customer.items')}
    >
      <h1 className="sr-only">{t('customer.items')}</h1>
      <div className={`stack-4 single with-foot min-height-0 ${styles['goods']}`}>
        <Goods sale={sale} />
        <CustomerOffers saleId={sale.id} />
      </div>
      <div className={`flex column gap-4 min-height-0 scroll-y ${styles['sums']}`}>
        <CustomerPhone saleId={sale.id} isMember={sale.member !== null && !sale.member.noEarning} />
        <Total totals={sale.totals} saved={savedCents(sale)} />
        <Miles sale={sale} />
      </div>
    </div>
  )
}

function Goods({ sale }: { readonly sale: Sale }) {
  const { t, format } = useI18n()
  const nameOf = useDiscountName()
  const takenOff = useTakenOff()
  const texts = useMeasureTexts()
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.lastElementChild?.scrollIntoView({ block: 'end' })
  }, [sale.lines.length, sale.discounts.length])
  return (
    <ul
      ref={list}
      className={`scroll-y text-xl round-l line surface-1 pad-3-5 ${styles['lines']} figures`}
      aria-label={t('customer.items')}
    >
      {sale.lines
        .filter((line) => !line.voided)
        .map((line) => (
          <li className="stack-3" key={line.number}>
            <span>{line.chargeOf === undefined && line.quantity}</span>
            <span className={line.chargeOf === undefined ? 'prose' : 'prose dim text-m'}>
              {format.text(line.name)}
              {line.measure && texts.line(line.measure) !== null && (
                <small className="block dim text-m">{texts.line(line.measure)}</small>
              )}
              {ownDiscounts(sale, line.number).map((discount) => (
                <small className="block dim text-m" key={discount.number}>
                  {nameOf(discount)} {takenOff(discount)}
                </small>
              ))}
            </span>
            <strong>{format.money(amountOfLine(sale, line))}</strong>
          </li>
        ))}
      {sharedDiscounts(sale).map((discount) => (
        <li className="stack-3" key={`discount ${discount.number}`}>
          <span />
          <span className="prose">{nameOf(discount)}</span>
          <strong>{takenOff(discount)}</strong>
        </li>
      ))}
    </ul>
  )
}

function Total({ totals, saved }: Pick<Sale, 'totals'> & { readonly saved: number }) {
  const { t, format } = useI18n()
  const paid = totals.tenderedCents > 0
  return (
    <div className={`grid rigid board line ${styles['total']}`}>
      <dl className={`grid text-l below-3 ${styles['amounts']} figures`} aria-label={t('sale.totals')}>
        {saved > 0 && (
          <div className="flex gap-4 between">
            <dt>{t('buyers.saved')}</dt>
            <dd>{format.money(saved)}</dd>
          </div>
        )}
        <div className="flex gap-4 between">
          <dt>{t('sale.subtotal')}</dt>
          <dd>{format.money(totals.subtotalCents)}</dd>
        </div>
        {totals.taxes.map((tax) => (
          <div className="flex gap-4 between" key={tax.code}>
            <dt>{t(`sale.tax.${tax.code}`)}</dt>
            <dd>{format.money(tax.amountCents)}</dd>
          </div>
        ))}
        {paid && (
          <div className="flex gap-4 between">
            <dt>{t('customer.total')}</dt>
            <dd>{format.money(totals.totalCents)}</dd>
          </div>
        )}
        {paid && (
          <div className="flex gap-4 between">
            <dt>{t('sale.paidSoFar')}</dt>
            <dd>{format.money(0 - totals.tenderedCents)}</dd>
          </div>
        )}
      </dl>
      <span>{t(paid ? 'customer.due' : 'customer.total')}</span>
      <div className={`wrap baseline ${styles['due']} figures`}>
        <strong>{format.money(paid ? totals.dueCents : totals.totalCents)}</strong>
        {/* The rounded amount explains why the cashier asks for another amount in cash. */}
        {totals.cashDueCents !== totals.dueCents && (
          <small className="text-l nowrap">{t('customer.inCash', { amount: format.money(totals.cashDueCents) })}</small>
        )}
      </div>
    </div>
  )
}

function Miles({ sale }: { readonly sale: Sale }) {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  const redeemed = sale.redemption?.state === 'approved' ? sale.redemption : null
  const choice = sale.redemptionChoice
  // The amount that miles can pay is hidden while the sign-in code is shown.
  const signingIn = useMemberSession((now) => sessionOf(sale.id, now)?.state === 'waiting')
  const stepper = useCustomerChoice((state) => (state.saleId === sale.id ? state.units : null))
  const redeeming = sale.redemption && outcomeOf(sale.redemption) === 'progress' ? sale.redemption : null
  // Show no more units than can be redeemed now: the cashier's window may not have reduced its choice yet.
  const units = choice ? Math.min(stepper ?? choice.defaultUnits, choice.maxUnits) : 0
  return (
    <>
      {sale.milesPreview !== null && (
        <p className={`flex gap-4 baseline between rigid tone-miles text-xl round-m pad-4-5 ${styles['miles']}`}>
          <span>{t('customer.earn')}</span>
          <strong>{sale.milesPreview === 0 ? t('sale.milesNone') : milesText(sale.milesPreview)}</strong>
        </p>
      )}
      {redeemed && (
        <p className={`flex gap-4 baseline between rigid tone-miles text-xl round-m pad-4-5 ${styles['miles']}`}>
          <span>{t('customer.redeemed')}</span>
          <strong>{format.money(redeemed.amountCents)}</strong>
        </p>
      )}
      {redeeming && (
        <p className={`grid rigid text-xl weight-650 round-m pad-4-5 ${styles['choice']}`} role="status">
          {t('customer.redeeming', { amount: format.money(redeeming.amountCents) })}
          <small className="weight-500 text-m">
            {t('customer.choiceMiles', { miles: format.miles(redeeming.miles) })}
          </small>
        </p>
      )}
      {choice && !redeemed && !redeeming && !(signingIn && stepper === null) && (
        <p className={`grid rigid text-xl weight-650 round-m pad-4-5 ${styles['choice']}`} role="status">
          {t(stepper === null ? 'customer.choice' : 'customer.choosing', {
            amount: format.money(units * choice.unitCents),
          })}
          <small className="weight-500 text-m">
            {t('customer.choiceMiles', { miles: format.miles(units * choice.unitMiles) })}
          </small>
        </p>
      )}
    </>
  )
}

function Thanks({ sale }: { readonly sale: Sale }) {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  const change = sale.tenders.reduce((sum, tender) => sum + tender.changeCents, 0)
  const { earned, pending } = thanksMiles(sale)
  return (
    <div className={`stack-4 single full-height scroll-y text-2xl center pad-6 ${styles['big']}`} role="status">
      <h1>{t('customer.thanks')}</h1>
      {change > 0 && (
        <p className={`grid ${styles['fact']}`}>
          <span className="text-xl dim">{t('customer.change')}</span>
          <strong className="figures">{format.money(change)}</strong>
        </p>
      )}
      <ReceiptCode saleId={sale.id} />
      {earned !== null && (
        <p className={`grid ${styles['fact']}`}>
          <span className="text-xl dim">{t('customer.earned')}</span>
          <strong>{milesText(earned)}</strong>
        </p>
      )}
      {pending !== null && (
        <p className={`grid ${styles['fact']}`}>
          <span className="text-xl dim">{t('customer.pending')}</span>
          <strong>{milesText(pending)}</strong>
        </p>
      )}
    </div>
  )
}

/** The code with which the customer opens the receipt; none if the lane has no address for it. */
function ReceiptCode({ saleId }: { readonly saleId: string }) {
  const { t } = useI18n()
  const receipt = useQuery({ queryKey: ['receipt', saleId], queryFn: () => api.receipt(saleId), retry: false })
  const link = receipt.data?.link ?? null
  if (link === null) return null
  return (
    <figure className={`grid ${styles['receiptCode']}`}>
      <QrCode text={link} label={t('customer.receiptCode')} />
      <figcaption className="text-xl dim">{t('customer.receiptCode')}</figcaption>
    </figure>
  )
}

/**
 * Miles of a completed sale for the thanks. `earned`: the miles given or, until the program has answered, the previewed
 * miles; never the `pending` ones. Null: not shown, as when no miles will come.
 */
function thanksMiles({ issuance, milesPreview }: Sale): { earned: number | null; pending: number | null } {
  if (!issuance || issuance.state === 'dead' || issuance.refusal) return { earned: null, pending: null }
  const isAnswered = issuance.state === 'confirmed' || issuance.state === 'accepted' || issuance.state === 'rejected'
  const earned = isAnswered ? issuance.miles : (issuance.miles ?? milesPreview)
  return { earned: earned === 0 ? null : earned, pending: issuance.pending || null }
}

function Welcome({ storeName }: { readonly storeName: string }) {
  const { t, format } = useI18n()
  // After a change of language the old offers stay until those in the new language are loaded.
  const offers = useQuery({
    queryKey: ['offers', format.locale],
    queryFn: () => api.offers(format.locale),
    staleTime: 300_000,
    placeholderData: keepPreviousData,
  })
  const shown = offers.data?.offers.filter(({ forDisplay }) => forDisplay).slice(0, OFFERS_SHOWN) ?? []
  return (
    <div
      className={`stack-4 single full-height scroll-y text-2xl center pad-6 ${styles['big']}`}
      role="group"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls when enlarged
      tabIndex={0}
      aria-label={t('customer.welcome')}
    >
      <h1>{t('customer.welcome')}</h1>
      <p>{storeName}</p>
      <p className={`text-xl dim ${styles['hint']}`}>{t('customer.welcomeHint')}</p>
      {shown.length > 0 && (
        <section className={`stack-4 ${styles['offers']}`} aria-label={t('customer.offersTitle')}>
          <h2 className="text-xl dim">{t('customer.offersTitle')}</h2>
          <ul className="stack-4">
            {shown.map((offer) => (
              <li className="stack-1 top round-l line surface-1 pad-5 text-m" key={offer.id}>
                <strong className="text-2xl miles-ink">{offer.award}</strong>
                <span>{offer.qualifier}</span>
                <small className="dim">{offer.partner}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
