import { beforeEach, describe, expect, test } from 'vitest'
import type { Sale } from '../contracts/sales/sales.ts'
import { SaleId } from '../contracts/core/ids.ts'
import { ACTIONS, actionForKey, actionOf, type ActionId } from './actions.ts'
import type { ActionContext } from './actions/action.ts'
import { useNotices } from './core/state/notices.ts'
import { resetCommands, useCommands } from './core/state/command-queue.ts'
import { useMemberSession } from './loyalty/member/member-session.ts'
import { useReturn } from './payments/returns/returns.ts'
import { panelOf, resetSale, takeSale, useSale } from './sales/sale.ts'
import { basket, CHOICE, line, member, redemption, saleOf } from './testing/sales.ts'

const context = (path = '/', over: Partial<ActionContext> = {}): ActionContext => ({
  state: useSale.getState(),
  busy: useCommands.getState().kinds,
  panel: panelOf(useSale.getState()),
  path,
  training: true,
  payments: ['cash', 'card', 'voucher'],
  chosenReceipt: null,
  chosenSale: null,
  memberSession: useMemberSession.getState(),
  offersToOptIn: 0,
  memberHistory: false,
  emailsReceipts: false,
  isManager: false,
  returning: useReturn.getState(),
  vouchersShown: false,
  ...over,
})
const can = (id: ActionId, path?: string): boolean => actionOf(id).when(context(path))
const keyed = (key: string, inField = false, shiftKey = false): string | undefined =>
  actionForKey({ key, shiftKey }, context(), inField)?.id
const open = (over: object = {}): Sale =>
  saleOf(basket(), { member: member(), redemptionChoice: { ...CHOICE }, ...over })

beforeEach(() => {
  resetSale()
  resetCommands()
})

describe('availability of actions', () => {
  test('payments and voids are unavailable until the sale has an item', () => {
    expect(['redeem', 'cash', 'card', 'cash-exact', 'line-void'].filter((id) => can(id as ActionId))).toEqual([])
    takeSale(open())
    expect(['redeem', 'cash', 'card', 'cash-exact', 'line-void'].filter((id) => !can(id as ActionId))).toEqual([])
  })

  test('the sign-in code can be printed only while it waits for the member’s phone and is not being printed', () => {
    takeSale(open())
    const { id: saleId } = open()
    const waiting = {
      state: 'waiting',
      saleId,
      userCode: 'WDJB-MJHT',
      page: 'https://miles.example/device',
      pageWithCode: 'https://miles.example/device?user_code=WDJB-MJHT',
      expiresAt: '2026-11-21T14:13:00.000Z',
    } as const
    const prints = (over: Partial<ActionContext['memberSession']>): boolean =>
      actionOf('member-sign-in-print').when(
        context('/', { memberSession: { offered: true, session: waiting, printing: false, ...over } }),
      )
    expect(prints({})).toBe(true)
    expect(prints({ printing: true })).toBe(false)
    expect(prints({ session: { state: 'asking', saleId } })).toBe(false)
    expect(prints({ session: { ...waiting, saleId: SaleId.parse('N1010100000099K7QZ') } })).toBe(false)
  })

  test('the miles history is available for a signed-in member where the lane has the history service', () => {
    const history = (memberHistory: boolean, state: 'asking' | 'signed-in'): boolean => {
      const { id: saleId } = open()
      const session = state === 'asking' ? { state, saleId } : { state, saleId, at: '2026-11-21T14:03:12.000Z' }
      takeSale(open())
      return actionOf('member-history').when(
        context('/', { memberHistory, memberSession: { offered: true, session, printing: false } }),
      )
    }
    expect([history(true, 'signed-in'), history(true, 'asking'), history(false, 'signed-in')]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('no tender, void or cancel is available while miles are being redeemed', () => {
    takeSale(open({ redemption: redemption({ state: 'retry', outcome: 'retrying' }) }))
    expect(
      [
        'redeem',
        'cash',
        'card',
        'cash-exact',
        'line-void',
        'sale-cancel',
        'redemption-continue',
        'redemption-dismiss',
      ].filter((id) => can(id as ActionId)),
    ).toEqual([])
  })

  test('after a redemption that was not applied, other payments are available and one key closes the outcome', () => {
    takeSale(open({ redemptionChoice: null, redemption: redemption({ state: 'escalated', outcome: 'not-applied' }) }))
    expect(can('cash-exact')).toBe(true)
    expect(keyed('Enter')).toBe('redemption-dismiss')
  })

  test('an inquiry about the collector card can be repeated by Ctrl+M only if the inquiry failed', () => {
    const about = (over: object, more: object = {}): boolean => {
      takeSale(
        open({ version: useSale.getState().current ? 9 : 3, redemptionChoice: null, member: member(over), ...more }),
      )
      return can('member-ask')
    }
    expect(about({ state: 'unknown', noRedemption: 'central-unreachable' })).toBe(true)
    expect(actionForKey({ key: 'm', shiftKey: false, ctrlKey: true }, context(), true)?.id).toBe('member-ask')
    expect(about({ noRedemption: 'central-outage' })).toBe(true)
    expect(about({ noRedemption: 'insufficient-miles' })).toBe(false)
    expect(about({ state: 'pending', noRedemption: null })).toBe(false)
    expect(about({ entryMode: 'KEYED', noRedemption: 'keyed' })).toBe(false)
    expect(about({ noRedemption: 'central-unreachable' }, { redemption: redemption() })).toBe(false)
  })

  test('redeem sends no command while the inquiry about the collector card is pending, and shows a notice', () => {
    takeSale(
      open({
        redemptionChoice: null,
        member: member({ state: 'pending', availableCents: null, availableCashMiles: null }),
      }),
    )
    expect(keyed('F4')).toBe('redeem')
    actionOf('redeem').perform(context())
    expect(useNotices.getState().notices.map(({ tone, topic }) => [tone, topic])).toEqual([['info', 'member-asking']])
    expect(useCommands.getState().kinds.size, 'no command was sent').toBe(0)
    takeSale(open({ version: 4 }))
    expect(useNotices.getState().notices).toEqual([])
  })

  test('a redemption that was not applied shows its outcome once, not again when the miles have been returned', () => {
    takeSale(open({ redemptionChoice: null, redemption: redemption({ state: 'reversing', outcome: 'reversing' }) }))
    expect([panelOf(useSale.getState()), can('cash-exact'), keyed('Enter')]).toEqual([
      'redemption',
      true,
      'redemption-dismiss',
    ])
    actionOf('redemption-dismiss').perform(context())
    takeSale(
      open({ version: 6, redemptionChoice: null, redemption: redemption({ state: 'reversed', outcome: 'reversed' }) }),
    )
    expect(panelOf(useSale.getState())).toBe('ring')
  })

  test('a payment in flight disables the other payments, so that a double tap sells once', () => {
    takeSale(open())
    useCommands.setState({ kinds: new Set(['tender']) })
    expect(['cash', 'card', 'cash-exact', 'redeem', 'sale-cancel'].filter((id) => can(id as ActionId))).toEqual([])
  })

  test('Enter closes a sale with change only after the change was visible, and a sale without change at once', () => {
    const paid = (changeCents: number) => [
      {
        kind: 'cash' as const,
        amountCents: 4531,
        roundingCents: -1,
        tenderedCents: 4530 + changeCents,
        changeCents,
        reference: null,
      },
    ]
    takeSale(open())
    takeSale(open({ version: 5, state: 'completed', tenders: paid(1470) }))
    expect(keyed('Enter')).toBeUndefined()
    useSale.setState({ closedSeen: true })
    expect(keyed('Enter')).toBe('next-customer')
    takeSale(open({ id: '01K9TRAINLANE02' }))
    takeSale(open({ id: '01K9TRAINLANE02', version: 5, state: 'completed', tenders: paid(0) }))
    expect(keyed('Enter')).toBe('next-customer')
  })

  test('lines may change after a payment, because the backend rejects a total below the paid amount', () => {
    takeSale(
      open({
        tenders: [
          {
            number: 1,
            kind: 'miles',
            amountCents: 4000,
            roundingCents: 0,
            tenderedCents: 4000,
            changeCents: 0,
            reference: '1',
          },
        ],
      }),
    )
    useSale.setState({ selectedLine: 3 })
    expect(['line-void', 'more', 'fewer', 'quantity', 'search'].filter((id) => can(id as ActionId))).toEqual([
      'line-void',
      'more',
      'fewer',
      'quantity',
      'search',
    ])
  })

  test('“one fewer” is unavailable at a quantity of one: only a void removes the last piece', () => {
    takeSale(open())
    useSale.setState({ selectedLine: 1 })
    expect([can('fewer'), keyed('-'), keyed('Delete')]).toEqual([false, undefined, 'line-void'])
  })

  test('a sale can be put on hold only with items, and without payments or a redemption', () => {
    expect(can('sale-hold')).toBe(false)
    takeSale(open())
    expect(can('sale-hold')).toBe(true)
    takeSale(
      open({
        version: 5,
        tenders: [
          {
            number: 1,
            kind: 'cash',
            amountCents: 200,
            roundingCents: 0,
            tenderedCents: 200,
            changeCents: 0,
            reference: null,
          },
        ],
      }),
    )
    expect(can('sale-hold')).toBe(false)
    takeSale(open({ version: 6, redemption: redemption({ state: 'escalated', outcome: 'not-applied' }) }))
    expect(can('sale-hold')).toBe(false)
  })

  test('the exact-cash key is disabled on the manager’s pages', () => {
    takeSale(open())
    expect(can('cash-exact', '/manager/echo')).toBe(false)
    expect(can('back', '/manager/echo')).toBe(true)
  })
})

describe('keyboard keys', () => {
  test('a focused text field keeps the keys that it needs, and function keys work everywhere', () => {
    takeSale(open())
    expect([keyed('Delete'), keyed('Delete', true)]).toEqual(['line-void', undefined])
    expect([keyed('+'), keyed('+', true)]).toEqual(['more', undefined])
    expect(keyed('F9', true)).toBe('cash-exact')
  })

  test('Ctrl+Z undoes the last change of the sale, except while a text field has the focus', () => {
    const undo = (inField = false): string | undefined =>
      actionForKey({ key: 'z', shiftKey: false, ctrlKey: true }, context(), inField)?.id
    takeSale(open())
    expect(undo()).toBeUndefined()
    takeSale(open({ version: 5, undo: 'void' }))
    expect([undo(), undo(true), keyed('z')]).toEqual(['undo', undefined, undefined])
    takeSale(open({ version: 6, undo: 'void', redemption: redemption({ state: 'retry', outcome: 'retrying' }) }))
    expect(undo()).toBeUndefined()
  })

  test('actions for discounts, prices and notes are available while the sale has lines and no redemption runs', () => {
    const changes = [
      'changes',
      'discount-line',
      'price',
      'note-line',
      'discount-sale',
      'coupon',
      'exemption',
      'note-sale',
    ] as const
    expect(changes.filter((id) => can(id))).toEqual([])
    takeSale(open())
    expect(changes.filter((id) => !can(id))).toEqual([])
    takeSale(open({ version: 5, redemption: redemption({ state: 'intent', outcome: 'sending' }) }))
    expect(changes.filter((id) => can(id))).toEqual([])
  })

  test('have an action for each step of the common sale: redeem, exact cash, next customer', () => {
    takeSale(open())
    expect(keyed('F4')).toBe('redeem')
    takeSale(open({ version: 5, redemptionChoice: null, redemption: redemption() }))
    expect(keyed('F9')).toBe('cash-exact')
    takeSale(open({ version: 6, state: 'completed' }))
    expect(keyed('Enter')).toBe('next-customer')
    expect(keyed('F11')).toBe('reprint')
    useSale.setState({ closed: null })
    expect(keyed('F11')).toBe('reprint-last')
  })

  test('open the list of earlier sales from other pages, and print the receipt that is selected in the list', () => {
    const shifted = (path: string) => actionForKey({ key: 'F11', shiftKey: true }, context(path), true)?.id
    expect([shifted('/'), shifted('/manager/echo'), shifted('/manager/receipts')]).toEqual([
      'earlier-sales',
      'earlier-sales',
      undefined,
    ])
    useSale.setState({ lastSaleId: 'S9' })
    const printed = (chosenReceipt: ActionContext['chosenReceipt']) =>
      actionForKey({ key: 'F11', shiftKey: false }, context('/manager/receipts', { chosenReceipt }), true)?.id
    expect([printed({ paper: 'sale', id: 'S1' }), printed({ paper: 'return', id: 'R1' }), printed(null)]).toEqual([
      'reprint-chosen',
      'reprint-chosen',
      undefined,
    ])
  })

  test('the exact-cash key completes a sale without an amount due, and never an empty sale', () => {
    takeSale(saleOf([line(1, { unitPriceCents: 0, amountCents: 0 })]))
    expect(keyed('F9')).toBe('complete-free')
    expect(['cash', 'card', 'cash-exact'].filter((id) => can(id as ActionId))).toEqual([])
    takeSale(saleOf([line(1, { voided: true })], { version: 4 }))
    expect(keyed('F9')).toBeUndefined()
  })

  test('on the redeem panel the down arrow lowers the units, and Enter or F4 confirms', () => {
    takeSale(open())
    useSale.setState({ stage: 'redeem' })
    expect([keyed('ArrowUp'), keyed('ArrowDown'), keyed('Enter'), keyed('F4'), keyed('Escape')]).toEqual([
      undefined,
      'units-fewer',
      'redeem-confirm',
      'redeem-confirm',
      'back',
    ])
  })

  test('no keyboard key has two actions in any state of a sale', () => {
    const states: (() => void)[] = [
      () => undefined,
      () => takeSale(open()),
      () => useSale.setState({ stage: 'redeem' }),
      () => useSale.setState({ stage: 'cash' }),
      () => takeSale(open({ version: 7, redemption: redemption() })),
      () => takeSale(open({ version: 8, redemption: redemption({ state: 'declined', outcome: 'refused' }) })),
      () => takeSale(open({ version: 9, state: 'completed' })),
    ]
    for (const enter of states) {
      enter()
      const now = ACTIONS.filter((action) => action.when(context())).flatMap((action) => [...action.keys])
      expect(now.filter((key, index) => now.indexOf(key) !== index)).toEqual([])
    }
  })
})
