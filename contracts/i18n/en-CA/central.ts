/**
 * State of the program’s services and its meaning at the lane; used by the status bar, the sale, the echo check and
 * the queue.
 */
export const CENTRAL = {
  state: {
    online: 'Online',
    offline: 'Offline',
    outage: 'Maintenance',
    'secret-refused': 'Not authorized',
    unknown: 'Not checked',
  },
  what: {
    online: 'Miles service online.',
    offline: 'Miles service offline.',
    outage: 'Miles service under maintenance.',
    'secret-refused': 'Lane not authorized for miles.',
    unknown: 'Miles service not checked yet.',
  },
  todo: {
    online: 'Members can earn and redeem.',
    offline: 'Keep selling without redeeming. Miles are sent later.',
    outage: 'Keep selling without redeeming. Miles are sent later.',
    'secret-refused': 'Keep selling. Call a manager: installer must reset secret.',
    unknown: 'A manager can check the connection.',
  },
} as const
