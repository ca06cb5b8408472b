import { reprint } from '../payments/receipt/documents.ts'
import { EARLIER_SALES_PATH } from '../payments/earlier-sales/earlier-sales.ts'
import {
  changePieces,
  confirmReturn,
  findAnother,
  askToDiscardReturn,
  goesBackCents,
  leaveReturn,
  enteredPieces,
  RETURN_PATH,
  setExchanging,
  showReturn,
  startUnrecorded,
  takeEverything,
} from '../payments/returns/returns.ts'
import { confirmUnrecorded } from '../payments/returns/unrecorded-return.ts'
import { choosing, idle, type Action, type ActionContext } from './action.ts'

const unrecorded = ({ path, returning }: ActionContext): boolean => path === RETURN_PATH && returning.unrecorded

const instructionsSeen = ({ path, returning }: ActionContext): boolean =>
  path === RETURN_PATH && returning.done !== null && returning.seen

const chosenQuantity = ({ returning: { selectedLine, pieces } }: ActionContext): number =>
  selectedLine === null ? 0 : (pieces[selectedLine] ?? 0)

const leftOf = ({ returning: { selectedLine, sale } }: ActionContext): number =>
  sale?.lines.find(({ number }) => number === selectedLine)?.leftQuantity ?? 0

export const RETURN_ACTIONS = [
  {
    id: 'return',
    labelKey: 'actions.return',
    keys: ['Shift+F10'],
    group: 'returning',
    when: (c) => c.path !== RETURN_PATH && c.path !== EARLIER_SALES_PATH,
    perform: () => showReturn(null),
  },
  {
    id: 'return-chosen',
    labelKey: 'actions.return-chosen',
    keys: ['Shift+F10'],
    group: 'returning',
    when: (c) => c.path === EARLIER_SALES_PATH && c.chosenSale !== null,
    perform: (c) => showReturn(c.chosenSale),
  },
  {
    id: 'return-find',
    labelKey: 'actions.return-find',
    keys: ['F2'],
    group: 'returning',
    when: (c) => (choosing(c) || unrecorded(c)) && !c.returning.busy,
    perform: findAnother,
  },
  {
    id: 'return-drop',
    labelKey: 'actions.return-drop',
    keys: ['Shift+Delete'],
    yieldsToFields: true,
    group: 'returning',
    when: (c) => c.path === RETURN_PATH && enteredPieces(c.returning) > 0 && !c.returning.busy,
    perform: askToDiscardReturn,
  },
  {
    id: 'return-unrecorded',
    labelKey: 'actions.return-unrecorded',
    keys: ['F4'],
    group: 'returning',
    when: (c) =>
      c.path === RETURN_PATH && c.returning.sale === null && c.returning.done === null && !c.returning.unrecorded,
    perform: startUnrecorded,
  },
  {
    id: 'return-unrecorded-confirm',
    labelKey: 'actions.return-unrecorded-confirm',
    keys: ['F9'],
    group: 'returning',
    when: (c) => unrecorded(c) && c.returning.unrecordedWorth && !c.returning.busy,
    perform: confirmUnrecorded,
  },
  {
    id: 'return-more',
    labelKey: 'actions.return-more',
    keys: ['+'],
    yieldsToFields: true,
    group: 'returning',
    when: (c) => choosing(c) && chosenQuantity(c) < leftOf(c),
    perform: () => changePieces(1),
  },
  {
    id: 'return-fewer',
    labelKey: 'actions.return-fewer',
    keys: ['-'],
    yieldsToFields: true,
    group: 'returning',
    when: (c) => choosing(c) && chosenQuantity(c) > 0,
    perform: () => changePieces(-1),
  },
  {
    id: 'return-all',
    labelKey: 'actions.return-all',
    keys: ['F3'],
    group: 'returning',
    when: (c) => choosing(c) && (c.returning.sale?.lines.some(({ leftQuantity }) => leftQuantity > 0) ?? false),
    perform: takeEverything,
  },
  {
    id: 'return-exchange',
    labelKey: 'actions.return-exchange',
    keys: ['F8'],
    group: 'returning',
    when: (c) => choosing(c) && enteredPieces(c.returning) > 0 && (c.state.current?.totals.dueCents ?? 0) > 0,
    perform: (c) => setExchanging(!c.returning.exchanging),
  },
  {
    id: 'return-confirm',
    labelKey: 'actions.return-confirm',
    plainKey: 'actions.return-confirm-plain',
    values: (c, f) => ({ amount: f.money(goesBackCents(c.returning.quote)) }),
    keys: ['F9'],
    group: 'returning',
    when: (c) => choosing(c) && c.returning.quote !== null && c.returning.quote.exchange === null && !c.returning.busy,
    perform: confirmReturn,
  },
  {
    id: 'return-exchange-confirm',
    labelKey: 'actions.return-exchange-confirm',
    plainKey: 'actions.return-exchange-confirm-plain',
    values: (c, f) => ({ amount: f.money(c.returning.quote?.exchange?.paysCents ?? 0) }),
    keys: ['F9'],
    group: 'returning',
    when: (c) => choosing(c) && c.returning.quote?.exchange != null && !c.returning.busy,
    perform: confirmReturn,
  },
  {
    id: 'return-reprint',
    labelKey: 'actions.reprint',
    keys: ['F11'],
    group: 'returning',
    when: (c) => c.path === RETURN_PATH && c.returning.done !== null && idle(c, 'print'),
    perform: (c) => reprint(c.returning.done?.id ?? null, 'return'),
  },
  {
    id: 'return-next',
    labelKey: 'actions.return-next',
    keys: ['Enter'],
    group: 'returning',
    when: (c) => instructionsSeen(c) && c.returning.exchanged === null && c.state.current === null,
    perform: leaveReturn,
  },
  {
    id: 'return-continue',
    labelKey: 'actions.return-continue',
    keys: ['Enter'],
    group: 'returning',
    when: (c) => instructionsSeen(c) && c.state.current !== null,
    perform: leaveReturn,
  },
  {
    id: 'return-completed',
    labelKey: 'actions.return-completed',
    keys: ['Enter'],
    group: 'returning',
    when: (c) => instructionsSeen(c) && c.returning.exchanged !== null && c.state.current === null,
    perform: leaveReturn,
  },
] as const satisfies readonly Action[]
