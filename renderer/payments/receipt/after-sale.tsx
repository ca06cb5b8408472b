import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig, CircleX, Gift, History, Languages, Mail, Printer, Undo2, UserRoundPlus } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { useApproval } from '../../sales/approvals.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { useEvents } from '../../core/state/events.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { changeOf, paidOutOf, nextCustomer, useSale } from '../../sales/sale.ts'
import { ActionButton, Button, IconButton } from '../../core/ui/button.tsx'
import { Key } from '../../core/ui/key.tsx'
import { Notices } from '../../core/ui/notices.tsx'
import { Tag, type TagTone } from '../../core/ui/surface.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { GiveBack, TenderList } from '../tender/tender-list.tsx'
import styles from './after-sale.module.css'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { useDelivery } from './delivery.ts'
import { ReceiptPaper } from './receipt-paper.tsx'
import { ReprintVoucher, VoucherDocuments, toneOfPrint } from './voucher-documents.tsx'

const NONE = [] as const
/** A second Enter within this time after the payment must not dismiss the change due. */
const DOUBLE_TAP_MS = 350

/** Cash that the customer gave, in cents, change included. */
const cashTenderedOf = ({ tenders }: Sale): number =>
  tenders.reduce((sum, { kind, tenderedCents }) => (kind === 'cash' ? sum + tenderedCents : sum), 0)

export function AfterSale({ sale }: { readonly sale: Sale }) {
  const { t, format } = useI18n()
  const change = changeOf(sale)
  const completed = sale.state === 'completed'
  const cashTendered = cashTenderedOf(sale)
  const emails = useTerminal(({ terminal }) => terminal?.emailsReceipts === true)
  const confirmation = sale.redemption?.state === 'approved' ? sale.redemption.confirmationNumber : null
  return (
    <div className={`stack-4 full-height pad-4 ${styles['screen']}`} data-cancelled={!completed}>
      <section
        className={`flex column gap-4 min-width-0 min-height-0 scroll panel pad-5 ${styles['main']}`}
        aria-label={t(completed ? 'after.title' : 'after.cancelledTitle')}
      >
        <header className="row-2">
          <h1 className={`row-3 grow min-width-0 text-2xl ${styles['title']}`} data-cancelled={!completed}>
            {completed ? <CircleCheckBig aria-hidden="true" /> : <CircleX aria-hidden="true" />}
            {t(completed ? 'after.title' : 'after.cancelledTitle')}
          </h1>
          <CounterButtons />
        </header>
        {completed ? (
          <div className={`grid board line pad-4-5 ${styles['change']}`} data-none={change === 0}>
            <span className="text-l weight-600">
              {t(paidOutOf(sale) > 0 ? 'after.paidOut' : change > 0 ? 'after.changeDue' : 'after.noChange')}
            </span>
            {change > 0 && <strong className="figures">{format.money(change)}</strong>}
          </div>
        ) : (
          <GiveBack sale={sale} />
        )}
        {sale.redemption && !completed && (
          <p className="text-l weight-600" role="status">
            {t(`redeem.outcome.${sale.redemption.outcome}`)}
          </p>
        )}
        <dl className={`wrap ${styles['facts']}`}>
          <div>
            <dt className="note">{t('sale.total')}</dt>
            <dd className="text-l weight-650 figures">{format.money(sale.totals.totalCents)}</dd>
          </div>
          {completed && cashTendered > 0 && change > 0 && (
            <div>
              <dt className="note">{t('tender.received')}</dt>
              <dd className="text-l weight-650 figures">{format.money(cashTendered)}</dd>
            </div>
          )}
          {completed && (
            <div>
              <dt className="note">{t('after.miles')}</dt>
              <dd className="text-l weight-650">
                <IssuedMiles sale={sale} />
              </dd>
            </div>
          )}
          {confirmation && (
            <div>
              <dt className="note">{t('after.confirmation')}</dt>
              <dd className="text-l weight-650 figures selectable">{confirmation}</dd>
            </div>
          )}
        </dl>
        {completed && <TenderList tenders={sale.tenders} />}
        <VouchersOfSale sale={sale} />
        <span className="grow" />
        <div className={`wrap-3 ${styles['documents']}`}>
          {completed && <ActionButton id="reprint" size="l" icon={<Printer />} />}
          {completed && (
            <ActionButton id="reprint-language" size="l" label={t('after.language')} icon={<Languages />} />
          )}
          {completed && <ActionButton id="gift-receipt" size="l" label={t('after.gift')} icon={<Gift />} />}
          {completed && emails && <ActionButton id="email-receipt" size="l" label={t('after.email')} icon={<Mail />} />}
          <ReprintVoucher />
        </div>
        <NextCustomer />
        <DeliveryDialog />
        <p className={`note center ${styles['hint']}`}>{t('after.hint')}</p>
      </section>
      {completed ? (
        <ReceiptPreview sale={sale} />
      ) : (
        <aside>
          <Notices />
        </aside>
      )}
    </div>
  )
}

function VouchersOfSale({ sale }: { readonly sale: Sale }) {
  const vouchers = useQuery({ queryKey: ['vouchers-of-sale', sale.id], queryFn: () => api.vouchersOfSale(sale.id) })
  return <VoucherDocuments vouchers={vouchers.data?.vouchers ?? NONE} />
}

/**
 * Button for the next customer. It takes the focus after the double-tap delay, and again after a requested paper or its
 * approval, so that Enter starts the next customer.
 */
function NextCustomer() {
  const next = useAction('next-customer')
  const place = useRef<HTMLDivElement>(null)
  const ready = useSale((state) => state.closedSeen)
  const printing = useInFlight('print')
  useEffect(() => {
    const timer = setTimeout(() => useSale.setState({ closedSeen: true }), DOUBLE_TAP_MS)
    return () => clearTimeout(timer)
  }, [])
  const asking = useApproval(({ asked }) => asked !== null)
  const delivering = useDelivery(({ saleId }) => saleId !== null)
  useEffect(() => {
    if (ready && !printing && !asking && !delivering) place.current?.querySelector('button')?.focus()
  }, [ready, printing, asking, delivering])
  return (
    <div ref={place} className={`stack-3 with-start surface-1 ${styles['foot']}`}>
      <Button look="primary" size="xl" wide isDisabled={!ready} icon={<UserRoundPlus />} onPress={nextCustomer}>
        {next.label} <Key name="Enter" />
      </Button>
    </div>
  )
}

function ReceiptPreview({ sale }: { readonly sale: Sale }) {
  const { t } = useI18n()
  const receipt = useQuery({ queryKey: ['receipt', sale.id, sale.version], queryFn: () => api.receipt(sale.id) })
  const pushed = useEvents((state) => state.prints[sale.id])
  const print = pushed ?? receipt.data?.print ?? null
  return (
    <section
      className={`flex column gap-4 min-width-0 min-height-0 scroll round-l line surface-3 pad-4 ${styles['receipt']}`}
      aria-label={t('after.receipt')}
    >
      <Notices />
      <header>
        <h2>{t('after.receipt')}</h2>
        <Tag tone={toneOfPrint(print)}>{t(`after.print.${print ?? 'none'}`)}</Tag>
      </header>
      <div
        className={`min-height-0 scroll ${styles['paper']}`}
        role="region"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long receipt scrolls
        tabIndex={0}
        aria-label={t('after.receiptPaper')}
      >
        {receipt.isPending && <p role="status">{t('after.receiptLoading')}</p>}
        {receipt.isError && <p role="alert">{t('after.receiptFailed')}</p>}
        {receipt.data && <ReceiptPaper document={receipt.data.document} />}
      </div>
      {receipt.data?.hasPaperOnly && <p className="note center">{t('after.paperOnly')}</p>}
    </section>
  )
}

type Issuance = NonNullable<Sale['issuance']>

/**
 * The outcome of a closed sale's miles. Each issuance counts by its status: waiting or rejected miles are not "issued".
 */
export function IssuedMiles({ sale }: { readonly sale: Sale }) {
  const { t } = useI18n()
  const segmentsOf = useIssuanceSegments()
  if (!sale.issuance) return <>{t(sale.member ? 'after.noMiles' : 'after.noCollector')}</>
  const { refusal } = sale.issuance
  const segments = refusal
    ? [{ tone: 'warn', text: t(`after.noEarning.${refusal}`) } as const]
    : segmentsOf(sale.issuance, sale.milesPreview)
  return (
    <span className={`wrap gap-1 ${styles['segments']}`}>
      {segments.map(({ tone, text }) => (
        <Tag key={text} tone={tone}>
          {text}
        </Tag>
      ))}
    </span>
  )
}

interface Segment {
  readonly tone: TagTone
  readonly text: string
}
const TONES = {
  queued: 'miles',
  sent: 'miles',
  confirmed: 'ok',
  accepted: 'miles',
  rejected: 'warn',
} as const satisfies Record<string, TagTone>
type Counted = keyof typeof TONES

function useIssuanceSegments(): (issuance: Issuance, preview: number | null) => readonly Segment[] {
  const { t } = useI18n()
  const milesText = useMilesText()
  const counted = (texts: Counted, count: number): Segment => ({
    tone: TONES[texts],
    text: t(`after.issuance.${texts}`, { miles: milesText(count), count }),
  })
  const uncounted = (texts: 'queued' | 'sent' | 'confirmed' | 'accepted'): Segment => ({
    tone: TONES[texts],
    text: t(`after.issuance.${texts}Unknown`),
  })
  const none: Segment = { tone: 'neutral', text: t('after.issuance.none') }
  return ({ state, miles, pending, rejected }, preview) => {
    switch (state) {
      case 'dead':
      case 'escalated':
        return [{ tone: 'warn', text: t(`after.issuance.${state}`) }]
      case 'queued':
      case 'sent': {
        const expected = miles ?? preview
        return [expected === null ? uncounted(state) : expected === 0 ? none : counted(state, expected)]
      }
      case 'confirmed':
      case 'accepted':
      case 'rejected': {
        const segments = [
          ...(miles === null ? [uncounted('confirmed')] : miles > 0 ? [counted('confirmed', miles)] : []),
          ...(pending === null && state === 'accepted'
            ? [uncounted('accepted')]
            : (pending ?? 0) > 0
              ? [counted('accepted', pending ?? 0)]
              : []),
          ...((rejected ?? 0) > 0 ? [counted('rejected', rejected ?? 0)] : []),
        ]
        return segments.length > 0 ? segments : [none]
      }
    }
  }
}

/**
 * Buttons for Sales history and returns, which customers may ask for at any moment; the button of the current page is
 * missing.
 */
export function CounterButtons({ look = 'quiet' }: { readonly look?: 'plain' | 'quiet' }) {
  const earlier = useAction('earlier-sales')
  const goodsBack = useAction('return')
  return (
    <>
      {earlier.enabled && <IconButton look={look} label={earlier.label} icon={<History />} onPress={earlier.perform} />}
      {goodsBack.enabled && (
        <IconButton look={look} label={goodsBack.label} icon={<Undo2 />} onPress={goodsBack.perform} />
      )}
    </>
  )
}
