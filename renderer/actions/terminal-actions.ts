import { navigate } from 'wouter/use-browser-location'
import { isPayment, setStage } from '../sales/sale.ts'
import { EARLIER_SALES_PATH, showEarlierSales } from '../payments/earlier-sales/earlier-sales.ts'
import { leaveQuickKeys } from '../sales/quick-keys/quick-keys.ts'
import { useShell } from '../core/state/window.ts'
import { signOut, useTerminal } from '../core/state/terminal.ts'
import { choosing, redeeming, type Action } from './action.ts'

export const TERMINAL_ACTIONS = [
  {
    id: 'back',
    labelKey: 'actions.back',
    keys: ['Escape'],
    group: 'terminal',
    when: (c) =>
      c.path !== '/' || (isPayment(c.panel) && !redeeming(c)) || ['quick', 'redeem', 'gift-card'].includes(c.panel),
    perform: (c) => (c.path !== '/' ? navigate('/') : c.panel === 'quick' ? leaveQuickKeys() : setStage('ring')),
  },
  {
    id: 'sale',
    labelKey: 'actions.sale',
    keys: ['F1'],
    group: 'terminal',
    when: (c) => c.path !== '/',
    perform: () => navigate('/'),
  },
  {
    id: 'offers',
    labelKey: 'actions.offers',
    keys: ['F8'],
    group: 'terminal',
    when: (c) => c.path !== '/manager/offers' && !choosing(c),
    perform: () => navigate('/manager/offers'),
  },
  {
    id: 'earlier-sales',
    labelKey: 'actions.earlier-sales',
    keys: ['Shift+F11'],
    group: 'terminal',
    when: (c) => c.path !== EARLIER_SALES_PATH,
    perform: () => showEarlierSales({}),
  },
  {
    id: 'store',
    labelKey: 'actions.store',
    keys: ['Shift+F1'],
    group: 'terminal',
    when: (c) => !c.path.startsWith('/manager'),
    perform: () =>
      navigate(useTerminal.getState().terminal?.signedIn?.role === 'manager' ? '/manager/overview' : '/manager/drawer'),
  },
  {
    id: 'training',
    labelKey: 'actions.training',
    keys: ['F10'],
    trainingOnly: true,
    group: 'terminal',
    when: (c) => c.training,
    perform: () => useShell.setState(({ trainingOpen }) => ({ trainingOpen: !trainingOpen })),
  },
  {
    id: 'shortcuts',
    labelKey: 'actions.shortcuts',
    keys: ['?'],
    yieldsToFields: true,
    group: 'terminal',
    when: () => true,
    perform: () => useShell.setState({ shortcutsOpen: true }),
  },
  {
    id: 'switch-cashier',
    labelKey: 'actions.switch-cashier',
    keys: ['F12'],
    group: 'terminal',
    when: (c) => c.busy.size === 0 && !redeeming(c),
    perform: () => useShell.setState({ switchingCashier: true }),
  },
  {
    id: 'sign-out',
    labelKey: 'actions.sign-out',
    keys: ['Shift+F12'],
    group: 'terminal',
    when: (c) => c.busy.size === 0,
    perform: () => signOut().then(() => navigate('/')),
  },
] as const satisfies readonly Action[]
