import { X } from 'lucide-react'
import { useI18n } from '../../core/i18n/i18n.ts'
import { IconButton } from '../../core/ui/button.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { leaveQuantity, useSale } from '../sale.ts'
import { setNextQuantity } from '../sale-commands.ts'
import { QuantityForm } from './quantity-form.tsx'

/** Opens the field for the quantity of the next item. */
export function NextQuantityButton() {
  const { label, enabled, perform } = useAction('next-quantity')
  return (
    <IconButton
      look="plain"
      label={label}
      icon={
        <span aria-hidden="true" className="text-xl weight-650">
          ×
        </span>
      }
      isDisabled={!enabled}
      onPress={perform}
    />
  )
}

/** The quantity of the next item: its field while it is typed, then the quantity with a button that removes it. */
export function NextQuantity() {
  const { t } = useI18n()
  const { nextQuantity, enteringQuantity } = useSale()
  const remove = useAction('next-quantity-remove')
  if (enteringQuantity)
    return (
      <QuantityForm
        label={t('sale.nextQuantityLabel')}
        isLabelShown
        look="surface-2 pad-2-3 relative"
        onEntered={(quantity) => void setNextQuantity(quantity)}
        onClose={leaveQuantity}
      />
    )
  return (
    <div role="status" className={nextQuantity === null ? 'sr-only' : `row-2 tone-warn text-s weight-600 pad-2-3`}>
      {nextQuantity !== null && (
        <>
          <span className="grow">{t('sale.nextQuantity', { quantity: nextQuantity })}</span>
          <IconButton look="plain" label={remove.label} icon={<X />} onPress={() => void setNextQuantity(null)} />
        </>
      )}
    </div>
  )
}
