/** Why a backup was made: see BackupKind. The words are `backups.kind.<code>` in the catalogs. */
export const BACKUP_KINDS = ['daily', 'closing', 'hand', 'before-migration', 'before-restore'] as const

/** A backup dated further in the future than this was made while the lane's clock was ahead. */
export const CLOCK_SLACK_MS = 60_000

/** How the second folder stands: see BackupCopies. */
export const COPY_STATES = ['off', 'waiting', 'copying', 'copied', 'not-there', 'full', 'read-only', 'failed'] as const

/** What a restore would lose, as it is shown. `vouchers-used` would be worth again what they have paid. */
export const LOST_KINDS = [
  'sales',
  'unfinished',
  'returns',
  'redemptions',
  'issuances',
  'waiting',
  'review',
  'vouchers',
  'vouchers-used',
  'cards',
  'cash',
  'shifts',
  'z',
  'reports',
  'staff',
  'badges',
  'settings',
  'imports',
  'items',
  'planned-prices',
  'quick-keys',
  'coupons',
] as const
