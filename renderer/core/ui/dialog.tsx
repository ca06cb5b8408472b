import { X } from 'lucide-react'
import { useEffect, useRef, type ReactNode, type RefObject } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useI18n } from '../i18n/i18n.ts'
import { IconButton } from './button.tsx'
import styles from './dialog.module.css'

/**
 * A dialog over the screen, for a question or details. While it is open the terminal's keys are disabled
 * (`data-modal`); Esc closes it.
 */
export function Dialog({
  open,
  onClose,
  title,
  role = 'dialog',
  size = 's',
  children,
}: {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly role?: 'dialog' | 'alertdialog'
  readonly size?: 's' | 'l'
  readonly children: ReactNode
}) {
  return (
    <ModalOverlay
      isOpen={open}
      onOpenChange={(next) => {
        if (!next) onClose()
      }}
      isDismissable={role === 'dialog'}
      className={styles['overlay'] ?? ''}
    >
      <Modal className={`${styles['modal']} ${styles[size]}`} data-modal="">
        <Shown onClose={onClose} title={title} role={role}>
          {children}
        </Shown>
      </Modal>
    </ModalOverlay>
  )
}

function Shown({
  onClose,
  title,
  role,
  children,
}: {
  readonly onClose: () => void
  readonly title: string
  readonly role: 'dialog' | 'alertdialog'
  readonly children: ReactNode
}) {
  const { t } = useI18n()
  const place = useRef<HTMLElement>(null)
  useDialogKeys(place, onClose)
  return (
    <AriaDialog ref={place} role={role} className={styles['dialog'] ?? ''}>
      <header className={styles['head']}>
        <Heading slot="title">{title}</Heading>
        {role === 'dialog' && <IconButton label={t('app.close')} icon={<X />} onPress={onClose} />}
      </header>
      {children}
    </AriaDialog>
  )
}

/**
 * Keeps a dialog usable by keyboard when a pressed button becomes disabled or disappears together with the focus: the
 * next key returns the focus to the top dialog, and Esc still closes it.
 */
function useDialogKeys(place: RefObject<HTMLElement | null>, onClose: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (document.activeElement !== document.body) return
      const isOnTop = [...document.querySelectorAll('[data-modal]')].at(-1)?.contains(place.current)
      if (isOnTop !== true) return
      place.current?.focus()
      if (event.key === 'Escape') onClose()
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [place, onClose])
}
