import { INTO_BASKET, leaveQuantity, selectLine, useSale, type SaleState } from '../sales/sale.ts'
import { openEmpties } from '../sales/empties.ts'
import { openPriceCheck } from '../sales/price-check.ts'
import { addQuantity, setNextQuantity, undo, voidLine } from '../sales/sale-commands.ts'
import { closeChange, openChange } from '../sales/changes.ts'
import { openQuickKeys } from '../sales/quick-keys/quick-keys.ts'
import { useShell } from '../core/state/window.ts'
import { hasItems, idle, onSale, redeeming, type Action, type ActionContext } from './action.ts'

/**
 * Whether the selected line may change: also after payments, but not while a payment by miles or the card terminal is
 * in progress. The backend rejects a change that leaves less than was paid.
 */
const lineOpen = (context: ActionContext): boolean =>
  onSale(context) &&
  (context.panel === 'ring' || context.panel === 'quick' || context.panel === 'redemption') &&
  context.state.selectedLine !== null &&
  hasItems(context) &&
  !redeeming(context)

const mayRing = (c: ActionContext): boolean => onSale(c) && (c.panel === 'ring' || c.panel === 'quick') && !redeeming(c)

/** Opens the field of a quantity, or moves the focus back to it if it is open. */
function openQuantity(field: Pick<SaleState, 'enteringQuantity'> | Pick<SaleState, 'editingQuantity'>): void {
  useSale.setState(field)
  useShell.getState().focusQuantity()
}

/**
 * Whether discounts and exemptions of the whole sale may change: it has items, no `change` command is in flight, and no
 * payment by miles or the card terminal is in progress.
 */
const saleChangeable = (context: ActionContext): boolean =>
  onSale(context) &&
  (context.panel === 'ring' || context.panel === 'quick' || context.panel === 'redemption') &&
  hasItems(context) &&
  !redeeming(context) &&
  idle(context, 'change')

const selectedQuantity = ({ state: { current, selectedLine } }: ActionContext): number =>
  current?.lines.find(({ number }) => number === selectedLine)?.quantity ?? 0

const lineChangeable = (context: ActionContext): boolean => lineOpen(context) && idle(context, 'change')

const moveSelection =
  (step: 1 | -1) =>
  ({ state }: ActionContext): void => {
    const open = state.current?.lines.filter((line) => !line.voided && line.chargeOf === undefined) ?? []
    const at = open.findIndex((line) => line.number === state.selectedLine)
    const next = open[Math.min(Math.max(at + step, 0), open.length - 1)]
    if (next) selectLine(next.number)
  }

const selected = (context: ActionContext, run: (line: number) => unknown): unknown =>
  context.state.selectedLine === null ? undefined : run(context.state.selectedLine)

/**
 * Actions on the selected line wait for `ring` commands, because they apply to the item rung last even before its
 * answer arrives.
 */
const RUNG = ['ring'] as const

export const BASKET_ACTIONS = [
  {
    id: 'search',
    labelKey: 'actions.search',
    keys: ['F2'],
    atOnce: true,
    group: 'selling',
    when: (c) => onSale(c) && !redeeming(c),
    perform: () => useShell.getState().focusSearch(),
  },
  {
    id: 'quick-keys',
    labelKey: 'actions.quick-keys',
    keys: ['Shift+F2'],
    group: 'selling',
    when: (c) => onSale(c) && c.panel !== 'quick' && !redeeming(c),
    perform: openQuickKeys,
  },
  {
    id: 'next-quantity',
    labelKey: 'actions.next-quantity',
    keys: ['*'],
    yieldsToFields: true,
    atOnce: true,
    group: 'selling',
    when: mayRing,
    perform: () => openQuantity({ enteringQuantity: true }),
  },
  {
    id: 'quantity-leave',
    labelKey: 'actions.back',
    keys: ['Escape'],
    group: 'selling',
    when: (c) => mayRing(c) && (c.state.enteringQuantity || c.state.editingQuantity !== null),
    perform: leaveQuantity,
  },
  {
    id: 'next-quantity-remove',
    labelKey: 'actions.next-quantity-remove',
    keys: ['Escape'],
    group: 'selling',
    when: (c) => mayRing(c) && c.panel === 'ring' && c.state.nextQuantity !== null,
    perform: () => setNextQuantity(null),
  },
  {
    id: 'price-check',
    labelKey: 'actions.price-check',
    keys: ['Ctrl+F2'],
    atOnce: true,
    group: 'selling',
    when: (c) => onSale(c) && !redeeming(c),
    perform: openPriceCheck,
  },
  {
    id: 'empties',
    labelKey: 'actions.empties',
    keys: ['Ctrl+F3'],
    group: 'selling',
    when: (c) => mayRing(c) && idle(c, 'change'),
    perform: () => {
      closeChange()
      return openEmpties()
    },
  },
  {
    id: 'quantity',
    labelKey: 'actions.quantity',
    keys: ['F3'],
    after: RUNG,
    group: 'changing',
    when: lineOpen,
    perform: (c) => openQuantity({ editingQuantity: c.state.selectedLine }),
  },
  {
    id: 'more',
    labelKey: 'actions.more',
    keys: ['+'],
    yieldsToFields: true,
    after: RUNG,
    repeats: true,
    group: 'changing',
    when: lineOpen,
    perform: (c) => selected(c, (line) => addQuantity(line, 1)),
  },
  {
    id: 'fewer',
    labelKey: 'actions.fewer',
    keys: ['-'],
    yieldsToFields: true,
    after: RUNG,
    repeats: true,
    group: 'changing',
    when: (c) => lineOpen(c) && selectedQuantity(c) > 1,
    perform: (c) => selected(c, (line) => addQuantity(line, -1)),
  },
  {
    id: 'line-previous',
    labelKey: 'actions.line-previous',
    keys: ['ArrowUp'],
    yieldsToFields: true,
    after: RUNG,
    repeats: true,
    group: 'changing',
    when: (c) => lineOpen(c) && c.panel !== 'quick',
    perform: moveSelection(-1),
  },
  {
    id: 'line-next',
    labelKey: 'actions.line-next',
    keys: ['ArrowDown'],
    yieldsToFields: true,
    after: RUNG,
    repeats: true,
    group: 'changing',
    when: (c) => lineOpen(c) && c.panel !== 'quick',
    perform: moveSelection(1),
  },
  {
    id: 'line-void',
    labelKey: 'actions.line-void',
    keys: ['Delete'],
    yieldsToFields: true,
    after: RUNG,
    group: 'changing',
    when: lineOpen,
    perform: (c) => selected(c, voidLine),
  },
  {
    id: 'undo',
    labelKey: 'actions.undo',
    keys: ['Ctrl+Z'],
    yieldsToFields: true,
    after: INTO_BASKET,
    group: 'changing',
    when: (c) => onSale(c) && c.state.current?.undo != null && !redeeming(c) && idle(c, 'change'),
    perform: () => undo(),
  },
  {
    id: 'changes',
    labelKey: 'actions.changes',
    keys: ['Ctrl+E'],
    after: RUNG,
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'menu' }),
  },
  {
    id: 'discount-line',
    labelKey: 'actions.discount-line',
    keys: ['Ctrl+D'],
    after: RUNG,
    group: 'changing',
    when: lineChangeable,
    perform: (c) => selected(c, (line) => openChange({ kind: 'discount', line })),
  },
  {
    id: 'price',
    labelKey: 'actions.price',
    keys: ['Ctrl+P'],
    after: RUNG,
    group: 'changing',
    when: lineChangeable,
    perform: (c) => selected(c, (line) => openChange({ kind: 'price', line })),
  },
  {
    id: 'price-accuracy',
    labelKey: 'actions.price-accuracy',
    keys: ['Ctrl+F9'],
    after: RUNG,
    group: 'changing',
    when: lineChangeable,
    perform: (c) => selected(c, (line) => openChange({ kind: 'shelf-price', line })),
  },
  {
    id: 'note-line',
    labelKey: 'actions.note-line',
    keys: ['Ctrl+L'],
    after: RUNG,
    group: 'changing',
    when: lineChangeable,
    perform: (c) => selected(c, (line) => openChange({ kind: 'note', line })),
  },
  {
    id: 'discount-sale',
    labelKey: 'actions.discount-sale',
    keys: ['Ctrl+S'],
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'discount', line: null }),
  },
  {
    id: 'coupon',
    labelKey: 'actions.coupon',
    keys: ['Ctrl+K'],
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'coupon' }),
  },
  {
    id: 'exemption',
    labelKey: 'actions.exemption',
    keys: ['Ctrl+I'],
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'exemption' }),
  },
  {
    id: 'buyers',
    labelKey: 'actions.buyers',
    keys: ['Ctrl+F10'],
    group: 'changing',
    when: (c) => saleChangeable(c) && c.state.current?.tenders.length === 0,
    perform: () => openChange({ kind: 'buyers' }),
  },
  {
    id: 'note-sale',
    labelKey: 'actions.note-sale',
    keys: ['Ctrl+O'],
    group: 'changing',
    when: saleChangeable,
    perform: () => openChange({ kind: 'note', line: null }),
  },
] as const satisfies readonly Action[]
