import { Minus, Plus, Recycle } from 'lucide-react'
import { Form, Input, Label, TextField } from 'react-aria-components'
import type { EmptiesClasses } from '../../../contracts/catalog/charges.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useInputCapture } from '../../core/state/window.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { closeEmpties, countEmpties, takeEmpties, useEmpties } from '../empties.ts'
import styles from './lines.module.css'

/** Counts empty containers by class, by scan or by typed number. */
export function EmptiesDialog() {
  const { classes } = useEmpties()
  return classes && <Opened classes={classes} />
}

function Opened({ classes }: Pick<EmptiesClasses, 'classes'>) {
  const { t, format } = useI18n()
  const { counts, unknown } = useEmpties()
  useInputCapture('prices')
  const sum = classes.reduce((total, { id, refundCents }) => total + (counts[id] ?? 0) * refundCents, 0)
  return (
    <Dialog open onClose={closeEmpties} title={t('empties.title')}>
      <Form
        className="stack-4"
        onSubmit={(event) => {
          event.preventDefault()
          takeEmpties()
        }}
      >
        <p className="prose">{t(classes.length === 0 ? 'empties.none' : 'empties.hint')}</p>
        <ul className="stack-2 single">
          {classes.map(({ id, name, refundCents }, at) => (
            <Class
              key={id}
              name={format.text(name)}
              each={format.money(refundCents)}
              count={counts[id] ?? 0}
              isFirst={at === 0}
              set={(count) => countEmpties(id, count)}
            />
          ))}
        </ul>
        <p role="status" className="row-2 between text-l weight-650 figures">
          <span>{unknown === null ? t('empties.sum') : t('empties.unknown', { code: unknown })}</span>
          <span>{format.money(sum)}</span>
        </p>
        <div className="stack-3 foot">
          <Button size="l" onPress={closeEmpties}>
            {t('actions.back')}
          </Button>
          <Button size="l" look="primary" type="submit" isDisabled={sum === 0} icon={<Recycle />}>
            {t('empties.take')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

interface ClassProps {
  readonly name: string
  readonly each: string
  readonly count: number
  readonly isFirst: boolean
  readonly set: (count: number) => void
}

function Class({ name, each, count, isFirst, set }: ClassProps) {
  const { t } = useI18n()
  return (
    <li className={styles['emptiesClass']}>
      <span className="min-width-0 prose">
        {name} <small className="note figures">{each}</small>
      </span>
      <span className="row-2">
        <IconButton
          look="plain"
          label={t('empties.fewer', { name })}
          icon={<Minus />}
          isDisabled={count === 0}
          onPress={() => set(count - 1)}
        />
        <TextField
          autoFocus={isFirst}
          value={count === 0 ? '' : String(count)}
          onChange={(text) => set(Number(text.replaceAll(/\D/g, '')))}
          inputMode="numeric"
          className={styles['field'] ?? ''}
        >
          <Label className="sr-only">{t('empties.count', { name })}</Label>
          <Input maxLength={3} placeholder="0" onFocus={(event) => event.target.select()} />
        </TextField>
        <IconButton look="plain" label={t('empties.more', { name })} icon={<Plus />} onPress={() => set(count + 1)} />
      </span>
    </li>
  )
}
