import { Delete, IdCard } from 'lucide-react'
import { useState } from 'react'
import { Form, Input, Label, Text, TextField } from 'react-aria-components'
import { ApiProblem } from '../../api/problem.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { problemSaying, type Saying } from '../../state/notices.ts'
import { useShell } from '../../state/shell.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Keypad } from '../../ui/keypad.tsx'
import styles from './keyed-dialog.module.css'

const DIGITS = 11

/**
 * A collector without the card at hand: a typed number earns, and never redeems. It is forgotten as soon as it was
 * taken.
 */
export function KeyedDialog() {
  const { t } = useWords()
  const open = useShell((state) => state.keyingCollector)
  const close = (): void => useShell.setState({ keyingCollector: false })
  return (
    <Dialog open={open} onClose={close} title={t('keyed.title')}>
      <KeyedForm onDone={close} />
    </Dialog>
  )
}

function KeyedForm({ onDone }: { readonly onDone: () => void }) {
  const words = useWords()
  const { t } = words
  const [digits, setDigits] = useState('')
  const [wrong, setWrong] = useState<Saying | null>(null)
  const [sending, setSending] = useState(false)
  const put = (text: string): void => {
    setWrong(null)
    setDigits(text.replaceAll(/\D/g, '').slice(0, DIGITS))
  }
  const submit = async (): Promise<void> => {
    if (sending) return
    setSending(true)
    try {
      // The read that this makes comes back by its event, as a swipe does, and goes to the sale.
      await api.keyCollector(digits)
      onDone()
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      setWrong(() => problemSaying(error))
      setSending(false)
    }
  }
  return (
    <Form
      className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <p>{t('keyed.why')}</p>
      <TextField
        autoFocus
        value={grouped(digits)}
        onChange={put}
        isInvalid={wrong !== null}
        inputMode="numeric"
        data-own-keys
        className={styles['field'] ?? ''}
      >
        <Label>{t('keyed.label')}</Label>
        <Input className={`${styles['number']} figures`} autoComplete="off" spellCheck="false" />
        <Text slot="description">{digits === '' ? t('keyed.hint') : t('keyed.typed', { count: digits.length })}</Text>
      </TextField>
      <p role="alert" className={styles['wrong']}>
        {wrong?.(words)}
      </p>
      <Keypad
        label={t('keyed.keypad')}
        onDigit={(digit) => put(digits + digit)}
        last={
          <Button
            size="l"
            look="quiet"
            aria-label={t('keyed.erase')}
            preventFocusOnPress
            icon={<Delete />}
            onPress={() => put(digits.slice(0, -1))}
          />
        }
      />
      <Button type="submit" look="primary" size="l" wide icon={<IdCard />} isDisabled={digits === '' || sending}>
        {t(sending ? 'keyed.checking' : 'keyed.confirm')}
      </Button>
    </Form>
  )
}

/** As it stands on a card: four, three and four digits. */
const grouped = (digits: string): string =>
  [digits.slice(0, 4), digits.slice(4, 7), digits.slice(7)].filter((part) => part !== '').join(' ')
