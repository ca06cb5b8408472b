import { createTranslator } from 'use-intl/core'
import { expect, test } from 'vitest'
import screens from '../../../contracts/i18n/en-CA/screens.ts'
import { formatFor } from '../../core/i18n/format.ts'
import type { Words } from '../../core/i18n/message-key.ts'
import { line, saleOf } from '../../testing/sales.ts'
import { partialApproval } from './partial-approval.ts'

const words = {
  t: createTranslator({ locale: 'en-CA', messages: screens }) as Words,
  format: formatFor('en-CA'),
}
const cardPayment = (over: object) =>
  ({ reference: 'A1', amountCents: 2769, approvedCents: 1385, state: 'approved', reason: null, ...over }) as never

test('a partial approval of the bank says what it approved and what is still due', () => {
  const said = (over: object) => partialApproval(saleOf([line(1)], { cardPayment: cardPayment(over) }))
  expect(said({})?.(words)).toMatch(/^Bank approved \$13\.85 of \$27\.69\. Due: \$/)
  expect(said({ approvedCents: 2769 })).toBeNull()
  expect(said({ approvedCents: null, state: 'asked' })).toBeNull()
})
