import { createTranslator } from 'use-intl/core'
import { expect, test } from 'vitest'
import screens from '../../../contracts/i18n/en-CA/screens.ts'
import { formatFor } from '../../core/i18n/format.ts'
import type { Translate } from '../../core/i18n/message-key.ts'
import { line, saleOf } from '../../testing/sales.ts'
import { partialApproval } from './partial-approval.ts'

const i18n = {
  t: createTranslator({ locale: 'en-CA', messages: screens }) as Translate,
  format: formatFor('en-CA'),
}
const cardPayment = (over: object) =>
  ({ reference: 'A1', amountCents: 2769, approvedCents: 1385, state: 'approved', reason: null, ...over }) as never

test('when a bank partially approves a card payment, a notice shows the approved amount and the amount due', () => {
  const notice = (over: object) => partialApproval(saleOf([line(1)], { cardPayment: cardPayment(over) }))
  expect(notice({})?.(i18n)).toMatch(/^Bank approved \$13\.85 of \$27\.69\. Due: \$/)
  expect(notice({ approvedCents: 2769 })).toBeNull()
  expect(notice({ approvedCents: null, state: 'asked' })).toBeNull()
})
