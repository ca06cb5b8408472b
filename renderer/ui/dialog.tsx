import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useWords } from '../i18n/words.tsx'
import { IconButton } from './button.tsx'
import styles from './dialog.module.css'

/** A question or a card over the screen. While it is open the terminal's keys rest (`data-modal`); Esc closes it. */
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
  const { t } = useWords()
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
        <AriaDialog role={role} className={styles['dialog'] ?? ''}>
          <header className={styles['head']}>
            <Heading slot="title">{title}</Heading>
            {role === 'dialog' && <IconButton label={t('app.close')} icon={<X />} onPress={onClose} />}
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
