import type { ReactNode } from 'react'
import { FieldError, Form, Input, Label, Text, TextField } from 'react-aria-components'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { PaperWarning } from '../../ui/paper-warning.tsx'
import styles from './catalog.module.css'

/** One line of text with its name, a hint and what is wrong with it. */
export function Field({
  label,
  value,
  onChange,
  hint,
  wrong = null,
  most = 120,
  readOnly = false,
  autoFocus = false,
  paper = false,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string
  readonly wrong?: string | null
  readonly most?: number
  readonly readOnly?: boolean
  readonly autoFocus?: boolean
  /** Whether the text goes on paper: the field then names what the printer has no sign for. */
  readonly paper?: boolean
}) {
  return (
    <TextField
      value={value}
      onChange={onChange}
      isInvalid={wrong !== null}
      isReadOnly={readOnly}
      autoFocus={autoFocus}
      className={styles['field'] ?? ''}
    >
      <Label>{label}</Label>
      <Input maxLength={most} autoComplete="off" spellCheck="false" />
      {hint !== undefined && wrong === null && <Text slot="description">{hint}</Text>}
      {paper && <PaperWarning text={value} />}
      <FieldError>{wrong}</FieldError>
    </TextField>
  )
}

/** A form over the page: what is in it, and Back and Save. `error`: why saving failed. */
export function FormDialog({
  title,
  form,
  busy,
  error,
  onSave,
  onClose,
  more,
  children,
}: {
  readonly title: string
  readonly form: React.RefObject<HTMLFormElement | null>
  readonly busy: boolean
  readonly error: Error | null
  readonly onSave: () => void
  readonly onClose: () => void
  /** A button beside Back. */
  readonly more?: ReactNode
  readonly children: ReactNode
}) {
  const { t } = useWords()
  return (
    <Dialog open onClose={onClose} size="l" title={title}>
      <Form
        ref={form}
        className={styles['form'] ?? ''}
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault()
          onSave()
        }}
      >
        {children}
        {error && <LoadFailed error={error} retry={onSave} />}
        <div className={styles['foot']}>
          <Button size="l" onPress={onClose} isDisabled={busy}>
            {t('catalog.back')}
          </Button>
          {more}
          <Button size="l" look="primary" type="submit" isDisabled={busy}>
            {t(busy ? 'catalog.saving' : 'catalog.save')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** A question before something that takes away. */
export function ConfirmDialog({
  title,
  confirm,
  busy,
  error,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string
  readonly confirm: string
  readonly busy: boolean
  readonly error: Error | null
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const { t } = useWords()
  return (
    <Dialog open onClose={onClose} role="alertdialog" title={title}>
      <div className={styles['form']}>
        {children}
        {error && <LoadFailed error={error} retry={onConfirm} />}
        <div className={styles['foot']}>
          <Button size="l" onPress={onClose} isDisabled={busy} autoFocus>
            {t('catalog.back')}
          </Button>
          <Button size="l" look="danger" onPress={onConfirm} isDisabled={busy}>
            {confirm}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
