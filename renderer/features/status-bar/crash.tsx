import { CircleAlert } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { useWords, Words } from '../../i18n/words.tsx'
import { reloadWindow, useTerminal } from '../../state/terminal.ts'
import { Button } from '../../ui/button.tsx'
import { FullPage } from '../../ui/surface.tsx'

/** A fault in a screen ends in words and a way back, never in an empty window: the sale is in the backend. */
export class Crash extends Component<{ readonly children: ReactNode }, { readonly crashed: boolean }> {
  override state = { crashed: false }

  static getDerivedStateFromError(): { crashed: boolean } {
    return { crashed: true }
  }

  override render(): ReactNode {
    if (!this.state.crashed) return this.props.children
    return (
      <Words locale={useTerminal.getState().locale} timeZone={undefined}>
        <Crashed />
      </Words>
    )
  }
}

function Crashed() {
  const { t } = useWords()
  return (
    <FullPage tone="danger" icon={<CircleAlert />} title={t('app.crashedTitle')}>
      <p>{t('app.crashed')}</p>
      <Button look="primary" size="l" autoFocus onPress={() => void reloadWindow()}>
        {t('app.reload')}
      </Button>
    </FullPage>
  )
}
