import { IdCard, Keyboard, LoaderCircle, RotateCw, UserX } from 'lucide-react'
import type { z } from 'zod'
import type { Member } from '../../../contracts/sales/sales.ts'
import { useWords } from '../../core/i18n/words.tsx'
import { ActionButton, IconButton } from '../../core/ui/button.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { PhoneButton, PhoneSignIn } from './member-dialogs.tsx'
import styles from './member.module.css'
import type { MemberTransaction } from '../../../contracts/loyalty/member.ts'
import type { MessageKey } from '../../core/i18n/message-key.ts'

type MemberFacts = z.infer<typeof Member>

/**
 * The collector of the sale: the masked number, and only what remains available today
 * (specification 3 §4.5 rule 4). Why miles cannot be redeemed is said in words to repeat to the customer.
 */
export function MemberCard({ member }: { readonly member: MemberFacts | null }) {
  const { t, format } = useWords()
  const remove = useAction('member-remove')
  const ask = useAction('member-ask')
  if (!member) return <NoMember />
  // An account that cannot earn cannot redeem either: one reason, and no promise beside it.
  const reason = member.noEarning ?? member.noRedemption
  const keepsPrivate =
    member.state === 'known' &&
    member.availableCashMiles === null &&
    member.availableCents === null &&
    member.noRedemption === null
  return (
    <section className={`flex gap-2 relative round-l pad-4 ${styles['card']}`} aria-label={t('member.title')}>
      <IdCard aria-hidden="true" />
      <div className={`stack-2 grow min-width-0 ${styles['words']}`}>
        <div className={`row-2 ${styles['head']}`}>
          <h2 className="text-l nowrap figures">
            <span aria-hidden="true">{t('member.number', { last4: member.last4 })}</span>
            <span className="spoken">{t('member.numberSpoken', { last4: member.last4 })}</span>
          </h2>
          <Tag>{t(ENTRY_WORDS[member.entryMode])}</Tag>
        </div>
        {member.state === 'pending' && (
          <p className={`flex gap-2 note ${styles['pending']}`} role="status">
            <LoaderCircle aria-hidden="true" />
            <span>
              <strong className="ink">{t('member.pending')}</strong> {t('member.pendingHint')}
            </span>
          </p>
        )}
        {keepsPrivate && <p className="note">{t('member.private')}</p>}
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
  const { t } = useWords()
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

/** A partner of the program by its name; the mark beside it only repeats the name. */
export function SponsorName({ sponsor }: { readonly sponsor: NonNullable<MemberTransaction['sponsor']> }) {
  return (
    <span className={`inline baseline min-width-0 anywhere ${styles['sponsor']} words`}>
      <span className={`rigid ${styles['mark']}`} data-colour={sponsor.colour} aria-hidden="true" />
      {sponsor.name}
    </span>
  )
}

/** How a card came to the lane, in a cashier's words and not in those of the wire. */
export const ENTRY_WORDS = {
  SWIPE: 'member.swiped',
  SCAN: 'member.scanned',
  KEYED: 'member.keyed',
  PREREGISTERED: 'member.PREREGISTERED',
} as const satisfies Record<string, MessageKey>
