import { IdCard, Keyboard, LoaderCircle, RotateCw, UserX } from 'lucide-react'
import type { z } from 'zod'
import type { Member } from '../../../contracts/sales/sales.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { ActionButton, IconButton } from '../../core/ui/button.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { PhoneButton, PhoneSignIn } from './member-dialogs.tsx'
import styles from './member.module.css'
import type { MemberTransaction } from '../../../contracts/loyalty/member.ts'
import type { MessageKey } from '../../core/i18n/message-key.ts'

type MemberFacts = z.infer<typeof Member>

/**
 * The collector of the sale: the masked number, and only the amount that can be redeemed today (specification 3 §4.5
 * rule 4). Explains in a text for the customer why miles cannot be redeemed.
 */
export function MemberCard({ member }: { readonly member: MemberFacts | null }) {
  const { t, format } = useI18n()
  const remove = useAction('member-remove')
  const ask = useAction('member-ask')
  if (!member) return <NoMember />
  // An account that cannot earn cannot redeem either, so only one reason is shown and no miles to earn.
  const reason = member.noEarning ?? member.noRedemption
  const isPrivate =
    member.state === 'known' &&
    member.availableCashMiles === null &&
    member.availableCents === null &&
    member.noRedemption === null
  return (
    <section className={`flex gap-2 relative round-l pad-4 ${styles['card']}`} aria-label={t('member.title')}>
      <IdCard aria-hidden="true" />
      <div className={`stack-2 grow min-width-0 ${styles['text']}`}>
        <div className={`row-2 ${styles['head']}`}>
          <h2 className="text-l nowrap figures">
            <span aria-hidden="true">{t('member.number', { last4: member.last4 })}</span>
            <span className="sr-only">{t('member.numberSpoken', { last4: member.last4 })}</span>
          </h2>
          <Tag>{t(ENTRY_MODE_TEXTS[member.entryMode])}</Tag>
        </div>
        {member.state === 'pending' && (
          <p className={`flex gap-2 note ${styles['pending']}`} role="status">
            <LoaderCircle aria-hidden="true" />
            <span>
              <strong className="ink">{t('member.pending')}</strong> {t('member.pendingHint')}
            </span>
          </p>
        )}
        {isPrivate && <p className="note">{t('member.private')}</p>}
        {member.state !== 'pending' && member.availableCents !== null && member.noRedemption !== 'not-allowed' && (
          <dl className={`note ${styles['available']}`}>
            <dt>{t('member.available')}</dt>
            <dd className="wrap baseline figures">
              <strong className="text-xl ink">{format.money(member.availableCents)}</strong>
              {member.availableCashMiles !== null && (
                <span>
                  {t('member.availableMiles', {
                    miles: format.miles(member.availableCashMiles),
                    count: member.availableCashMiles,
                  })}
                </span>
              )}
            </dd>
          </dl>
        )}
        {member.offer && (
          <p className="text-s">
            <Tag tone="miles">{t('member.specialOffer')}</Tag> {format.text(member.offer)}
          </p>
        )}
        {reason && (
          <p className={`tone-warn text-s weight-550 round-s pad-2-3 ${styles['reason']}`}>
            {t(`member.reason.${reason}`)}
          </p>
        )}
        {reason && member.message && <p className="note">{t('member.saysReason', { message: member.message })}</p>}
        {!member.noEarning && <PhoneSignIn />}
        {ask.enabled && !member.noEarning && (
          <div>
            <ActionButton id="member-ask" label={t('member.askAgain')} icon={<RotateCw />} />
          </div>
        )}
      </div>
      <div className={`flex ${styles['corner']}`}>
        {!member.noEarning && <PhoneButton />}
        {remove.enabled && <IconButton label={remove.label} icon={<UserX />} onPress={remove.perform} />}
      </div>
    </section>
  )
}

function NoMember() {
  const { t } = useI18n()
  return (
    <section
      className={`flex gap-2 relative round-l pad-4 ${styles['card']} ${styles['none']}`}
      aria-label={t('member.title')}
    >
      <IdCard aria-hidden="true" />
      <div className="stack-2 justify-start grow min-width-0">
        <h2 className="text-m">{t('member.none')}</h2>
        <p className="note">{t('member.noneHint')}</p>
        <ActionButton id="member-key" label={t('keyed.short')} icon={<Keyboard />} />
      </div>
    </section>
  )
}

export function SponsorName({ sponsor }: { readonly sponsor: NonNullable<MemberTransaction['sponsor']> }) {
  return (
    <span className={`inline baseline min-width-0 anywhere ${styles['sponsor']} prose`}>
      <span className={`rigid ${styles['mark']}`} data-colour={sponsor.colour} aria-hidden="true" />
      {sponsor.name}
    </span>
  )
}

export const ENTRY_MODE_TEXTS = {
  SWIPE: 'member.swiped',
  SCAN: 'member.scanned',
  KEYED: 'member.keyed',
  PREREGISTERED: 'member.PREREGISTERED',
} as const satisfies Record<string, MessageKey>
