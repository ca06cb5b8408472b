import { Printer, Ticket, WalletCards } from 'lucide-react'
import { useEffect } from 'react'
import type { PrintState } from '../../../contracts/core/receipt.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { ActionButton, type ButtonSize } from '../../core/ui/button.tsx'
import { Tag, type TagTone } from '../../core/ui/surface.tsx'
import styles from './voucher-documents.module.css'
import { useVoucherDocuments, type ShownVoucher } from './reprint-vouchers.ts'

export const toneOfPrint = (print: PrintState | null): TagTone =>
  print === 'confirmed' ? 'ok' : print === 'failed' || print === 'unknown' ? 'danger' : 'neutral'

export function VoucherDocuments({ vouchers }: { readonly vouchers: readonly ShownVoucher[] }) {
  const { t } = useI18n()
  useEffect(() => {
    useVoucherDocuments.setState({ shown: vouchers })
    return () => useVoucherDocuments.setState({ shown: [] })
  }, [vouchers])
  if (vouchers.length === 0) return null
  return (
    <ul className={`stack-2 ${styles['vouchers']}`} aria-label={t('after.vouchers')}>
      {vouchers.map((voucher, index) => (
        <Row key={index} voucher={voucher} />
      ))}
    </ul>
  )
}

function Row({ voucher: { id, kind, last4, balanceCents, print: asked } }: { readonly voucher: ShownVoucher }) {
  const { t, format } = useI18n()
  const print = useEvents((state) => (id === null ? null : state.prints[id])) ?? asked ?? null
  return (
    <li className="grid middle framed pad-2-4">
      <span aria-hidden="true">{kind === 'gift-card' ? <WalletCards /> : <Ticket />}</span>
      <span>
        <strong>{t('tender.voucherHolds', { kind: t(`tender.kind.${kind}`), number: last4 })}</strong>{' '}
        {format.money(balanceCents)}
      </span>
      <span role="status">
        <Tag tone={toneOfPrint(print)}>{t(`after.print.${print ?? 'none'}`)}</Tag>
      </span>
    </li>
  )
}

/**
 * Button that reprints the voucher documents that were not printed, or else all. Its note shows whether the print is an
 * original or a copy.
 */
export function ReprintVoucher({ size = 'l' }: { readonly size?: ButtonSize }) {
  const { t } = useI18n()
  const { shown } = useVoucherDocuments()
  const prints = useEvents((state) => state.prints)
  const [only] = shown.filter(({ id }) => id !== null)
  if (!only) return null
  const print = shown.length === 1 ? ((only.id === null ? null : prints[only.id]) ?? only.print ?? null) : null
  const note =
    print === 'failed'
      ? t('printedAs.asOriginal')
      : print === 'unknown'
        ? t('printedAs.lookFirst')
        : print === 'confirmed' || print === 'sent'
          ? t('printedAs.asCopy')
          : undefined
  return (
    <ActionButton
      id="reprint-voucher"
      size={size}
      label={t(`tender.kind.${only.kind}`)}
      icon={<Printer />}
      {...(note === undefined ? {} : { note })}
    />
  )
}
