import { useQuery } from '@tanstack/react-query'
import { Printer, Undo2 } from 'lucide-react'
import { useEffect } from 'react'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEarlierSales } from './earlier-sales.ts'
import { showReturn } from '../returns/returns.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { reprint } from '../receipt/documents.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import styles from './earlier-sales.module.css'
import { ReceiptPaper } from '../receipt/receipt-paper.tsx'

const close = (): void => useEarlierSales.setState({ opened: null })

export function ReturnDialog() {
  const { t } = useI18n()
  const id = useEarlierSales((state) => state.opened)
  // The dialog closes with the list of earlier sales, so that a later visit starts with the list.
  useEffect(() => close, [])
  return (
    id !== null && (
      <Dialog open onClose={close} title={t('returns.number', { id })}>
        <Opened key={id} id={id} />
      </Dialog>
    )
  )
}

function Opened({ id }: { readonly id: string }) {
  const { t } = useI18n()
  const printing = useInFlight('print')
  const paper = useQuery({
    queryKey: ['return', id],
    queryFn: async () => ({ ...(await storeApi.returnReceipt(id)), ...(await storeApi.madeReturn(id)) }),
  })
  if (paper.isPending) return <p role="status">{t('after.receiptLoading')}</p>
  if (paper.isError) return <LoadFailed error={paper.error} retry={() => void paper.refetch()} />
  const {
    document,
    return: { saleId, vouchers },
  } = paper.data
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long paper scrolls */}
      <div className={styles['paper']} role="region" tabIndex={0} aria-label={t('after.receiptPaper')}>
        <ReceiptPaper document={document} />
      </div>
      <VouchersLeft vouchers={vouchers} />
      <div>
        {saleId !== null && (
          <Button icon={<Undo2 />} onPress={() => void showReturn(saleId)}>
            {t('returns.openSale')}
          </Button>
        )}
        <Button
          autoFocus
          look="primary"
          size="l"
          icon={<Printer />}
          isDisabled={printing}
          onPress={() => {
            close()
            void reprint(id, 'return')
          }}
        >
          {t('actions.reprint-chosen')}
        </Button>
      </div>
    </>
  )
}

function VouchersLeft({
  vouchers,
}: {
  readonly vouchers: Awaited<ReturnType<typeof storeApi.madeReturn>>['return']['vouchers']
}) {
  const { t, format } = useI18n()
  if (vouchers.length === 0) return null
  return (
    <ul>
      {vouchers.map(({ kind, last4, balanceCents }, index) => (
        <li key={index}>
          {t('tender.voucherBalance', {
            kind: t(`tender.kind.${kind}`),
            number: last4,
            left: format.money(balanceCents),
          })}
        </li>
      ))}
    </ul>
  )
}
