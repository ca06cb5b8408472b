import styles from './sounds.module.css'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useSounds, chooseVolume, LOUDEST } from './sounds.ts'
import { IconButton } from '../../core/ui/button.tsx'
import { VolumeX, Volume1, Volume2 } from 'lucide-react'

export function SoundVolume() {
  const { t } = useI18n()
  const volume = useSounds((state) => state.volume)
  return (
    <div className={`row-2 ${styles['volume']}`} role="group" aria-label={t('sounds.volume')}>
      <span>{t('sounds.volume')}</span>
      <IconButton
        look="plain"
        label={t('sounds.quieter')}
        icon={volume <= 1 ? <VolumeX /> : <Volume1 />}
        isDisabled={volume === 0}
        onPress={() => void chooseVolume(volume - 1)}
      />
      <output className="weight-600 center nowrap figures" aria-live="polite">
        {volume === 0 ? t('sounds.off') : t('sounds.step', { volume, loudest: LOUDEST })}
      </output>
      <IconButton
        look="plain"
        label={t('sounds.louder')}
        icon={<Volume2 />}
        isDisabled={volume === LOUDEST}
        onPress={() => void chooseVolume(volume + 1)}
      />
    </div>
  )
}
