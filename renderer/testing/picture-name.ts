/** The file of a picture: `<scene>.<width>.<theme>.<language>.png`. */
export const pictureName = (scene: string, width: number, theme: string, language: string): string =>
  `${scene}.${width}.${theme}.${language}.png`
