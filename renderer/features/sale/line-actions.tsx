import { CirclePause, Minus, Plus, SlidersHorizontal, Trash2, Undo2, X } from 'lucide-react'
import { useState } from 'react'
import { Input, Label, TextField } from 'react-aria-components'
import { useWords } from '../../i18n/words.tsx'
import { useSale } from '../../state/sale.ts'
import { setQuantity } from '../../state/sale-commands.ts'
import { ActionButton, Button, IconButton } from '../../ui/button.tsx'
import { useAction } from '../../ui/use-actions.ts'
import styles from './line-actions.module.css'

/** What can be done with the line that is marked in the list, always in the same place. */
export function LineActions() {
  const { t, format } = useWords()
  const { current, selectedLine, editingQuantity } = useSale()
  const more = useAction('more')
  const fewer = useAction('fewer')
  const undo = useAction('undo')
  const hold = useAction('sale-hold')
  const line = current?.lines.find((other) => other.number === (editingQuantity ?? selectedLine) && !other.voided)
  return (
    <footer className={styles['bar']}>
      {line && more.enabled && (
        <div className={styles['line']} role="group" aria-label={t('sale.selected')}>
          {editingQuantity !== null ? (
            <QuantityField
              key={line.number}
              number={line.number}
              name={format.text(line.name)}
              quantity={line.quantity}
            />
          ) : (
            <>
              <IconButton
                look="plain"
                label={fewer.label}
                icon={<Minus />}
                isDisabled={!fewer.enabled}
                onPress={fewer.perform}
              />
              <ActionButton id="quantity" label={t('sale.quantity')} />
              <IconButton look="plain" label={more.label} icon={<Plus />} onPress={more.perform} />
              <span className={styles['iconic']}>
                <ActionButton id="line-void" icon={<Trash2 />} />
              </span>
            </>
          )}
        </div>
      )}
      {current && (
        <span className={styles['iconic']}>
          <ActionButton id="changes" icon={<SlidersHorizontal />} />
        </span>
      )}
      {undo.enabled && <IconButton label={undo.label} icon={<Undo2 />} onPress={undo.perform} />}
      <span className={styles['rest']} />
      {hold.enabled && <ActionButton id="sale-hold" look="quiet" label={t('held.short')} icon={<CirclePause />} />}
      {current && <ActionButton id="sale-cancel" look="quiet" icon={<X />} />}
    </footer>
  )
}

const QUANTITY = /^[1-9]\d{0,2}$/

function QuantityField({
  number,
  name,
  quantity,
}: {
  readonly number: number
  readonly name: string
  readonly quantity: number
}) {
  const { t } = useWords()
  const [text, setText] = useState(String(quantity))
  const close = (): void => useSale.setState({ editingQuantity: null })
  const [tried, setTried] = useState(false)
  const valid = QUANTITY.test(text.trim())
  const wrong = !valid && (tried || text !== '')
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Esc leaves the form
    <form
      className={styles['quantity']}
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (!valid) return
        close()
        void setQuantity(number, Number(text))
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
    >
      <TextField
        autoFocus
        value={text}
        onChange={setText}
        isInvalid={wrong}
        inputMode="numeric"
        className={styles['field'] ?? ''}
      >
        <Label className="spoken">{t('sale.quantityOf', { name })}</Label>
        <Input onFocus={(event) => event.target.select()} />
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
