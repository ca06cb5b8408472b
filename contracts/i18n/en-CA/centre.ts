/**
 * What the program’s services are like, and what it means at the lane: the status bar, the sale, the echo check and the
 * queue all say these words.
 */
export const CENTRE = {
  state: {
    online: 'Online',
    offline: 'Offline',
    outage: 'Maintenance',
    'secret-refused': 'Not authorized',
    unknown: 'Not checked',
  },
  what: {
    online: 'The program’s services answer.',
    offline: 'The program’s services do not answer.',
    outage: 'The program’s services are down for maintenance.',
    'secret-refused': 'The program’s services refuse this lane’s secret.',
    unknown: 'The program’s services have not been asked yet.',
  },
  todo: {
    online: 'Redemptions and issuance work.',
    offline: 'Keep selling without redeeming. Miles earned are sent later.',
    outage: 'Keep selling without redeeming. Miles earned are sent later.',
    'secret-refused': 'Keep selling without redeeming, and tell a manager: the installer must set the secret again.',
    unknown: 'A manager can run an echo check.',
  },
} as const
