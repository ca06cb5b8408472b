import type { z } from 'zod'
import type { QueueDetail } from '../../../contracts/loyalty/queue.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { ENTRY_MODE_TEXTS } from '../member/member-card.tsx'
import { causeCode } from '../../operations/status-bar/explain.tsx'
import styles from './queue.module.css'

export type Detail = z.infer<typeof QueueDetail>

export function EntryFacts({ detail }: { readonly detail: Detail }) {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  const facts: readonly (readonly [string, string | null])[] = [
    [t('queue.state'), detail.resolution ? t('queue.resolved') : t(`queue.states.${detail.state}`)],
    [t('queue.amount'), detail.amountCents === null ? null : format.money(detail.amountCents)],
    [t('queue.miles'), detail.miles === null ? null : milesText(detail.miles)],
    [t('queue.pending'), detail.pendingMiles ? milesText(detail.pendingMiles) : null],
    [t('queue.rejected'), detail.rejectedMiles ? milesText(detail.rejectedMiles) : null],
    [t('queue.taken'), detail.taken && `${format.money(detail.taken.amountCents)} · ${milesText(detail.taken.miles)}`],
    [t('queue.units'), detail.units === null ? null : String(detail.units)],
    [t('queue.code'), detail.responseCode],
    [t('queue.collector'), detail.collector],
    [t('queue.entryMode'), detail.entryMode && t(ENTRY_MODE_TEXTS[detail.entryMode])],
    [t('queue.location'), detail.locationCode],
    [t('queue.confirmation'), detail.confirmationNumber],
    [t('queue.transaction'), detail.transactionId],
    [t('queue.transDateTime'), detail.transDateTime],
    [t('queue.since'), format.dateTime(detail.createdAt)],
    // With a response code, the message is a text of the program. Without one, it is an English error of this computer,
    // of which only the error code is shown, because the code needs no translation.
    detail.responseCode === null
      ? [t('status.detail'), causeCode(detail.detail)]
      : [t('queue.programSays'), detail.detail],
  ]
  return (
    <>
      <dl className={`stack-2 ${styles['facts']} figures selectable`}>
        {facts.map(([name, value]) => value !== null && <Fact key={name} name={name} value={value} />)}
      </dl>
      {detail.calls.map((call) => (
        <Call key={call.purpose} call={call} />
      ))}
      {detail.issued.length > 0 && <Issued offers={detail.issued} />}
      <section aria-label={t('queue.history')}>
        <h3>{t('queue.history')}</h3>
        <ol className={`stack-1 text-s above-2 ${styles['history']}`}>
          {detail.history.map((transition, index) => (
            <li key={`${transition.at} ${index}`}>
              <span className="figures">{format.dateTime(transition.at)}</span> {t(`queue.states.${transition.to}`)}
              {transition.orderedBy && ` · ${t('queue.orderedBy', { name: transition.orderedBy })}`}
            </li>
          ))}
        </ol>
      </section>
    </>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string | number }) {
  return (
    <div className="round-s line surface-2 pad-2-3">
      <dt className="text-xs dim">{name}</dt>
      <dd className="text-s weight-600 anywhere">{value}</dd>
    </div>
  )
}

function Call({ call }: { readonly call: Detail['calls'][number] }) {
  const { t } = useI18n()
  return (
    <section aria-label={call.path}>
      <h3>{call.path}</h3>
      <dl className={`stack-2 above-2 ${styles['facts']} ${styles['call']} figures selectable`}>
        <Fact name={t('queue.trace')} value={call.traceId} />
        <Fact name={t('queue.key')} value={call.idempotencyKey ?? t('queue.noKey')} />
        <Fact name={t('queue.dateTime')} value={call.dateTime} />
        <Fact name={t('queue.attempts')} value={call.sends} />
      </dl>
    </section>
  )
}

function Issued({ offers }: { readonly offers: Detail['issued'] }) {
  const { t, format } = useI18n()
  return (
    <section aria-label={t('queue.issued')}>
      <h3>{t('queue.issued')}</h3>
      <div className={styles['issued']}>
        <TableWrap>
          <table className={pageStyles['table']} aria-label={t('queue.issued')}>
            <thead>
              <tr>
                <th scope="col">{t('queue.offer')}</th>
                <th scope="col">{t('queue.miles')}</th>
                <th scope="col">{t('queue.pending')}</th>
                <th scope="col">{t('queue.rejected')}</th>
                <th scope="col">{t('queue.left')}</th>
                <th scope="col">{t('queue.code')}</th>
              </tr>
            </thead>
            <tbody>
              {offers.map((offer) => (
                <tr key={offer.issuanceOfferCode}>
                  <th scope="row">{offer.issuanceOfferCode || t('queue.offerUnsaid')}</th>
                  <td>{format.miles(offer.miles)}</td>
                  <td>{format.miles(offer.pending)}</td>
                  <td>{format.miles(offer.rejected)}</td>
                  <td>{format.miles(offer.left)}</td>
                  <td>{offer.codes.join(', ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      </div>
    </section>
  )
}
