import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { MemberSession, MemberSessionNow } from '../../../contracts/loyalty/member.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import { api } from '../../core/api/terminal-api.ts'
import { line, saleOf } from '../../testing/sales.ts'
import { beginMemberSession, takeMemberSession, useMemberSession } from './member-session.ts'
import { resetCommands } from '../../core/state/command-queue.ts'
import { resetSale, takeSale } from '../../sales/sale.ts'

const sale = saleOf([line(1)])
const saleId = SaleId.parse(sale.id)
const asking: MemberSession = { state: 'asking', saleId }
const waiting: MemberSession = {
  state: 'waiting',
  saleId,
  userCode: 'WDJB-MJHT',
  page: 'https://miles.example/device',
  pageWithCode: 'https://miles.example/device?user_code=WDJB-MJHT',
  expiresAt: '2026-11-20T15:10:00.000Z',
}

beforeEach(() => {
  resetSale()
  resetCommands()
})
afterEach(() => {
  vi.restoreAllMocks()
})

test('a sign-in code that arrives as an event before its command is answered remains after the answer', async () => {
  takeSale(sale)
  const { promise, resolve } = Promise.withResolvers<MemberSessionNow>()
  vi.spyOn(api, 'beginMemberSession').mockReturnValue(promise)
  const begun = beginMemberSession()
  takeMemberSession(asking)
  takeMemberSession(waiting)
  resolve({ offered: true, session: asking })
  await begun
  expect(useMemberSession.getState()).toMatchObject({ offered: true, session: waiting })
})
