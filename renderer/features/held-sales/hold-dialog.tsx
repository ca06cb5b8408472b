import { useState } from 'react'
import { Form, Input, Label, Text, TextField } from 'react-aria-components'
import type { Sale } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { holdSale, useHeldSales } from '../../state/held-sales.ts'
import { itemCount, useSale } from '../../state/sale.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import fieldStyles from '../../ui/field.module.css'
import styles from './held-sales.module.css'

const LONGEST_NAME = 24

/** Asks what to call the sale; Enter alone gives it a number. */
export function HoldDialog() {
  const { t } = useWords()
  const naming = useHeldSales((state) => state.naming)
  const current = useSale((state) => state.current)
  return (
    <Dialog
      open={naming && current !== null}
      onClose={() => useHeldSales.setState({ naming: false })}
      title={t('held.holdTitle')}
    >
      {current && <HoldForm sale={current} />}
    </Dialog>
  )
}

function HoldForm({ sale }: { readonly sale: Sale }) {
  const { t, format } = useWords()
  const [name, setName] = useState('')
  return (
    <Form
      className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault()
        void holdSale(name)
      }}
    >
      <p>{t('held.holdText', { count: itemCount(sale), total: format.money(sale.totals.totalCents) })}</p>
      <TextField autoFocus value={name} onChange={setName} className={fieldStyles['field'] ?? ''}>
        <Label>{t('held.name')}</Label>
        <Input maxLength={LONGEST_NAME} autoComplete="off" spellCheck="false" />
        <Text slot="description">{t('held.nameHint')}</Text>
      </TextField>
      <Button type="submit" look="primary" size="l" wide>
        {t('held.confirm')}
      </Button>
    </Form>
  )
}
