/** File name of a picture: `<fixture>.<width>.<theme>.<language>.png`. */
export const pictureName = (fixture: string, width: number, theme: string, language: string): string =>
  `${fixture}.${width}.${theme}.${language}.png`
