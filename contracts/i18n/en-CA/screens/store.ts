/** The pages around the sale. */
export default {
  store: {
    title: 'Store',
    groups: { today: 'Today', sales: 'Sales', miles: 'Miles', team: 'Setup', lane: 'Lane' },
    echo: 'Connection',
    queue: 'Queue',
    reconciliation: 'Reconciliation',
    audit: 'Audit',
    catalog: 'Catalog',
    staff: 'Staff',
    settings: 'Settings',
    drawer: 'Drawer',
    day: 'Day end',
    held: 'Sales on hold',
    receipts: 'Sales history',
    devices: 'Devices',
    terminal: 'Terminal',
    offers: 'Offers',
    managerOnly: 'Manager only. Sign out, then ask a manager to sign in.',
    refresh: 'Refresh',
    failed: 'Could not load.',
  },
} as const
