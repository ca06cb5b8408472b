import { ArrowLeft, Gift, Minus, Plus } from 'lucide-react'
import type { z } from 'zod'
import type { RedemptionChoice, Sale } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { useSale } from '../../state/sale.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { Tag } from '../../ui/surface.tsx'
import { useAction } from '../../ui/use-actions.ts'
import styles from './redeem.module.css'

/** Fewer units than the default, or up to the most: dollars and miles at every step, and why there are no more. */
export function RedeemPanel({
  sale,
  choice,
}: {
  readonly sale: Sale
  readonly choice: z.infer<typeof RedemptionChoice>
}) {
  const { t, format } = useWords()
  const chosen = useSale((state) => state.units) ?? choice.defaultUnits
  const more = useAction('units-more')
  const fewer = useAction('units-fewer')
  const amount = chosen * choice.unitCents
  const most = choice.maxUnits * choice.unitCents
  return (
    <section className={styles['panel']} aria-label={t('redeem.title')}>
      <div className={styles['card']}>
        <h2>{t('redeem.title')}</h2>
        <p className={styles['question']}>{t('redeem.question')}</p>
        <div className={styles['stepper']} role="group" aria-label={t('redeem.units')}>
          <Button
            size="xl"
            aria-label={fewer.label}
            isDisabled={!fewer.enabled}
            icon={<Minus />}
            onPress={fewer.perform}
          />
          <output className="figures" aria-live="polite">
            <strong>{format.money(amount)}</strong>
            <span>{t('redeem.costs', { miles: format.miles(chosen * choice.unitMiles) })}</span>
            <small>{t('redeem.unitsValue', { count: chosen, amount: format.money(choice.unitCents) })}</small>
          </output>
          <Button size="xl" aria-label={more.label} isDisabled={!more.enabled} icon={<Plus />} onPress={more.perform} />
        </div>
        <div className={styles['ends']}>
          <Button isDisabled={chosen === 1} onPress={() => useSale.setState({ units: 1 })}>
            {t('redeem.least')}
          </Button>
          <Button isDisabled={chosen === choice.maxUnits} onPress={() => useSale.setState({ units: choice.maxUnits })}>
            {t('redeem.most')}
          </Button>
        </div>
        <p className={styles['limit']}>{t(`redeem.limitedBy.${choice.limitedBy}`, { amount: format.money(most) })}</p>
        <ul className={`${styles['limits']} figures`} aria-label={t('redeem.limits')}>
          {choice.limits.map(({ by, amountCents }) => (
            <li key={by} data-binds={amountCents === most}>
              <span className="words">{t(`redeem.limit.${by}`)}</span>
              <span>
                {t('redeem.upTo', { amount: format.money(amountCents) })}
                {amountCents === most && <Tag tone="miles">{t('redeem.limitBinds')}</Tag>}
              </span>
            </li>
          ))}
        </ul>
        <p className={styles['left']}>{t('redeem.afterwards', { due: format.money(sale.totals.dueCents - amount) })}</p>
      </div>
      <div className={styles['foot']}>
        <ActionButton id="back" size="l" label="" icon={<ArrowLeft />} />
        <ActionButton id="redeem-confirm" look="miles" size="l" wide icon={<Gift />} />
      </div>
    </section>
  )
}
