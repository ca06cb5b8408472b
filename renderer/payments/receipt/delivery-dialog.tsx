import { Suspense, lazy, useEffect } from 'react'
import { useI18n } from '../../core/i18n/i18n.ts'
import { loadChunk } from '../../core/loading/chunks.ts'
import { Dialog } from '../../core/ui/dialog.tsx'
import { closeDelivery, useDelivery } from './delivery.ts'

// The form is loaded on demand, so that it does not delay the sale screen.
const DeliveryForm = lazy(() => loadChunk(() => import('./delivery-form.tsx')))

/** Dialog for the e-mail and the invoice of one sale. It closes when its screen is left. */
export function DeliveryDialog() {
  const { t } = useI18n()
  const saleId = useDelivery((state) => state.saleId)
  useEffect(() => closeDelivery, [])
  return (
    saleId !== null && (
      <Dialog open onClose={closeDelivery} title={t('actions.email-receipt')} size="l">
        <Suspense fallback={<p role="status">{t('app.loading')}</p>}>
          <DeliveryForm key={saleId} saleId={saleId} />
        </Suspense>
      </Dialog>
    )
  )
}
