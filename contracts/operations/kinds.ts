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

/**
 * How a newer version stands on a lane: see NextVersion. `ready`: it is installed as soon as the lane is closed;
 * `tonight`: a manager has said so; `not-now`: not for a week. The words are `updates.state.<code>` in the catalogs.
 */
export const NEXT_STATES = ['fetching', 'ready', 'tonight', 'not-now'] as const

/** How an update of a lane ended. `failed`: it was never tried; `went-back`: it was tried, or ran, and was left. */
export const UPDATE_OUTCOMES = ['running', 'went-back', 'failed'] as const

/**
 * Why a lane left a version: WhyRefused of `packages/delivery/updates/slots-state.ts`. The words are
 * `updates.why.<code>`.
 */
export const UPDATE_LEFT_WHYS = ['ended', 'hung', 'crashed', 'killed', 'damaged', 'asked'] as const

/** Why the last look for a newer version found none: the words are `updates.trouble.<code>`. */
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

/** The services of the program as metrics name them. */
export const CALLED_SERVICES = ['cash', 'issuance', 'offers', 'offerState', 'history'] as const
export const MILES_SERVICES = ['cash', 'issuance'] as const
export const CALL_OUTCOMES = ['answer', 'error', 'silent', 'unsent'] as const
/** Those that are read, and not asked for a while when they do not answer. */
export const READ_SERVICES = ['offers', 'offerState', 'history'] as const
/** What becomes of one send, as the log has it. */
export const SEND_OUTCOMES = ['answer', 'unknown', 'never-sent', 'no-token'] as const

/**
 * What a device counts, in the order in which it is shown. Where UnifiedPOS has a name for it, it has that name (the
 * list is JposStatisticsConst of JavaPOS 1.12, in lower camel case).
 */
export const STATISTICS = [
  // Of a reader or a scanner.
  'reads',
  'refused',
  'unreadable',
  'stale',
  'bytes',
  'frames',
  'noiseBytes',
  'connections',
  'disconnections',
  // Of a printer.
  'receiptLinePrintedCount',
  'receiptCharacterPrintedCount',
  'barcodePrintedCount',
  'paperCutCount',
  'failedPaperCutCount',
  'receiptCoverOpenCount',
  'maximumTempReachedCount',
  'printerFaultCount',
  // Of a drawer whose switch is wired.
  'drawerGoodOpenCount',
  'drawerFailedOpenCount',
  // Of a line display.
  'onlineTransitionCount',
  // Of a printer or a line display.
  'communicationErrorCount',
] as const
