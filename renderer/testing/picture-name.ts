export const pictureName = (fixture: string, width: number, theme: string, language: string): string =>
  `${fixture}.${width}.${theme}.${language}.png`
