import { lazy, Suspense } from 'react'
import { BehindStoreWords } from '../../i18n/store-words.tsx'
import { useWords } from '../../i18n/words.tsx'
import { needed } from '../../loading/parts.ts'
import { useBasketOffers } from '../../state/basket-offers.ts'
import { Dialog } from '../../ui/dialog.tsx'

// Nobody waits for it on the way to the sale.
const OffersPanel = lazy(() => needed(() => import('../offers-panel/offers-panel.tsx')))

/** All offers of the open sale, over the screen. */
export function OffersDialog() {
  const { t } = useWords()
  const open = useBasketOffers((state) => state.open)
  return (
    <Dialog
      open={open}
      onClose={() => useBasketOffers.setState({ open: false })}
      title={t('basketOffers.title')}
      size="l"
    >
      <BehindStoreWords>
        <Suspense fallback={<p role="status">{t('app.loading')}</p>}>
          <OffersPanel />
        </Suspense>
      </BehindStoreWords>
    </Dialog>
  )
}
