import { Banknote, CircleCheckBig, Gift, List } from 'lucide-react'
import type { Sale } from '../../../contracts/api/sales.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { sessionOf, useMemberSession } from '../../state/member-session.ts'
import { lastLine } from '../../state/sale.ts'
import { ActionButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { MemberCard } from '../member/member-card.tsx'
import { WaysToPay } from '../tender/ways-to-pay.tsx'
import { TenderList } from '../tender/tender-list.tsx'
import styles from './pay-panel.module.css'

/** Nobody knows what became of the miles. */
const unsettled = ({ state }: NonNullable<Sale['redemption']>): boolean =>
  state === 'escalated' || state === 'reversal-escalated'

/** While ringing: who the collector is, what the basket earns, and every way to pay in one tap. */
export function PayPanel({ sale }: { readonly sale: Sale | null }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const redeem = useAction('redeem')
  const other = useAction('redeem-other')
  const earning = useAction('earning')
  const free = useAction('complete-free')
  const isSigningIn = useMemberSession((now) => sessionOf(sale?.id, now) !== null)
  const choice = sale?.redemptionChoice
  return (
    <div className={styles['panel']} data-much={(sale?.tenders.length ?? 0) > 0 || isSigningIn}>
      <div className={styles['facts']} data-whole>
        <MemberCard member={sale?.member ?? null} />
        {sale && (sale.milesPreview !== null || (sale.member && lastLine(sale) !== undefined)) && (
          <p className={styles['earn']}>
            <span>{t('sale.milesToEarn')}</span>
            <strong className="figures">
              {sale.member?.noEarning || sale.milesPreview === 0
                ? t('sale.milesNone')
                : sale.milesPreview === null
                  ? t('sale.milesUnknown')
                  : milesText(sale.milesPreview)}
            </strong>
            {earning.enabled && !sale.member?.noEarning && (
              <ActionButton id="earning" look="quiet" hint={false} label="" icon={<List />} />
            )}
          </p>
        )}
        {sale && <TenderList tenders={sale.tenders} />}
      </div>
      <div className={styles['ways']}>
        {sale?.redemption?.state === 'reversing' && (
          <p className={styles['why']} role="status">
            {t(`redeem.outcome.${sale.redemption.outcome}`)}
          </p>
        )}
        {sale?.redemption && unsettled(sale.redemption) && (
          <p className={styles['why']}>{t('member.redemptionOpen')}</p>
        )}
        {choice && redeem.enabled && (
          <div className={styles['redeem']}>
            <ActionButton
              id="redeem"
              look="miles"
              size="l"
              wide
              icon={<Gift />}
              note={t('redeem.costs', { miles: format.miles(choice.defaultUnits * choice.unitMiles) })}
            />
            {other.enabled && choice.maxUnits > 1 && <ActionButton id="redeem-other" size="l" hint={false} />}
          </div>
        )}
        <div className={styles['tenders']}>
          <WaysToPay />
        </div>
        {free.enabled ? (
          <ActionButton id="complete-free" look="primary" size="xl" wide icon={<CircleCheckBig />} />
        ) : (
          <ActionButton id="cash-exact" look="primary" size="xl" wide icon={<Banknote />} />
        )}
      </div>
    </div>
  )
}
