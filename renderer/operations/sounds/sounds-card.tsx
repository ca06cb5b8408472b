import { Play, Volume2 } from 'lucide-react'
import { useI18n } from '../../core/i18n/i18n.ts'
import { sound, useSounds } from './sounds.ts'
import { CUES } from '../../core/sounds.ts'
import { Button } from '../../core/ui/button.tsx'
import { pageStyles } from '../../core/ui/page.tsx'
import { SoundVolume } from './sound-volume.tsx'

export function SoundsCard() {
  const { t } = useI18n()
  const off = useSounds((state) => state.volume === 0)
  return (
    <li className={pageStyles['card']}>
      <h3>
        <Volume2 aria-hidden="true" />
        {t('sounds.title')}
      </h3>
      <p>{t('sounds.intro')}</p>
      <SoundVolume />
      <div className="wrap-2" role="group" aria-label={t('sounds.listen')}>
        {CUES.map((cue) => (
          <Button key={cue} icon={<Play />} isDisabled={off} onPress={() => sound(cue)}>
            {t(`sounds.cue.${cue}`)}
          </Button>
        ))}
      </div>
    </li>
  )
}
