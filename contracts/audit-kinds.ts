/** What a manager looks for in the audit trail. The words are `audit.group.<code>` in the catalogs. */
export const AUDIT_GROUPS = ['sign-ins', 'approvals', 'drawer', 'sales', 'settings', 'data'] as const
export type AuditGroup = (typeof AUDIT_GROUPS)[number]

/**
 * Every kind of entry that this program writes, and the group in which a manager finds it. A new kind stands here, and
 * with its words in `contracts/i18n/<locale>/screens/audit.ts`.
 */
export const AUDIT_KINDS = {
  'sign-in': 'sign-ins',
  'sign-out': 'sign-ins',
  'window-ended': 'sign-ins',
  'pin-wrong': 'sign-ins',
  'pin-refused': 'sign-ins',
  'badge-refused': 'sign-ins',
  'pin-locked': 'sign-ins',
  'approvals-locked': 'sign-ins',
  'pin-lock-lifted': 'sign-ins',
  'pin-set': 'sign-ins',
  'pin-changed': 'sign-ins',
  'approval-given': 'approvals',
  override: 'approvals',
  'return-approved': 'approvals',
  'drawer-opened': 'drawer',
  'cash-paid-in': 'drawer',
  'cash-paid-out': 'drawer',
  'cash-drop': 'drawer',
  'cash-pickup': 'drawer',
  'cash-no-sale': 'drawer',
  'shift-opened': 'drawer',
  'shift-counted': 'drawer',
  'shift-closed': 'drawer',
  'day-closed': 'drawer',
  'line-voided': 'sales',
  'discount-given': 'sales',
  'discount-removed': 'sales',
  'price-changed': 'sales',
  'tax-exemption': 'sales',
  'age-checked': 'sales',
  'age-refused': 'sales',
  'change-undone': 'sales',
  'sale-held': 'sales',
  'sale-resumed': 'sales',
  'tender-taken-back': 'sales',
  'return-without-record': 'sales',
  'receipt-reprinted': 'sales',
  'gift-receipt-printed': 'sales',
  'voucher-reprinted': 'sales',
  'voucher-paper-asked': 'sales',
  'voucher-paper-started': 'sales',
  'voucher-paper-failed': 'sales',
  'card-transaction-resolved': 'sales',
  'queue-send-again': 'sales',
  'queue-credit': 'sales',
  'queue-resolve': 'sales',
  'queue-correct': 'sales',
  'queue-take-back': 'sales',
  'queue-give': 'sales',
  'queue-notice-settled': 'sales',
  'staff-added': 'settings',
  'staff-changed': 'settings',
  'staff-removed': 'settings',
  'setting-changed': 'settings',
  'settings-export': 'settings',
  'profile-changed': 'settings',
  'badge-set': 'settings',
  'badge-deactivated': 'settings',
  'catalog-imported': 'data',
  'reconciliation-export': 'data',
  'audit-export': 'data',
  'audit-verified': 'data',
  'backup-made': 'data',
  'backup-failed': 'data',
  'database-restored': 'data',
} as const satisfies Record<string, AuditGroup>
export type AuditKind = keyof typeof AUDIT_KINDS

export const isAuditKind = (kind: string): kind is AuditKind => Object.hasOwn(AUDIT_KINDS, kind)

export const kindsOf = (group: AuditGroup): AuditKind[] =>
  Object.keys(AUDIT_KINDS).filter((kind): kind is AuditKind => isAuditKind(kind) && AUDIT_KINDS[kind] === group)
