import { X } from 'lucide-react'
import { useState } from 'react'
import { Input, Label, TextField } from 'react-aria-components'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { useSale } from '../sale.ts'
import { setNextQuantity } from '../sale-commands.ts'
import styles from './lines.module.css'

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
  if (enteringQuantity) return <NextQuantityField />
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

const QUANTITY = /^[1-9]\d{0,2}$/

function NextQuantityField() {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const [tried, setTried] = useState(false)
  const valid = QUANTITY.test(text.trim())
  const wrong = !valid && (tried || text !== '')
  const close = (): void => useSale.setState({ enteringQuantity: false })
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Esc leaves the form
    <form
      className={`row-2 surface-2 pad-2-3 relative ${styles['actionQuantity']}`}
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (valid) void setNextQuantity(Number(text))
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
    >
      <span aria-hidden="true" className="text-s weight-600">
        {t('sale.nextQuantityLabel')}
      </span>
      <TextField
        autoFocus
        value={text}
        onChange={setText}
        isInvalid={wrong}
        inputMode="numeric"
        className={styles['field'] ?? ''}
      >
        <Label className="sr-only">{t('sale.nextQuantityLabel')}</Label>
        <Input maxLength={3} autoComplete="off" />
      </TextField>
      <Button type="submit" look="primary">
        {t('sale.setQuantity')}
      </Button>
      <Button look="quiet" onPress={close}>
        {t('actions.back')}
      </Button>
      <p role="alert" className={styles['wrong']}>
        {wrong ? t('sale.quantityRange') : null}
      </p>
    </form>
  )
}
