import { Gift, List } from 'lucide-react'
import type { Sale } from '../../../contracts/api/sales.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { lastLine } from '../../state/sale.ts'
import { ActionButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import { MemberCard } from '../member/member-card.tsx'
import { PayKeys } from '../tender/pay-keys.tsx'
import { TenderList } from '../tender/tender-list.tsx'
import styles from './pay-panel.module.css'

/** Nobody knows what became of the miles. */
const unsettled = ({ state }: NonNullable<Sale['redemption']>): boolean =>
  state === 'escalated' || state === 'reversal-escalated'

/** While ringing: who the collector is, what the basket earns, and every way to pay in one tap. */
export function PayPanel({ sale }: { readonly sale: Sale | null }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const earning = useAction('earning')
  const choice = sale?.redemptionChoice
  return (
    <div className={styles['panel']}>
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
        {choice && (
          <div className={styles['redeem']}>
            <ActionButton
              id="redeem"
              look="miles"
              size="l"
              wide
              icon={<Gift />}
              note={t('redeem.costs', { miles: format.miles(choice.defaultUnits * choice.unitMiles) })}
            />
            <ActionButton id="redeem-other" />
          </div>
        )}
        <PayKeys />
      </div>
    </div>
  )
}
