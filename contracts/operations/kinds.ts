/** Why a backup was made: see BackupKind. The texts are `backups.kind.<code>` in the message catalogs. */
export const BACKUP_KINDS = ['daily', 'closing', 'hand', 'before-migration', 'before-restore'] as const

/** Tolerance in ms: a backup dated further in the future was made while the lane's clock was ahead. */
export const CLOCK_SLACK_MS = 60_000

export const COPY_STATES = ['off', 'waiting', 'copying', 'copied', 'not-there', 'full', 'read-only', 'failed'] as const

/**
 * Kinds of records that a restore would lose. Vouchers in `vouchers-used` would regain the value that they have paid.
 */
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
  'promotions',
  'charges',
] as const

/**
 * State of a newer version on a lane: see NextVersion. `ready`: installed when the lane is closed; `tonight`: the same,
 * by a manager's decision; `not-now`: not installed for a week. The texts are `updates.state.<code>`.
 */
export const NEXT_STATES = ['fetching', 'ready', 'tonight', 'not-now'] as const

/**
 * Outcome of an update of a lane. `failed`: it was never tried; `went-back`: it was tried or used, and then replaced.
 */
export const UPDATE_OUTCOMES = ['running', 'went-back', 'failed'] as const

/**
 * Why a lane went back from a version: WhyRefused of `packages/delivery/updates/slots-state.ts`. The texts are
 * `updates.why.<code>`.
 */
export const UPDATE_LEFT_WHYS = ['ended', 'hung', 'crashed', 'killed', 'damaged', 'asked'] as const

/** Why the last search for a newer version failed: the texts are `updates.trouble.<code>`. */
export const UPDATE_TROUBLES = [
  'unreachable',
  'expired',
  'older',
  'unsigned',
  'key-unknown',
  'key-revoked',
  'changed',
  'damaged',
  'disk-full',
  'not-writable',
] as const

export const CALLED_SERVICES = ['cash', 'issuance', 'offers', 'offerState', 'history'] as const
export const MILES_SERVICES = ['cash', 'issuance'] as const
export const CALL_OUTCOMES = ['answer', 'error', 'silent', 'unsent'] as const
/** Read-only services. After they did not answer, the lane does not call them for a while. */
export const READ_SERVICES = ['offers', 'offerState', 'history'] as const
export const SEND_OUTCOMES = ['answer', 'unknown', 'never-sent', 'no-token'] as const

/**
 * Counters of devices, in the order of display. Names are those of UnifiedPOS where it has one (JposStatisticsConst of
 * JavaPOS 1.12, in lower camel case).
 */
export const STATISTICS = [
  'reads',
  'refused',
  'unreadable',
  'stale',
  'bytes',
  'frames',
  'noiseBytes',
  'connections',
  'disconnections',
  'receiptLinePrintedCount',
  'receiptCharacterPrintedCount',
  'barcodePrintedCount',
  'paperCutCount',
  'failedPaperCutCount',
  'receiptCoverOpenCount',
  'maximumTempReachedCount',
  'printerFaultCount',
  'drawerGoodOpenCount',
  'drawerFailedOpenCount',
  'onlineTransitionCount',
  'communicationErrorCount',
] as const
