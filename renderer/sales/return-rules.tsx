import { ShieldAlert, TriangleAlert } from 'lucide-react'
import type { BrokenRule, RecalledGoods } from '../../contracts/payments/return-rules.ts'
import { useI18n } from '../core/i18n/i18n.ts'

/** Returns a function that describes a rule of returns that a return breaks. */
export function useRuleText(): (rule: BrokenRule) => string {
  const { t, format } = useI18n()
  return (broken) => {
    switch (broken.rule) {
      case 'window':
        return t('returnRules.window', {
          name: format.text(broken.name),
          days: broken.days,
          day: format.date(broken.lastDay),
        })
      case 'final-sale':
        return t('returnRules.final-sale', { name: format.text(broken.name) })
      case 'expired':
        return t('returnRules.expired', { name: format.text(broken.name), day: format.date(broken.day) })
      case 'cashier-count':
      case 'lane-count':
        return t(`returnRules.${broken.rule}`, { count: broken.most })
      case 'cashier-amount':
      case 'lane-amount':
        return t(`returnRules.${broken.rule}`, { amount: format.money(broken.mostCents) })
    }
  }
}

/** The rules that a return breaks, with what the cashier does next, and its recalled goods. */
export function RuleNotices({
  brokenRules,
  recalled,
}: {
  readonly brokenRules: readonly BrokenRule[]
  readonly recalled: readonly RecalledGoods[]
}) {
  const { t, format } = useI18n()
  const textOf = useRuleText()
  return (
    <>
      {recalled.map(({ name, lot }, index) => (
        <p key={index} role="alert" className="row-3 tone-danger weight-600 round-m pad-3-4 icons-22">
          <TriangleAlert aria-hidden="true" />
          {t('returnRules.recalled', { name: format.text(name), lot })}
        </p>
      ))}
      {brokenRules.length > 0 && (
        <div role="alert" className="stack-2 tone-warn round-m pad-3-4 icons-22">
          <p className="row-3 weight-650">
            <ShieldAlert aria-hidden="true" />
            {t('returnRules.title')}
          </p>
          <ul className="stack-1 flush">
            {brokenRules.map((rule, index) => (
              <li key={index}>{textOf(rule)}</li>
            ))}
          </ul>
          <p className="weight-600">{t('returnRules.next')}</p>
        </div>
      )}
    </>
  )
}
