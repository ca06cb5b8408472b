import { useEffect, useRef, useState } from 'react'
import { Input, Label, TextField } from 'react-aria-components'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useShell } from '../../core/state/window.ts'
import { Button } from '../../core/ui/button.tsx'
import { isTextField } from '../../core/ui/text-field.ts'
import styles from './lines.module.css'

const QUANTITY = /^[1-9]\d{0,2}$/

/**
 * A field for a quantity of 1 to 999. It closes when another text field takes the focus. A button leaves it open: the
 * layout must not change between the press and the click.
 */
export function QuantityForm({
  label,
  isLabelShown = false,
  initial = '',
  look,
  onEntered,
  onClose,
}: {
  readonly label: string
  readonly isLabelShown?: boolean
  readonly initial?: string
  readonly look: string
  readonly onEntered: (quantity: number) => void
  readonly onClose: () => void
}) {
  const { t } = useI18n()
  const [text, setText] = useState(initial)
  const [tried, setTried] = useState(false)
  const valid = QUANTITY.test(text.trim())
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    useShell.setState({ focusQuantity: () => input.current?.focus() })
    return () => useShell.setState({ focusQuantity: () => undefined })
  }, [])
  const wrong = !valid && (tried || text !== '')
  return (
    <form
      className={`row-2 ${look} ${styles['actionQuantity']}`}
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (valid) onEntered(Number(text))
      }}
      onBlur={({ relatedTarget }) => {
        if (isTextField(relatedTarget)) onClose()
      }}
    >
      {isLabelShown && (
        <span aria-hidden="true" className="text-s weight-600">
          {label}
        </span>
      )}
      <TextField
        autoFocus
        value={text}
        onChange={setText}
        isInvalid={wrong}
        inputMode="numeric"
        className={styles['field'] ?? ''}
      >
        <Label className="sr-only">{label}</Label>
        <Input
          ref={input}
          autoComplete="off"
          onFocus={(event) => event.target.select()}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose()
          }}
        />
      </TextField>
      <Button type="submit" look="primary">
        {t('sale.setQuantity')}
      </Button>
      <Button look="quiet" onPress={onClose}>
        {t('actions.back')}
      </Button>
      <p role="alert" className={styles['wrong']}>
        {wrong ? t('sale.quantityRange') : null}
      </p>
    </form>
  )
}
