import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FieldError, Form, Label, TextArea, TextField } from 'react-aria-components'
import type { QueueDetail } from '../../../contracts/api/queue.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { useTries } from '../../ui/use-tries.ts'
import styles from './queue.module.css'

const LONGEST_NOTE = 400
const SHORTEST_NOTE = 3

/**
 * The question before an order and the order itself. `send` is called once for each press while no other is under way;
 * what went wrong is said where the eyes are, and the form stays as it was.
 */
export function OrderForm({
  intro,
  confirm,
  danger = false,
  ready,
  send,
  onDone,
  onBack,
  children,
}: {
  readonly intro: string
  readonly confirm: string
  readonly danger?: boolean
  /** False while the form lacks something: pressing then shows what. */
  readonly ready: boolean
  readonly send: () => Promise<QueueDetail>
  readonly onDone: (answer: QueueDetail) => void
  readonly onBack: () => void
  readonly children?: (tried: boolean) => ReactNode
}) {
  const { t } = useWords()
  const { tried, attempt, form } = useTries()
  const order = useMutation({ mutationFn: send, onSuccess: onDone })
  const submit = (): void => {
    attempt()
    if (ready && !order.isPending) order.mutate()
  }
  return (
    <Form
      ref={form}
      className={styles['form'] ?? ''}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <p>{intro}</p>
      {children?.(tried)}
      {order.isError && <LoadFailed error={order.error} retry={submit} />}
      <div className={styles['foot']}>
        <Button size="l" autoFocus={!children} onPress={onBack} isDisabled={order.isPending}>
          {t('queue.back')}
        </Button>
        <Button type="submit" size="l" look={danger ? 'danger' : 'primary'} isDisabled={order.isPending}>
          {order.isPending ? t('queue.ordering') : confirm}
        </Button>
      </div>
    </Form>
  )
}

export const noteFits = (note: string): boolean => note.trim().length >= SHORTEST_NOTE

export function NoteField({
  label,
  note,
  onChange,
  tried,
}: {
  readonly label: string
  readonly note: string
  readonly onChange: (note: string) => void
  readonly tried: boolean
}) {
  const { t } = useWords()
  return (
    <TextField value={note} onChange={onChange} isInvalid={tried && !noteFits(note)} className={styles['field'] ?? ''}>
      <Label>{label}</Label>
      <TextArea maxLength={LONGEST_NOTE} rows={3} />
      <FieldError>{t('queue.noteMissing')}</FieldError>
    </TextField>
  )
}
